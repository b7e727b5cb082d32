import type { Json } from '../meta/json.ts';
import type { ContainerStatus, Pod } from './pod-object.ts';
import type { PodSpec } from './pod-spec.ts';
import { shortDuration, since } from './table-columns.ts';

/* The cells of a pod's table row, as printPod in pkg/printers/internalversion/printers.go makes them. */

export function podCells(pod: Pod, { now }: { readonly now: number }): readonly Json[] {
  const { metadata, spec, status } = pod;
  const { ready, total, restarts, lastRestart } = countContainers(pod);
  const gates = spec.readinessGates ?? [];
  const open = gates.filter((gate) =>
    status.conditions?.some(
      (condition) => condition.type === gate.conditionType && condition.status === 'True',
    ),
  );
  return [
    metadata.name ?? '',
    `${ready}/${total}`,
    statusWord(pod),
    restarts > 0 && lastRestart > 0
      ? `${restarts} (${shortDuration(now - lastRestart)} ago)`
      : String(restarts),
    since(metadata.creationTimestamp, now),
    status.podIPs?.[0]?.ip ?? '<none>',
    spec.nodeName ?? '<none>',
    status.nominatedNodeName ?? '<none>',
    gates.length === 0 ? '<none>' : `${open.length}/${gates.length}`,
  ];
}

interface ContainerCount {
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** When the last restarted container ended, in milliseconds since 1970; 0 if none did. */
  readonly lastRestart: number;
}

/**
 * Sidecars count like the other containers. While init containers are not done, only their restarts count.
 */
function countContainers({ spec, status }: Pod): ContainerCount {
  const sidecars = sidecarsOf(spec);
  const others = status.containerStatuses ?? [];
  const init = status.initContainerStatuses ?? [];
  const beside = init.filter(({ name }) => sidecars.has(name));
  const counted = init.some((container) => isInitializing(container, sidecars))
    ? init
    : [...beside, ...others];
  const isReady = (container: ContainerStatus): boolean => container.ready;
  const isRunning = ({ state }: ContainerStatus): boolean => state?.running !== undefined;
  return {
    ready:
      others.filter((container) => isReady(container) && isRunning(container)).length +
      beside.filter((container) => container.started === true && isReady(container)).length,
    total: (spec.containers ?? []).length + sidecars.size,
    restarts: counted.reduce((sum, { restartCount }) => sum + restartCount, 0),
    lastRestart: counted.reduce(
      (last, { lastState }) => Math.max(last, Date.parse(lastState?.terminated?.finishedAt ?? '') || 0),
      0,
    ),
  };
}

function sidecarsOf({ initContainers = [] }: PodSpec): ReadonlySet<string> {
  return new Set(
    initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
}

/** Whether later containers still wait for this init container. */
function isInitializing({ name, state, started }: ContainerStatus, sidecars: ReadonlySet<string>): boolean {
  return state?.terminated?.exitCode !== 0 && !(sidecars.has(name) && started === true);
}

function statusWord({ metadata, spec, status }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) {
    if (status.reason === 'NodeLost') {
      return 'Unknown';
    }
    if (status.phase !== 'Failed' && status.phase !== 'Succeeded') {
      return 'Terminating';
    }
  }
  const isGated = status.conditions?.some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  const sidecars = sidecarsOf(spec);
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const { terminated, waiting } = container.state ?? {};
    if (!isInitializing(container, sidecars)) {
      continue;
    }
    if (terminated !== undefined) {
      return `Init:${endWord(terminated)}`;
    }
    if (waiting?.reason !== undefined && waiting.reason !== 'PodInitializing') {
      return `Init:${waiting.reason}`;
    }
    return `Init:${index}/${(spec.initContainers ?? []).length}`;
  }
  let word = isGated === true ? 'SchedulingGated' : (status.reason ?? status.phase ?? '');
  let hasRunning = false;
  for (const container of [...(status.containerStatuses ?? [])].reverse()) {
    const { waiting, terminated } = container.state ?? {};
    if (waiting?.reason !== undefined) {
      word = waiting.reason;
    } else if (terminated !== undefined) {
      word = endWord(terminated);
    } else if (container.ready) {
      hasRunning = true;
    }
  }
  if (word === 'Completed' && hasRunning) {
    const isReady = status.conditions?.some(
      ({ type, status: value }) => type === 'Ready' && value === 'True',
    );
    return isReady === true ? 'Running' : 'NotReady';
  }
  return word;
}

function endWord(terminated: { reason?: string; signal?: number; exitCode: number }): string {
  if (terminated.reason !== undefined) {
    return terminated.reason;
  }
  return (terminated.signal ?? 0) !== 0 ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}
