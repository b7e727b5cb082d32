import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { collectionPath, leases, objectPath, type KubernetesObject } from '@holdfast/core';
import { processUsage } from '@holdfast/testing';
import { json } from '../cluster-api.ts';
import { endOfLog, startContestant } from '../contestant-process.ts';
import type { Contestant } from '../figures.ts';
import { orderOf } from '../race.ts';
import type { Arena } from '../round.ts';
import { settled } from '../settle.ts';
import type { Pair } from './start-comparison.ts';
import type { StartFigures, StartResult } from './start-figures.ts';
import { appStarter, managerStarter, type Starter } from './starter.ts';

export interface CompareStartsOptions {
  readonly pairs: readonly Pair[];
  readonly rounds: number;
  readonly arena: Arena;
  /** The absolute path of the folder with kube-controller-manager. */
  readonly binaries: string;
  /** The absolute paths of the bundles, by app. */
  readonly bundles: ReadonlyMap<string, string>;
  /** Called with what is being done. */
  readonly say: (line: string) => void;
}

/** Milliseconds between two readiness checks; each of them costs the contestant, too. */
const askEvery = 20;
const limit = 60_000;

/**
 * Runs one round for warming up, number 0, and then the rounds that count. In each, every app and its
 * counterpart are started and ended one after the other, taking turns in going first.
 *
 * @throws when interrupted, and if one ends by itself or is not ready after a minute, with the end of its log
 */
export async function* compareStarts(options: CompareStartsOptions): AsyncGenerator<StartResult> {
  const { pairs, rounds, arena, binaries, bundles, say } = options;
  const { kubeconfigFile, apiServerPid } = arena.plane;
  for (let round = 0; round <= rounds; round++) {
    for (const pair of pairs) {
      for (const contestant of orderOf(round)) {
        const { app } = pair;
        say(`${round === 0 ? 'warm-up' : `round ${String(round)}`}: ${contestant} for ${app}`);
        const starters: Readonly<Record<Contestant, () => Promise<Starter>>> = {
          holdfast: () => appStarter(pair, bundles.get(app) ?? '', kubeconfigFile),
          upstream: () => managerStarter(pair, binaries, kubeconfigFile),
        };
        await settled(apiServerPid, arena.signal);
        yield { round, app, contestant, figures: await start(await starters[contestant](), arena) };
      }
    }
  }
}

interface Lease extends KubernetesObject {
  readonly spec?: { readonly holderIdentity?: string };
}

async function start(starter: Starter, { plane, api, folder, signal }: Arena): Promise<StartFigures> {
  const path = collectionPath(leases, 'kube-system');
  await release(starter, api);
  const { metadata } = await api.get<{ readonly metadata: { readonly resourceVersion: string } }>(
    `${path}?limit=1`,
    json,
  );
  const seen: { ledAt?: number } = {};
  const watch = await api.watch(
    `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`,
    json,
    (event) => {
      const { metadata, spec } = event.object as Lease;
      if (metadata.name === starter.lease && (spec?.holderIdentity ?? '') !== '') {
        seen.ledAt ??= performance.now();
      }
    },
  );
  const logFile = join(folder, 'contestant.log');
  const before = (await processUsage(plane.apiServerPid)).cpuSeconds;
  const started = performance.now();
  const contestant = await startContestant(starter.program, folder, logFile);
  const over: { how?: string } = {};
  void contestant.ended.then((how) => {
    over.how = how;
  });
  try {
    while (!(seen.ledAt !== undefined && (await starter.isReady()))) {
      signal.throwIfAborted();
      if (over.how !== undefined || performance.now() - started > limit) {
        const what = over.how === undefined ? 'is not ready after a minute' : `ended (${over.how})`;
        throw new Error(
          `${starter.program.command} ${what}; the end of its log:\n${await endOfLog(logFile)}`,
        );
      }
      await Promise.race([pause(askEvery), watch.failed]);
    }
    const readySeconds = (performance.now() - started) / 1000;
    const { cpuSeconds, peakResidentBytes } = await processUsage(contestant.pid);
    const after = (await processUsage(plane.apiServerPid)).cpuSeconds;
    return {
      leaseSeconds: (seen.ledAt - started) / 1000,
      readySeconds,
      cpuSeconds,
      peakResidentBytes,
      apiServerCpuSeconds: after - before,
    };
  } finally {
    watch.close();
    await contestant.stop();
  }
}

/** kube-controller-manager keeps its lease when it ends, and the next one would have to wait for it. */
async function release({ lease }: Starter, api: Arena['api']): Promise<void> {
  const { items } = await api.get<{ readonly items: readonly Lease[] }>(
    collectionPath(leases, 'kube-system'),
    json,
  );
  if (items.some(({ metadata }) => metadata.name === lease)) {
    await api.delete(objectPath(leases, { namespace: 'kube-system', name: lease }));
  }
}
