import { type Amounts, addAmounts, greaterAmounts } from '../schema/amounts.ts';
import { compareQuantities } from '../schema/quantity.ts';
import type { Pod } from './pod-object.ts';
import type { Container, PodSpec, ResourceRequirements } from './pod-spec.ts';

/* The total requests and limits of a pod (k8s.io/component-helpers/resource). */

export interface PodAmountOptions {
  /** Whether to add the overhead of the pod's RuntimeClass. */
  readonly withOverhead: boolean;
  /** Whether the resources that the kubelet has actually allocated count if they exceed the requests. */
  readonly withStatus: boolean;
  /** Whether the pod-level amount of a resource replaces the total of the containers. */
  isOfPod(resource: string): boolean;
}

type Side = 'requests' | 'limits';
type Asking = Pick<Pod, 'spec' | 'status'>;

/** Whether the resource may be set for the pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** The total requests or limits of a pod's containers. */
export function amountsOfContainers(spec: PodSpec, side: Side): Amounts {
  const options = { withOverhead: false, withStatus: false, isOfPod: () => false };
  return ofContainers({ spec, status: {} }, side, options);
}

export function podRequests(pod: Pod, options: PodAmountOptions): Amounts {
  const { overhead } = pod.spec;
  const requests = { ...ofContainers(pod, 'requests', options), ...ofPod(pod, 'requests', options) };
  return options.withOverhead && overhead !== undefined ? addAmounts(requests, overhead) : requests;
}

export function podLimits(pod: Pod, options: PodAmountOptions): Amounts {
  const { overhead = {} } = pod.spec;
  const limits: Amounts = { ...ofContainers(pod, 'limits', options), ...ofPod(pod, 'limits', options) };
  // A resource without a limit does not get one from the overhead.
  const limited = Object.entries(overhead).filter(
    ([name]) => limits[name] !== undefined && compareQuantities(limits[name], '0') !== 0,
  );
  return options.withOverhead ? addAmounts(limits, Object.fromEntries(limited)) : limits;
}

function ofPod({ spec }: Pod, side: Side, { isOfPod }: PodAmountOptions): Amounts {
  return Object.fromEntries(Object.entries(spec.resources?.[side] ?? {}).filter(([name]) => isOfPod(name)));
}

/**
 * Containers and sidecars run at the same time. Before them, other init containers run one after the other,
 * next to the sidecars that are already running.
 */
function ofContainers(pod: Asking, side: Side, options: PodAmountOptions): Amounts {
  const { containers, initContainers } = pod.spec;
  let together: Amounts = {};
  for (const container of containers ?? []) {
    together = addAmounts(together, ofContainer(pod, container, side, options));
  }
  let runningOn: Amounts = {};
  let before: Amounts = {};
  for (const container of initContainers ?? []) {
    const own = ofContainer(pod, container, side, options);
    if (container.restartPolicy === 'Always') {
      together = addAmounts(together, own);
      runningOn = addAmounts(runningOn, own);
      before = greaterAmounts(before, runningOn);
    } else {
      before = greaterAmounts(before, addAmounts(own, runningOn));
    }
  }
  return greaterAmounts(together, before);
}

function ofContainer(
  { spec, status }: Asking,
  container: Container,
  side: Side,
  { withStatus }: PodAmountOptions,
): Amounts {
  const asked: Amounts = container.resources[side] ?? {};
  const isInit = spec.initContainers?.includes(container) === true;
  if (!withStatus || (isInit && container.restartPolicy !== 'Always')) {
    return asked;
  }
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const found = statuses.find(({ name }) => name === container.name) as
    { resources?: ResourceRequirements; allocatedResources?: Amounts } | undefined;
  if (found?.resources === undefined) {
    return asked;
  }
  const pending = status.conditions?.find(({ type }) => type === 'PodResizePending');
  const carriedOut: Amounts = found.resources[side] ?? {};
  const given = side === 'requests' ? greaterAmounts(carriedOut, found.allocatedResources ?? {}) : carriedOut;
  return pending?.reason === 'Infeasible' ? given : greaterAmounts(asked, given);
}
