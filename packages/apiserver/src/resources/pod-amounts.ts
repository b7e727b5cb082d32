import { type Amounts, addAmounts, greaterAmounts } from '../schema/amounts.ts';
import { compareQuantities } from '../schema/quantity.ts';
import type { Pod } from './pod-object.ts';
import type { Container, PodSpec, ResourceRequirements } from './pod-spec.ts';

/* What a pod as a whole asks for, and may have (k8s.io/component-helpers/resource). */

export interface PodAmountOptions {
  /** The overhead of the pod's RuntimeClass, too. */
  readonly withOverhead: boolean;
  /** What the kubelet has carried out counts where it is more than what is asked for. */
  readonly withStatus: boolean;
  /** Whether the pod's own amount of a resource counts in place of its containers'. */
  isOfPod(resource: string): boolean;
}

type Side = 'requests' | 'limits';
type Asking = Pick<Pod, 'spec' | 'status'>;

/** Whether a pod as a whole may ask for the resource. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** What the containers of a pod ask for, or may have, together. */
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
  // What has no limit gets none by its overhead.
  const limited = Object.entries(overhead).filter(
    ([name]) => limits[name] !== undefined && compareQuantities(limits[name], '0') !== 0,
  );
  return options.withOverhead ? addAmounts(limits, Object.fromEntries(limited)) : limits;
}

function ofPod({ spec }: Pod, side: Side, { isOfPod }: PodAmountOptions): Amounts {
  return Object.fromEntries(Object.entries(spec.resources?.[side] ?? {}).filter(([name]) => isOfPod(name)));
}

/** Containers run together, beside init containers that run on; other init containers run before them, one after the other. */
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
