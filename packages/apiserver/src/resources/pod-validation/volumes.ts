import { append } from '../../meta/append.ts';
import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import type { ObjectMeta } from '../../meta/kube-object.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { type VolumeClaimSpec, validateClaimTemplate } from '../claim-spec.ts';
import {
  type DownwardSource,
  type KeyedSource,
  type ProjectedSource,
  validateDownward,
  validateKeyed,
  validateProjected,
} from './file-sources.ts';
import { validateDnsLabel } from './name-errors.ts';
import { validateNoBackstep } from './paths.ts';
import { pullPolicies } from './pull-policies.ts';
import { type StorageSources, storageRules } from './storage-sources.ts';

/* Validates the volumes of a pod, each of which has one source. */

interface Sources extends StorageSources {
  emptyDir: { medium?: string; sizeLimit?: string };
  hostPath: { path: string; type?: string };
  configMap: KeyedSource;
  secret: KeyedSource;
  downwardAPI: DownwardSource;
  projected: ProjectedSource;
  persistentVolumeClaim: { claimName: string; readOnly?: boolean };
  ephemeral: { volumeClaimTemplate?: { metadata: ObjectMeta; spec: VolumeClaimSpec } };
  image: { reference?: string; pullPolicy?: string };
}

type Source = keyof Sources;

export interface Volume extends JsonObject, Partial<Sources> {
  name: string;
}

/** What the validation of volumes depends on, apart from the volumes. */
export interface VolumeContext {
  /** Undefined for a template, and for a pod whose name the server generates. */
  readonly podName: string | undefined;
  readonly isPod: boolean;
}

/** In the order of the real server, which reports the later one of two sources. */
const sources: readonly Source[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];
/** The names in the real server's errors about a second source, where they differ from the field. */
const misspelt: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

type Rules = {
  readonly [Name in Source]: (source: Sources[Name], at: string, isPod: boolean) => FieldError[];
};

const rules: Rules = {
  ...storageRules,
  emptyDir: ({ sizeLimit = '0' }, at) =>
    compareQuantities(sizeLimit, '0') < 0
      ? [forbiddenField(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
      : [],
  hostPath: ({ path, type = '' }, at) =>
    path === ''
      ? [required(`${at}.path`)]
      : [
          ...validateNoBackstep(path, `${at}.path`),
          ...(hostPathTypes.includes(type) ? [] : [notSupported(`${at}.type`, type, hostPathTypes)]),
        ],
  configMap: (source, at) => validateKeyed(source, 'name', at),
  secret: (source, at) => validateKeyed(source, 'secretName', at),
  downwardAPI: validateDownward,
  projected: validateProjected,
  persistentVolumeClaim: ({ claimName }, at) => (claimName === '' ? [required(`${at}.claimName`)] : []),
  ephemeral: ({ volumeClaimTemplate: template }, at) =>
    template === undefined
      ? [required(`${at}.volumeClaimTemplate`)]
      : validateClaimTemplate(template, `${at}.volumeClaimTemplate`),
  image: ({ reference = '', pullPolicy = '' }, at, isPod) => [
    ...(isPod && reference === '' ? [required(`${at}.reference`)] : []),
    ...(pullPolicies.includes(pullPolicy)
      ? []
      : [notSupported(`${at}.pullPolicy`, pullPolicy, pullPolicies)]),
  ],
};

/** Returns the errors, and the valid volumes by name. Mounts can only use valid volumes. */
export function validateVolumes(
  volumes: readonly Volume[],
  context: VolumeContext,
  path: string,
): { readonly errors: FieldError[]; readonly valid: ReadonlyMap<string, Volume> } {
  const errors: FieldError[] = [];
  const valid = new Map<string, Volume>();
  const { podName } = context;
  const created = new Set(
    volumes.flatMap(({ name, ephemeral }) =>
      podName === undefined || ephemeral === undefined ? [] : [`${podName}-${name}`],
    ),
  );
  for (const [index, volume] of volumes.entries()) {
    const at = `${path}[${index}]`;
    const { name } = volume;
    const found = [
      ...validateSource(volume, context, at),
      ...(name === '' ? [required(`${at}.name`)] : validateDnsLabel(name, `${at}.name`)),
      ...(valid.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ];
    if (found.length === 0) {
      valid.set(name, volume);
    }
    append(errors, found);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      const problem = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalid(`${at}.persistentVolumeClaim.claimName`, claim, problem));
    }
  }
  return { errors, valid };
}

function validateSource(volume: Volume, { podName, isPod }: VolumeContext, at: string): FieldError[] {
  const [first, ...others] = sources.filter((name) => volume[name] !== undefined);
  if (first === undefined) {
    return [required(at, 'must specify a volume type')];
  }
  return [
    ...validateAs(first, rules[first], volume, isPod, at),
    ...others.map((name) =>
      forbiddenField(`${at}.${misspelt[name] ?? name}`, 'may not specify more than 1 volume type'),
    ),
    ...validateIscsiName(volume, at),
    ...(first === 'ephemeral' && podName !== undefined ? validateClaimName(volume.name, podName, at) : []),
  ];
}

function validateAs<Name extends Source>(
  name: Name,
  rule: Rules[Name],
  volume: Partial<Sources>,
  isPod: boolean,
  at: string,
): FieldError[] {
  const source = volume[name];
  return source === undefined ? [] : rule(source, `${at}.${name}`, isPod);
}

const longestIscsiName = 64;

function validateIscsiName({ name, iscsi }: Volume, at: string): FieldError[] {
  return iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal}`.length > longestIscsiName
    ? [
        invalid(
          `${at}.name`,
          name,
          `Total length of <volume name>:<iscsi.targetPortal> must be under ${longestIscsiName} characters if iscsi.initiatorName is specified.`,
        ),
      ]
    : [];
}

/** Validates the name of the claim that is created for an ephemeral volume. */
function validateClaimName(volume: string, pod: string, at: string): FieldError[] {
  const claim = `${pod}-${volume}`;
  return (volume === '' ? [] : dnsSubdomain(claim, false)).map((problem) =>
    invalid(`${at}.name`, volume, `PVC name "${claim}": ${problem}`),
  );
}
