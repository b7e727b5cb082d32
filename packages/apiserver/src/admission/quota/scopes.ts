import { isObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import type { Pod } from '../../resources/pod-object.ts';
import { qosClassOf } from '../../resources/quality-of-service.ts';

/* Decides which objects are in the scopes of a quota. */

export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether an object of a core resource is in the scope. Objects of other groups are in no scope. */
export function isInScope(plural: string, object: KubeObject, requirement: ScopeRequirement): boolean {
  switch (plural) {
    case 'pods':
      return isPodInScope(object as Pod, requirement);
    case 'persistentvolumeclaims':
      return requirement.scopeName === 'VolumeAttributesClass' && matches(classesOf(object), requirement);
    default:
      return false;
  }
}

/** Whether the pod has an activeDeadlineSeconds. */
export function isTerminating({ spec }: Pod): boolean {
  return typeof spec['activeDeadlineSeconds'] === 'number' && spec['activeDeadlineSeconds'] >= 0;
}

function isPodInScope(pod: Pod, requirement: ScopeRequirement): boolean {
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return qosClassOf(pod.spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(pod.spec) !== 'BestEffort';
    case 'PriorityClass': {
      const { priorityClassName } = pod.spec;
      const isGiven = typeof priorityClassName === 'string' && priorityClassName !== '';
      return matches(isGiven ? [priorityClassName] : [], requirement);
    }
    case 'CrossNamespacePodAffinity':
      return reachesOut(pod);
    default:
      return false;
  }
}

/**
 * Whether the names satisfy a requirement, as in a label selector. One matching name is enough for In and
 * NotIn; without names, NotIn is satisfied too.
 */
function matches(names: readonly string[], { operator, values = [] }: ScopeRequirement): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !values.includes(name));
    default:
      return false;
  }
}

/** The VolumeAttributesClasses that a claim requests, has, or is being changed to. */
function classesOf({ spec, status }: KubeObject): readonly string[] {
  const asked = isObject(spec) ? spec['volumeAttributesClassName'] : undefined;
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus: modify } = isObject(status)
    ? status
    : {};
  const target = isObject(modify) ? modify['targetVolumeAttributesClassName'] : undefined;
  return [asked, current, target].filter((name) => typeof name === 'string' && name !== '') as string[];
}

interface AffinityTerm {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: object;
}

interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly podAffinityTerm: AffinityTerm;
  }[];
}

/** Whether the pod has affinity or anti-affinity to pods of other namespaces. */
function reachesOut({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = (spec['affinity'] ?? {}) as {
    podAffinity?: PodAffinity;
    podAntiAffinity?: PodAffinity;
  };
  return [podAffinity, podAntiAffinity]
    .flatMap((affinity) => [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        (term) => term.podAffinityTerm,
      ),
    ])
    .some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
    );
}
