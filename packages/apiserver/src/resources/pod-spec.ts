import {
  type FieldError,
  duplicate,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { LabelSelector } from '../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../meta/names.ts';
import { compareQuantities } from '../schema/quantity.ts';
import { type VolumeClaimSpec, applyClaimSpecDefaults, validateClaimSpec } from './claim-spec.ts';
import type { NodeSelectorTerm } from './node-labels.ts';
import { validateContainerResources } from './pod-validation/container-resources.ts';
import {
  type VariableSource,
  validateEnvironment,
  validateVariableSources,
} from './pod-validation/environment.ts';
import { validateHostNames } from './pod-validation/host-names.ts';
import { validatePorts } from './pod-validation/ports.ts';
import { type Handler, type Probe, validateHandler, validateProbe } from './pod-validation/probes.ts';
import { type SpreadConstraint, validateScheduling } from './pod-validation/scheduling.ts';
import {
  type SecurityFields,
  validateContainerSecurity,
  validatePodSecurity,
} from './pod-validation/security.ts';
import { applySourceDefaults } from './volume-sources.ts';
import { validateVolumeSources } from './pod-validation/volumes.ts';

/* Defaults and validation of pod specs, shared by pods and by the templates of the sets that make them. */

export interface ResourceRequirements extends JsonObject {
  limits?: { [resource: string]: string };
  requests?: { [resource: string]: string };
}

export interface ContainerPort extends JsonObject {
  name?: string;
  containerPort: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

export interface EnvVar extends JsonObject {
  name: string;
  value?: string;
  valueFrom?: { fieldRef?: { apiVersion?: string; fieldPath: string } };
}

/** Of a container or of all of the pod. */
interface SecurityContext extends SecurityFields {
  appArmorProfile?: JsonObject;
}

export interface Container extends JsonObject {
  name: string;
  image?: string;
  ports?: ContainerPort[];
  env?: EnvVar[];
  securityContext?: SecurityContext;
  resources: ResourceRequirements;
  envFrom?: VariableSource[];
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  volumeMounts?: { name: string; mountPath: string; subPath?: string; mountPropagation?: string }[];
  volumeDevices?: { name: string; devicePath: string }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  restartPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
}

export interface Volume extends JsonObject {
  name: string;
  emptyDir?: JsonObject;
  hostPath?: { path: string; type?: string };
  configMap?: { name?: string; items?: KeyToPath[]; defaultMode?: number };
  secret?: { secretName?: string; items?: KeyToPath[]; defaultMode?: number };
  downwardAPI?: { items?: DownwardItem[]; defaultMode?: number };
  projected?: { sources: VolumeProjection[] | null; defaultMode?: number };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  ephemeral?: { volumeClaimTemplate?: { metadata: JsonObject; spec: VolumeClaimSpec } };
}

interface KeyToPath extends JsonObject {
  key: string;
  path: string;
}

export interface VolumeProjection extends JsonObject {
  configMap?: { name?: string; items?: KeyToPath[] };
  secret?: { name?: string; items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardItem[] };
  serviceAccountToken?: { path: string; expirationSeconds?: number };
}

interface DownwardItem extends JsonObject {
  path: string;
  fieldRef?: { apiVersion?: string; fieldPath: string };
}

export interface Toleration extends JsonObject {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

interface PodAffinityTerm extends JsonObject {
  labelSelector?: LabelSelector;
}

export interface PodAffinity extends JsonObject {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[];
}

interface NodeAffinity extends JsonObject {
  requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] | null };
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[];
}

export interface PodSpec extends JsonObject {
  volumes?: Volume[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  containers: Container[] | null;
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  nodeName?: string;
  hostNetwork?: boolean;
  serviceAccountName?: string;
  serviceAccount?: string;
  schedulerName?: string;
  securityContext?: SecurityContext;
  nodeSelector?: { [label: string]: string };
  affinity?: { nodeAffinity?: NodeAffinity; podAffinity?: PodAffinity; podAntiAffinity?: PodAffinity };
  topologySpreadConstraints?: (SpreadConstraint & { labelSelector?: LabelSelector })[];
  hostAliases?: { ip: string }[];
  imagePullSecrets?: { name?: string }[];
  dnsConfig?: { nameservers?: string[] };
  overhead?: { [resource: string]: string };
  resources?: ResourceRequirements;
  os?: { name: string };
  tolerations?: Toleration[];
  priority?: number;
  preemptionPolicy?: string;
  enableServiceLinks?: boolean;
  schedulingGates?: { name: string }[];
  readinessGates?: { conditionType: string }[];
}

const defaultMode = 0o644;

export function applyPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) {
    applyVolumeDefaults(volume);
  }
  for (const container of spec.initContainers ?? []) {
    applyContainerDefaults(container);
  }
  for (const container of [...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]) {
    applyContainerDefaults(container);
  }
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  if (spec.serviceAccountName === undefined && spec.serviceAccount !== undefined) {
    spec.serviceAccountName = spec.serviceAccount;
  } else if (spec.serviceAccountName !== undefined) {
    spec.serviceAccount = spec.serviceAccountName;
  }
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
}

