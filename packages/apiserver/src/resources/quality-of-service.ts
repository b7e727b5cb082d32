import { addQuantities, compareQuantities } from '../schema/quantity.ts';
import type { PodSpec } from './pod-spec.ts';

type Amounts = ReadonlyMap<string, string>;

const computed = ['cpu', 'memory'] as const;

/**
 * The QoS class of a pod whose defaults are set: Guaranteed, Burstable or BestEffort. Resources of the pod itself count
 * instead of those of its containers, even if they are empty.
 */
export function qosClassOf({ resources, containers, initContainers }: PodSpec): string {
  const asking =
    resources === undefined
      ? [...(containers ?? []), ...(initContainers ?? [])].map((container) => container.resources)
      : [resources];
  const requests = sumOf(asking.map((each) => each.requests));
  const limits = sumOf(asking.map((each) => each.limits));
  if (requests.size === 0 && limits.size === 0) {
    return 'BestEffort';
  }
  const isGuaranteed =
    asking.every((each) => sumOf([each.limits]).size === computed.length) &&
    computed.every((name) => isSame(requests.get(name), limits.get(name)));
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** The sums of CPU and memory. What nobody asks for more than zero of is left out. */
function sumOf(lists: readonly ({ readonly [resource: string]: string } | undefined)[]): Amounts {
  const sums = new Map<string, string>();
  for (const list of lists) {
    for (const name of computed) {
      const amount = list?.[name];
      if (amount !== undefined && compareQuantities(amount, '0') > 0) {
        sums.set(name, addQuantities(sums.get(name) ?? '0', amount));
      }
    }
  }
  return sums;
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
}
