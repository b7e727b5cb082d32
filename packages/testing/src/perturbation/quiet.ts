import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '@holdfast/apiserver';
import type { Activity } from './activity.ts';
import type { ProbeAnswer } from './operator.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Replica, Replicas } from './replicas.ts';
import type { Furniture } from './scenario.ts';
import { Verdict } from './verdict.ts';

/** Those of a world who might have something to do. */
export interface QuietOptions {
  readonly probe: (process: OperatorProcess) => Promise<ProbeAnswer>;
  readonly storage: Storage;
  readonly furniture: Furniture;
  readonly replicas: Replicas;
  readonly activity: Activity;
  /** How many perturbations are being carried out: nothing is quiet meanwhile. */
  readonly atWork: () => number;
  /** What ends the wait. */
  readonly verdict: () => Verdict | undefined;
  /** Nobody needs the quiet any more. Default: somebody does. */
  readonly isCalledOff?: () => boolean;
}

/** What is quiet must be so for this long, milliseconds: what a process was sent is then read, and what it has sent has come. */
const calm = 3;
/** A world in which nothing goes on for so long is not going to come to rest, and none comes to rest that takes longer than that in all. Milliseconds. */
const limits = { withoutGoingOn: 30_000, inAll: 120_000 };

/**
 * Resolves when nobody in the world has anything left to do: no process of the operator has a request under way, each of its watches is open and has brought
 * all that there is, the stock controllers are idle, and the operator says that it is, twice. Processes that are frozen do not count.
 *
 * A retry that waits for its delay is not seen.
 *
 * @throws Verdict the world's, as soon as there is one; `stuck` when it takes too long.
 */
export async function untilQuiet(options: QuietOptions): Promise<void> {
  const { probe, furniture, replicas, activity, atWork, verdict, isCalledOff = () => false } = options;
  const begun = performance.now();
  while (!isCalledOff()) {
    const found = verdict();
    if (found !== undefined) {
      throw found;
    }
    const now = performance.now();
    if (now > Math.max(begun, activity.wentOnAt) + limits.withoutGoingOn || now > begun + limits.inAll) {
      throw new Verdict('stuck', `no rest: ${busyWith(replicas)}`);
    }
    const before = activity.count;
    const areBusy = (): boolean => replicas.all.some((replica) => isBusy(replica, options.storage));
    if (atWork() > 0 || areBusy()) {
      await activity.next(20);
      continue;
    }
    await furniture.idle();
    if (!(await isIdle(probe, replicas))) {
      await activity.next(5);
      continue;
    }
    await sleep(calm);
    if ((await isIdle(probe, replicas)) && activity.count === before && !areBusy()) {
      return;
    }
  }
}

function isBusy({ process, proxy }: Replica, storage: Storage): boolean {
  return (
    !process.isFrozen &&
    (process.hasEnded ||
      proxy.underWay > 0 ||
      !proxy.areWatchesLevel(
        ({ group, resource, namespace, query }, received) =>
          // What a selector leaves out does not come.
          query.has('labelSelector') ||
          query.has('fieldSelector') ||
          storage
            .changesSince(group === '' ? resource : `${group}/${resource}`, received)
            .every(({ entry }) => namespace !== '' && entry.namespace !== namespace),
      ))
  );
}

async function isIdle(probe: QuietOptions['probe'], { all, elect }: Replicas): Promise<boolean> {
  const answers = await Promise.all(
    all.filter(({ process }) => !process.isFrozen).map(({ process }) => probe(process)),
  );
  return answers.every((each) => each.isIdle) && (!elect || answers.some(({ leads }) => leads === true));
}

function busyWith({ all }: Replicas): string {
  return all
    .map(({ process, proxy }) =>
      process.hasEnded
        ? `${process.name} has ended`
        : `${process.name} has ${String(proxy.underWay)} requests under way, and is ${proxy.isHolding ? '' : 'not '}kept from events`,
    )
    .join('; ');
}