function applyContainerDefaults(container: Container): void {
  for (const port of container.ports ?? []) {
    port.protocol ??= 'TCP';
  }
  for (const variable of container.env ?? []) {
    if (variable.valueFrom?.fieldRef !== undefined) {
      variable.valueFrom.fieldRef.apiVersion ??= 'v1';
    }
  }
  const { postStart, preStop } = container.lifecycle ?? {};
  for (const hook of [postStart, preStop]) {
    if (hook?.httpGet !== undefined) {
      hook.httpGet.path ??= '/';
      hook.httpGet.scheme ??= 'HTTP';
    }
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe === undefined) {
      continue;
    }
    if (probe.httpGet !== undefined) {
      probe.httpGet.path ??= '/';
      probe.httpGet.scheme ??= 'HTTP';
    }
    if (probe.grpc !== undefined) {
      probe.grpc.service ??= '';
    }
    probe.timeoutSeconds ??= 1;
    probe.periodSeconds ??= 10;
    probe.successThreshold ??= 1;
    probe.failureThreshold ??= 3;
  }
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  container.imagePullPolicy ??= isLatest(container.image ?? '') ? 'Always' : 'IfNotPresent';
}

const longestRepository = 255;

/** With the registry, and its folder, that stand for none. */
function wholeName(repository: string): string {
  const [first = '', ...rest] = repository.split('/');
  if (rest.length === 0) {
    return `docker.io/library/${repository}`;
  }
  return /[.:]|^localhost$/.test(first) ? repository : `docker.io/${repository}`;
}

function isLatest(image: string): boolean {
  // What is no reference has no tag either.
  if (image.includes('@') || /[^\w./:-]/.test(image) || image === '') {
    return false;
  }
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  const repository = tag === undefined ? image : image.slice(0, -tag.length - 1);
  if (wholeName(repository).length > longestRepository) {
    return false;
  }
  return tag === undefined || tag === 'latest';
}

function applyVolumeDefaults(volume: Volume): void {
  if (sourcesOf(volume).length === 0) {
    volume.emptyDir = {};
  }
  applySourceDefaults(volume);
  if (volume.configMap !== undefined) {
    volume.configMap.defaultMode ??= defaultMode;
  }
  if (volume.secret !== undefined) {
    volume.secret.defaultMode ??= defaultMode;
  }
  if (volume.hostPath !== undefined) {
    volume.hostPath.type ??= '';
  }
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= defaultMode;
    for (const item of volume.downwardAPI.items ?? []) {
      if (item.fieldRef !== undefined) {
        item.fieldRef.apiVersion ??= 'v1';
      }
    }
  }
  if (volume.projected !== undefined) {
    volume.projected.defaultMode ??= defaultMode;
    for (const source of volume.projected.sources ?? []) {
      if (source.serviceAccountToken !== undefined) {
        source.serviceAccountToken.expirationSeconds ??= 3600;
      }
      for (const item of source.downwardAPI?.items ?? []) {
        if (item.fieldRef !== undefined) {
          item.fieldRef.apiVersion ??= 'v1';
        }
      }
    }
  }
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template !== undefined) {
    applyClaimSpecDefaults(template.spec);
  }
}

