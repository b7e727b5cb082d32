import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '@holdfast/apiserver';
import type { Activity } from './activity.ts';
import type { ProbeAnswer } from './operator.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Replica, Replicas } from './replicas.ts';
import type { Furniture } from './scenario.ts';
import { Verdict } from './verdict.ts';

/** The parts of a world that might have something to do. */
export interface QuietOptions {
  readonly probe: (process: OperatorProcess) => Promise<ProbeAnswer>;
  readonly storage: Storage;
  readonly furniture: Furniture;
  readonly replicas: Replicas;
  readonly activity: Activity;
  /** How many perturbations are being carried out; meanwhile nothing counts as quiet. */
  readonly atWork: () => number;
  /** Returns the verdict that ends the wait, once there is one. */
  readonly verdict: () => Verdict | undefined;
  /** Whether the wait is no longer needed. Default: it is needed. */
  readonly isCalledOff?: () => boolean;
}

/**
 * The world must stay quiet for this many milliseconds, so that each process has read what it was sent, and
 * what it has sent has arrived.
 */
const calm = 3;
/**
 * The wait fails if nothing happens for `withoutGoingOn` milliseconds, or if the world takes longer than
 * `inAll` milliseconds to come to rest.
 */
const limits = { withoutGoingOn: 30_000, inAll: 120_000 };

/**
 * Resolves when nothing in the world has anything left to do: no process of the operator has a request in
 * flight, each of its watches is open and has delivered everything, the stock controllers are idle, and the
 * operator has reported twice that it is idle. Frozen processes do not count.
 *
 * A retry that waits for its back-off cannot be seen.
 *
 * @throws Verdict the world's verdict as soon as there is one; `stuck` if the wait takes too long
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
          // A watch with a selector does not deliver objects that the selector excludes.
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
