import { isScheduled, type Pod } from '@holdfast/core';
import { isReady, readySince } from './pod-state.ts';

/**
 * Decides which pods go first if there are too many (ActivePods and ActivePodsWithRanks of
 * pkg/controller/controller_utils.go). The first line in which two pods differ decides:
 *
 *     1  not bound to a node, then bound
 *     2  Pending, then Unknown, then Running
 *     3  not ready, then ready
 *     4  the lower `controller.kubernetes.io/pod-deletion-cost` (where ranks are asked for)
 *     5  on the node with more pods of the same family (where ranks are asked for)
 *     6  ready for the shorter time
 *     7  more restarts of a container, then of a sidecar
 *     8  younger
 *
 * With ranks, the times of lines 6 and 8 are compared by the binary logarithm of the age in nanoseconds. So
 * pods of about the same age go in the order of their UIDs, which is random (gate LogarithmicScaleDown).
 */
export interface Ranks {
  /** The number of active pods of the family on each node, by the node's name; '' for pods without a node. */
  readonly podsOnNode: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The pods in the order in which they should be deleted. */
export function inDeletionOrder(pods: readonly Pod[], ranks?: Ranks): readonly Pod[] {
  return pods.toSorted((a, b) => compare(a, b, ranks));
}

/** The number of pods of one family on each node, for {@link Ranks}. */
export function countByNode(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { spec } of pods) {
    const node = spec?.nodeName ?? '';
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

function compare(a: Pod, b: Pod, ranks: Ranks | undefined): number {
  const byState =
    Number(isScheduled(a)) - Number(isScheduled(b)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(a)) - Number(isReady(b));
  if (byState !== 0) {
    return byState;
  }
  if (ranks !== undefined) {
    const byRank = deletionCost(a) - deletionCost(b) || nodeRank(b, ranks) - nodeRank(a, ranks);
    if (byRank !== 0) {
      return byRank;
    }
  }
  if (isReady(a)) {
    const [ready, other] = [readySince(a), readySince(b)];
    if (ready !== other) {
      return compareTimes(ready, other, a, b, ranks);
    }
  }
  const byRestarts =
    restarts(b, 'regular') - restarts(a, 'regular') || restarts(b, 'sidecar') - restarts(a, 'sidecar');
  if (byRestarts !== 0) {
    return byRestarts;
  }
  const [made, other] = [creationTime(a), creationTime(b)];
  return made === other ? 0 : compareTimes(made, other, a, b, ranks);
}

const phases: readonly string[] = ['Pending', 'Unknown', 'Running'];

function phaseRank({ status }: Pod): number {
  return Math.max(0, phases.indexOf(status?.phase ?? ''));
}

/** 0 if there is no annotation, or if it is not a 32-bit integer. */
function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? '0';
  const cost = /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) < 2 ** 31 ? cost : 0;
}

function nodeRank({ spec }: Pod, { podsOnNode }: Ranks): number {
  return podsOnNode.get(spec?.nodeName ?? '') ?? 0;
}

/** The later time goes first, and an unknown time before all others. */
function compareTimes(
  time: number | undefined,
  other: number | undefined,
  a: Pod,
  b: Pod,
  ranks: Ranks | undefined,
): number {
  if (time === undefined || other === undefined) {
    return time === undefined ? -1 : 1;
  }
  if (ranks === undefined) {
    return other - time;
  }
  const difference = ageRank(time, ranks.now) - ageRank(other, ranks.now);
  return difference === 0 ? (a.metadata.uid < b.metadata.uid ? -1 : 1) : difference;
}

const nanosecondsInMillisecond = 1e6;

function ageRank(time: number, now: number): number {
  const age = now - time;
  return age > 0 ? Math.trunc(Math.log2(age * nanosecondsInMillisecond)) : -1;
}

function creationTime({ metadata }: Pod): number | undefined {
  const time: string | undefined = metadata.creationTimestamp;
  return time === undefined ? undefined : Date.parse(time);
}

function restarts({ spec, status }: Pod, of: 'regular' | 'sidecar'): number {
  const sidecars = new Set(
    (spec?.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => name),
  );
  const counted =
    of === 'regular'
      ? (status?.containerStatuses ?? [])
      : (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  return Math.max(0, ...counted.map(({ restartCount }) => restartCount));
}