function sourcesOf(volume: Volume): string[] {
  // An empty directory is looked at first: with two sources it is the other one that is too many.
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  return sources.sort((a, b) => Number(b === 'emptyDir') - Number(a === 'emptyDir'));
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** The part of pod validation that matters to who watches volumes: names, volumes, mounts, the policies. */
export function validatePodSpec(spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const volumeNames = new Set<string>();
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const at = `${path}.volumes[${index}]`;
    errors.push(...validateVolume(volume, at));
    if (volume.name === '') {
      errors.push(required(`${at}.name`));
    } else {
      errors.push(
        ...dnsLabel(volume.name, false).map((problem) => invalid(`${at}.name`, volume.name, problem)),
      );
      if (volumeNames.has(volume.name)) {
        errors.push(duplicate(`${at}.name`, volume.name));
      }
    }
    volumeNames.add(volume.name);
  }
  if ((spec.containers ?? []).length === 0) {
    errors.push(required(`${path}.containers`));
  }
  const containerNames = new Set<string>();
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      const at = `${path}.${list}[${index}]`;
      errors.push(
        ...validateContainer(container, at, containerNames, volumeNames),
        ...(list === 'initContainers' && container.restartPolicy !== 'Always'
          ? validateOnceOnly(container, at)
          : validateProbes(container, at)),
        ...validatePorts(container.ports ?? [], spec.hostNetwork === true, `${at}.ports`),
      );
    }
  }
  errors.push(
    ...validatePodSecurity(spec.securityContext, `${path}.securityContext`),
    ...validateScheduling(spec, path),
    ...validateHostNames(spec, path),
  );
  if (spec.os !== undefined && !operatingSystems.includes(spec.os.name)) {
    errors.push(notSupported(`${path}.os`, spec.os.name, operatingSystems));
  }
  errors.push(
    ...validatePodResources(spec.resources, `${path}.resources`),
    ...validateContainerResources({ limits: spec.overhead }, `${path}.overhead`),
  );
  if (!restartPolicies.includes(spec.restartPolicy ?? '')) {
    errors.push(notSupported(`${path}.restartPolicy`, spec.restartPolicy, restartPolicies));
  }
  if (!dnsPolicies.includes(spec.dnsPolicy ?? '')) {
    errors.push(notSupported(`${path}.dnsPolicy`, spec.dnsPolicy, dnsPolicies));
  }
  if (spec.serviceAccountName !== undefined) {
    const name = spec.serviceAccountName;
    errors.push(
      ...dnsSubdomain(name, false).map((problem) => invalid(`${path}.serviceAccountName`, name, problem)),
    );
  }
  if (spec.nodeName !== undefined) {
    const name = spec.nodeName;
    errors.push(...dnsSubdomain(name, false).map((problem) => invalid(`${path}.nodeName`, name, problem)));
  }
  if (spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds < 1) {
    errors.push(
      invalid(
        `${path}.activeDeadlineSeconds`,
        spec.activeDeadlineSeconds,
        'must be between 1 and 2147483647, inclusive',
      ),
    );
  }
  return errors;
}

