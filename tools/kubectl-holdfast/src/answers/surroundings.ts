import type { WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import type { AssumableName } from '../command-line/request.ts';
import type { Assumed } from '../cluster/retainers.ts';

/** What the command line contains in addition to the request. */
export interface Surroundings {
  readonly namespace: string;
  readonly allNamespaces: boolean;
  readonly assume: ReadonlyMap<AssumableName, boolean>;
  /** Kinds of sets in addition to those that statefulset-pvc-retention is seen to manage. */
  readonly workloads: readonly WorkloadResource[];
}

export function assumedOf({ assume }: Surroundings): Assumed {
  const stock = stateOf(assume.get('kube-controller-manager'));
  const holdfast = stateOf(assume.get('statefulset-pvc-retention'));
  return { ...(stock === undefined ? {} : { stock }), ...(holdfast === undefined ? {} : { holdfast }) };
}

function stateOf(isOn: boolean | undefined): 'atWork' | 'absent' | undefined {
  return isOn === undefined ? undefined : isOn ? 'atWork' : 'absent';
}
