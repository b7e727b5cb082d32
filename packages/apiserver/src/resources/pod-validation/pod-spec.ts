import {
  type FieldError,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../meta/field-error.ts';
import { validateLabels } from '../../meta/object-meta.ts';
import type { PodSpec } from '../pod-spec.ts';
import { validateAffinity } from './affinity.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers.ts';
import { eachContainer } from './each-container.ts';
import { validateReadinessGates, validateSchedulingGates } from './gates.ts';
import {
  validateHostAliases,
  validateHostNames,
  validateHostnameOverride,
  validateResolver,
} from './host-names.ts';
import { validateDnsSubdomain } from './name-errors.ts';
import { validateHostProcesses, validateOperatingSystem } from './operating-system.ts';
import { validatePodResources } from './pod-resources.ts';
import { validatePortsOnHost } from './ports.ts';
import { validateResourceClaims } from './resource-claims.ts';
import { validateContainerRequirements } from './resources.ts';
import { validatePodSecurity } from './security.ts';
import { validateTolerations } from './tolerations.ts';
import { validateSpreadConstraints } from './topology-spread.ts';
import { validateVolumes } from './volumes.ts';

/*
 * Validates the spec of a pod, as ValidatePodSpec in pkg/apis/core/validation does with the default feature
 * gates.
 */

/** What the validation of a spec depends on, apart from the spec. */
export interface SpecContext {
  readonly isPod: boolean;
  /** Undefined for a template. */
  readonly podName?: string | undefined;
  /** Whether the pod is the mirror of a static pod. */
  readonly isMirror?: boolean;
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];
const longestDeadline = 2 ** 31 - 1;
const noClaims: ReadonlySet<string> = new Set();

export function validatePodSpec(
  spec: PodSpec,
  path: string,
  { isPod, podName, isMirror = false }: SpecContext,
): FieldError[] {
  const { errors, valid } = validateVolumes(spec.volumes ?? [], { podName, isPod }, `${path}.volumes`);
  const { resourceClaims = [], containers, overhead } = spec;
  const claims =
    resourceClaims.length === 0
      ? noClaims
      : new Set(resourceClaims.map(({ name }) => name).filter((name) => name !== ''));
  const gracePeriod = spec.terminationGracePeriodSeconds ?? 0;
  const context = { spec, volumes: valid, claims, gracePeriod };
  return [
    ...errors,
    ...validateResourceClaims(resourceClaims, isMirror, `${path}.resourceClaims`),
    ...validateContainers(context, `${path}.containers`),
    ...validateInitContainers(context, `${path}.initContainers`),
    ...validateEphemeralContainers(context, `${path}.ephemeralContainers`),
    ...validatePodResources(spec, claims, `${path}.resources`),
    ...(spec.hostNetwork === true ? validatePortsOnHost(containers ?? [], isPod, `${path}.containers`) : []),
    ...oneOf(spec.restartPolicy ?? '', restartPolicies, `${path}.restartPolicy`),
    ...oneOf(spec.dnsPolicy ?? '', dnsPolicies, `${path}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...validatePodSecurity(spec.securityContext ?? {}, spec, `${path}.securityContext`),
    ...(spec.affinity === undefined ? [] : validateAffinity(spec.affinity, `${path}.affinity`)),
    ...validateResolver(spec, path),
    ...validateReadinessGates(spec.readinessGates ?? [], `${path}.readinessGates`),
    ...validateSchedulingGates(spec.schedulingGates ?? [], `${path}.schedulingGates`),
    ...validateSpreadConstraints(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
    ...validateHostProcesses(spec, path),
    ...(spec.hostUsers === false ? validateOwnUsers(spec, path) : []),
    ...validateHostnameOverride(spec, path),
    ...named(spec.serviceAccountName, `${path}.serviceAccountName`),
    ...named(spec.nodeName, `${path}.nodeName`),
    ...validateDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...validateHostNames(spec, path),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateHostAliases(spec, path),
    ...named(spec.priorityClassName, `${path}.priorityClassName`),
    ...(spec.runtimeClassName === undefined
      ? []
      : validateDnsSubdomain(spec.runtimeClassName, `${path}.runtimeClassName`)),
    ...(spec.preemptionPolicy === undefined
      ? []
      : oneOf(spec.preemptionPolicy, preemptionPolicies, `${path}.preemptionPolicy`)),
    ...(overhead === undefined
      ? []
      : validateContainerRequirements({ limits: overhead }, noClaims, `${path}.overhead`)),
    ...validateOperatingSystem(spec, path),
    ...validateFileReferences(spec, path),
  ];
}

function oneOf(value: string, values: readonly string[], at: string): FieldError[] {
  if (values.includes(value)) {
    return [];
  }
  return [value === '' ? required(at) : notSupported(at, value, values)];
}

function named(name = '', at: string): FieldError[] {
  return name === '' ? [] : validateDnsSubdomain(name, at);
}

function validateDeadline(seconds: number | undefined, at: string): FieldError[] {
  return seconds === undefined || (seconds >= 1 && seconds <= longestDeadline)
    ? []
    : [invalid(at, seconds, `must be between 1 and ${longestDeadline}, inclusive`)];
}

/** A pod with hostUsers false must not use the host's other namespaces, or block devices. */
function validateOwnUsers(spec: PodSpec, path: string): FieldError[] {
  const forbid = (at: string): FieldError => forbiddenField(at, 'when `hostUsers` is false');
  return [
    ...(spec.hostNetwork === true ? [forbid(`${path}.hostNetwork`)] : []),
    ...(spec.hostPID === true ? [forbid(`${path}.HostPID`)] : []),
    ...(spec.hostIPC === true ? [forbid(`${path}.HostIPC`)] : []),
    ...eachContainer(spec, path).flatMap(([{ volumeDevices = [] }, at]) =>
      volumeDevices.length === 0 ? [] : [forbid(`${at}.volumeDevices`)],
    ),
  ];
}

/** Files for variables are written by containers, so they must be in an emptyDir volume. */
function validateFileReferences(spec: PodSpec, path: string): FieldError[] {
  return eachContainer(spec, path).flatMap(([{ env = [] }, container]) =>
    env.flatMap(({ valueFrom }, index) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) {
        return [];
      }
      const at = `${container}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = spec.volumes?.findLast((each) => each.name === name);
      if (volume === undefined) {
        return [fieldNotFound(at, name)];
      }
      return volume.emptyDir === undefined
        ? [invalid(at, name, 'referenced volume must be of type emptyDir')]
        : [];
    }),
  );
}
