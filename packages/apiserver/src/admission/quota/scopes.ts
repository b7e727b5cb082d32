import { isObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import type { Pod } from '../../resources/pod-object.ts';
import { qosClassOf } from '../../resources/quality-of-service.ts';

/* Which objects a quota with scopes is about. */

export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether an object of a resource of the core group is within the scope. Objects of other resources are in none. */
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

/** Whether the pod has a deadline. */
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

/** As a label selector with one requirement: one of the names must match, or nothing at all. */
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

/** The VolumeAttributesClasses that a claim asks for, has, or is about to get. */
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

/** Whether the pod wants to be near pods of other namespaces, or away from them. */
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
