import { append } from '../meta/append.ts';
import { applySourceDefaults } from './volume-sources.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { type JsonObject, jsonEqual, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { validateImmutable } from '../meta/object-meta.ts';
import { formatTime } from '../schema/decode.ts';
import { structSchema } from '../schema/schema.ts';
import { accessModes, shortAccessModes } from './claim-spec.ts';
import { goDiff, goValue } from './go-diff.ts';
import { type NodeSelectorTerm, generalLabels, nodeSelectorTermWarnings } from './node-labels.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface VolumeNodeAffinity extends JsonObject {
  required?: { nodeSelectorTerms: NodeSelectorTerm[] | null };
}

interface PersistentVolume extends KubeObject {
  spec: {
    capacity?: { [resource: string]: string };
    accessModes?: string[];
    claimRef?: { namespace?: string; name?: string; uid?: string };
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    volumeMode?: string;
    nodeAffinity?: VolumeNodeAffinity;
    volumeAttributesClassName?: string;
    mountOptions?: string[];
  } & JsonObject;
  status: { phase?: string; message?: string; reason?: string; lastPhaseTransitionTime?: string };
}

const ownFields = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);
/** The fields of the spec that are volume sources: all except the ones above. */
const sourceFields = (): readonly string[] =>
  structSchema('core.v1.PersistentVolumeSpec')
    .fields.map((field) => field.name)
    .filter((name) => !ownFields.has(name));

export const persistentVolumes: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  singular: 'persistentvolume',
  shortNames: ['pv'],
  namespaced: false,
  struct: 'core.v1.PersistentVolume',
  nameRule: dnsSubdomain,
  storageVersionHash: 'HN/zwEC+JgM=',
  returnsDeletedObject: true,

  applyDefaults(volume: PersistentVolume) {
    volume.status.phase ??= 'Pending';
    volume.spec.persistentVolumeReclaimPolicy ??= 'Retain';
    volume.spec.volumeMode ??= 'Filesystem';
    applySourceDefaults(volume.spec);
    const { hostPath } = volume.spec;
    if (isObject(hostPath)) {
      hostPath['type'] ??= '';
    }
  },
  prepareForCreate(volume: PersistentVolume, { now }) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(now) };
  },
  validate: validateVolume,
  prepareForUpdate(volume: PersistentVolume, old: PersistentVolume) {
    volume.status = old.status;
  },
  validateUpdate(volume: PersistentVolume, old: PersistentVolume) {
    const errors = validateVolume(volume);
    const changed = sourceFields().some((field) => !jsonEqual(volume.spec[field], old.spec[field]));
    if (changed) {
      errors.push(
        forbiddenField(
          'spec.persistentvolumesource',
          `spec.persistentvolumesource is immutable after creation\n${goDiff(old.spec, volume.spec, 'core.v1.PersistentVolumeSpec', sourceFields())}`,
        ),
      );
    }
    append(errors, validateImmutable(volume.spec.volumeMode, old.spec.volumeMode, 'volumeMode'));
    return [...errors, ...validateAffinityKept(volume.spec, old.spec)];
  },
  warnings: volumeWarnings,
  status: {
    prepareForUpdate(volume: PersistentVolume, old: PersistentVolume, { now }) {
      volume.spec = old.spec;
      const { lastPhaseTransitionTime: since } = volume.status;
      if (volume.status.phase !== old.status.phase) {
        // As on the real server, a time that the client sets itself is kept.
        if (since === undefined || since === old.status.lastPhaseTransitionTime) {
          volume.status.lastPhaseTransitionTime = formatTime(now);
        }
      } else if (
        volume.status.lastPhaseTransitionTime === undefined &&
        old.status.lastPhaseTransitionTime !== undefined
      ) {
        volume.status.lastPhaseTransitionTime = old.status.lastPhaseTransitionTime;
      }
    },
  },

  columns: [
    nameColumn,
    column('Capacity', 'The size of the volume'),
    column('Access Modes', 'How the volume can be mounted'),
    column('Reclaim Policy', 'What happens to the volume after its claim'),
    column('Status', 'The phase of the volume'),
    column('Claim', 'The claim the volume is bound to'),
    column('StorageClass', 'The storage class of the volume'),
    column('VolumeAttributesClass', 'The volume attributes class of the volume'),
    column('Reason', 'Why the volume is in its phase'),
    ageColumn,
    column('VolumeMode', 'Filesystem or block device', 1),
  ],
  cells(volume: PersistentVolume, { now }) {
    const { metadata, spec, status } = volume;
    const { claimRef } = spec;
    return [
      metadata.name ?? '',
      spec.capacity?.['storage'] ?? '0',
      shortAccessModes(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating',
      claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
      metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? '<unset>',
      status.reason ?? '',
      since(metadata.creationTimestamp, now),
      spec.volumeMode ?? '<unset>',
    ];
  },
};