/** Of the pod as a whole, which has fewer resources than a container. */
function validatePodResources(resources: ResourceRequirements | undefined, path: string): FieldError[] {
  const { limits = {}, requests = {} } = resources ?? {};
  const errors: FieldError[] = [];
  for (const [list, amounts] of Object.entries({ limits, requests })) {
    for (const [name, amount] of Object.entries(amounts)) {
      if (!podResources.some((known) => name === known || (known.endsWith('-') && name.startsWith(known)))) {
        errors.push(notSupported(`${path}.${list}[${name}]`, name, podResources));
      }
      const limit = limits[name];
      if (list === 'requests' && limit !== undefined && compareQuantities(amount, limit) > 0) {
        errors.push(
          invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`),
        );
      }
    }
  }
  return errors;
}

const podResources = ['cpu', 'hugepages-', 'memory'];

function validateVolume(volume: Volume, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const [, ...extra] = sourcesOf(volume);
  for (const source of extra) {
    errors.push(forbiddenField(`${path}.${source}`, 'may not specify more than 1 volume type'));
  }
  if (volume.persistentVolumeClaim?.claimName === '') {
    errors.push(required(`${path}.persistentVolumeClaim.claimName`));
  }
  if (volume.configMap !== undefined && (volume.configMap.name ?? '') === '') {
    errors.push(required(`${path}.configMap.name`));
  }
  if (volume.secret !== undefined && (volume.secret.secretName ?? '') === '') {
    errors.push(required(`${path}.secret.secretName`));
  }
  if (volume.hostPath?.path === '') {
    errors.push(required(`${path}.hostPath.path`));
  }
  errors.push(...validateVolumeSources(volume, path));
  if (volume.ephemeral !== undefined) {
    const template = volume.ephemeral.volumeClaimTemplate;
    if (template === undefined) {
      errors.push(required(`${path}.ephemeral.volumeClaimTemplate`));
    } else {
      errors.push(...validateClaimSpec(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`));
    }
  }
  return errors;
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const operatingSystems = ['linux', 'windows'];
/** What some texts of a container may be. */
const containerWords: Readonly<Record<string, readonly string[]>> = {
  imagePullPolicy: ['Always', 'IfNotPresent', 'Never'],
  terminationMessagePolicy: ['File', 'FallbackToLogsOnError'],
};
const probeKinds = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

function validateProbes(container: Container, path: string): FieldError[] {
  return probeKinds.flatMap((kind) => validateProbe(kind, container[kind], path));
}

/** Containers that run to their end before the others have nobody who asks them. */
function validateOnceOnly(container: Container, path: string): FieldError[] {
  const given = ['lifecycle', ...probeKinds].filter((field) => container[field] !== undefined);
  return given.map((field) =>
    forbiddenField(`${path}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
  );
}

function validateContainer(
  container: Container,
  path: string,
  names: Set<string>,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (container.name === '') {
    errors.push(required(`${path}.name`));
  } else {
    const { name } = container;
    errors.push(...dnsLabel(name, false).map((problem) => invalid(`${path}.name`, name, problem)));
    if (names.has(name)) {
      errors.push(duplicate(`${path}.name`, name));
    }
    names.add(name);
  }
  const { image = '' } = container;
  if (image === '') {
    errors.push(required(`${path}.image`));
  } else if (image !== image.trim()) {
    errors.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  }
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = container.lifecycle?.[hook];
    if (handler !== undefined) {
      errors.push(...validateHandler(handler, `${path}.lifecycle.${hook}`));
    }
  }
  errors.push(
    ...validateEnvironment(container.env ?? [], `${path}.env`),
    ...validateVariableSources(container.envFrom ?? [], `${path}.envFrom`),
    ...validateContainerResources(container.resources, `${path}.resources`),
    ...validateContainerSecurity(container.securityContext, `${path}.securityContext`),
  );
  for (const [field, values] of Object.entries(containerWords)) {
    const value = container[field];
    if (typeof value === 'string' && !values.includes(value)) {
      errors.push(notSupported(`${path}.${field}`, value, values));
    }
  }
  const mountPaths = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const at = `${path}.volumeMounts[${index}]`;
    if (mount.name === '') {
      errors.push(required(`${at}.name`));
    } else if (!volumes.has(mount.name)) {
      errors.push(fieldNotFound(`${at}.name`, mount.name));
    }
    if (mount.mountPath === '') {
      errors.push(required(`${at}.mountPath`));
    }
    // The real server leaves out which of the mounts it is.
    const somewhere = `${path}.volumeMounts`;
    const { subPath = '', mountPropagation = 'None' } = mount;
    if (subPath.startsWith('/')) {
      errors.push(invalid(`${somewhere}.subPath`, subPath, 'must be a relative path'));
    }
    if (!propagations.includes(mountPropagation)) {
      errors.push(notSupported(`${somewhere}.mountPropagation`, mountPropagation, propagations));
    }
    if (mountPaths.has(mount.mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mount.mountPath, 'must be unique'));
    }
    mountPaths.add(mount.mountPath);
  }
  for (const [index, device] of (container.volumeDevices ?? []).entries()) {
    if (!volumes.has(device.name)) {
      errors.push(fieldNotFound(`${path}.volumeDevices[${index}].name`, device.name));
    }
  }
  return errors;
}