type VolumeSpec = PersistentVolume['spec'];

/** Node affinity may be set later, and beta label keys may be replaced by their GA successors. */
function validateAffinityKept({ nodeAffinity }: VolumeSpec, { nodeAffinity: old }: VolumeSpec): FieldError[] {
  if (old === undefined || isSameAffinity(nodeAffinity, old)) {
    return [];
  }
  const shown = nodeAffinity === undefined ? null : goValue(nodeAffinity, 'core.v1.VolumeNodeAffinity');
  return [invalid('nodeAffinity', shown, 'field is immutable, except for updating from beta label to GA')];
}

function isSameAffinity(affinity: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): boolean {
  const terms = old.required?.nodeSelectorTerms ?? [];
  const updated = terms.map((term, index) => {
    const next = affinity?.required?.nodeSelectorTerms?.[index]?.matchExpressions ?? [];
    const expressions = term.matchExpressions?.map((expression, position) => {
      const key = next[position]?.key;
      return key !== undefined && key === generalLabels.get(expression.key)
        ? { ...expression, key }
        : expression;
    });
    return expressions === undefined ? term : { ...term, matchExpressions: expressions };
  });
  return jsonEqual(affinity, { ...old, required: { ...old.required, nodeSelectorTerms: updated } });
}

const oldAnnotations: readonly (readonly [annotation: string, message: string])[] = [
  ['storage-class', 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ['mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
];
/** With the order and the names of the API server. */
const oldPlugins: readonly { readonly field: string; readonly named?: string; readonly message: string }[] = [
  { field: 'cephfs', message: 'deprecated in v1.28, non-functional in v1.31+' },
  { field: 'photonPersistentDisk', message: 'deprecated in v1.11, non-functional in v1.16+' },
  { field: 'scaleIO', message: 'deprecated in v1.16, non-functional in v1.22+' },
  { field: 'storageos', named: 'storageOS', message: 'deprecated in v1.22, non-functional in v1.25+' },
  { field: 'glusterfs', message: 'deprecated in v1.25, non-functional in v1.26+' },
  { field: 'rbd', message: 'deprecated in v1.28, non-functional in v1.31+' },
];

/** The warnings of pkg/api/persistentvolume/util.go. */
function volumeWarnings({ metadata, spec }: PersistentVolume): readonly string[] {
  return [
    ...oldAnnotations.flatMap(([name, message]) => {
      const key = `volume.beta.kubernetes.io/${name}`;
      return metadata.annotations?.[key] === undefined ? [] : [`metadata.annotations[${key}]: ${message}`];
    }),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeSelectorTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, false),
    ),
    ...oldPlugins
      .filter(({ field }) => spec[field] !== undefined)
      .map(({ field, named = field, message }) => `spec.${named}: ${message}`),
  ];
}

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

function validateVolume(volume: PersistentVolume): FieldError[] {
  const errors: FieldError[] = [];
  const { spec } = volume;
  if ((spec.accessModes ?? []).length === 0) {
    errors.push(required('spec.accessModes'));
  }
  for (const mode of spec.accessModes ?? []) {
    if (!accessModes.includes(mode)) {
      errors.push(notSupported('spec.accessModes', mode, accessModes));
    }
  }
  if (spec.capacity === undefined) {
    errors.push(required('spec.capacity'));
  }
  if (spec.capacity?.['storage'] === undefined || Object.keys(spec.capacity).length > 1) {
    errors.push(notSupported('spec.capacity', spec.capacity ?? null, ['storage']));
  }
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  if (!reclaimPolicies.includes(policy)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies));
  }
  const sources = sourceFields().filter((field) => spec[field] !== undefined);
  if (sources.length === 0) {
    errors.push(required('spec', 'must specify a volume type'));
  }
  for (const source of sources.slice(1)) {
    errors.push(forbiddenField(`spec.${source}`, 'may not specify more than 1 volume type'));
  }
  return isObject(spec.csi) ? [...errors, ...validateDriver(spec.csi)] : errors;
}

function validateDriver({ driver = '', volumeHandle = '' }: JsonObject): FieldError[] {
  const problems =
    typeof driver === 'string' && driver !== '' ? dnsSubdomain(driver.toLowerCase(), false) : [];
  return [
    ...(driver === '' ? [required('spec.csi.driver')] : []),
    ...problems.map((problem) => invalid('spec.csi.driver', driver, problem)),
    ...(volumeHandle === '' ? [required('spec.csi.volumeHandle')] : []),
  ];
}
