import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  type KubernetesObject,
} from '@holdfast/core';
import { isAlreadyExists, type ApiClient } from '@holdfast/runtime';
import { liveAll, unusedButThere, withoutClass } from '../churn.ts';
import { lives } from '../lives.ts';
import { createPace } from '../pace.ts';
import { createWriter } from '../writer.ts';
import { readAuditLog } from './audit-log.ts';
import { hostilitiesOf } from './hostilities.ts';
import { hostileLives, isOwedDeletion, poison, type HostileSurroundings } from './lives.ts';
import { play } from './play.ts';
import { poisonMark } from './poison.ts';
import { hostileApps, openStage, type Stage } from './stage.ts';
import type { HostileRun } from './verdict.ts';

export interface HostileOptions {
  readonly minutes: number;
  /** The folder for the logs of the replicas and the audit log. */
  readonly folder: string;
}

/**
 * Writes per second of the soak itself: few enough that two cores can run four apps with two replicas each, a
 * control plane and the proxy.
 */
const changesPerSecond = 8;
const sampleInterval = 10_000;
const progressInterval = 60_000;
/** How long unreadable objects exist, and how often they are created. */
const poisonTime = 60_000;
const poisonInterval = 180_000;
/** The time within which the apps must do their work, whatever is going wrong, in milliseconds. */
const releaseLimit = 180_000;
const askInterval = 1_000;
/** Concurrent lives for each change per second: a life mostly waits. */
const livesPerChange = 5;

/**
 * Runs two replicas of each of the four apps against a real API server while everything keeps going wrong. In
 * any case it ends everything that it started.
 *
 * @throws the signal's reason when aborted; if the control plane does not start; if the API server refuses a
 *   change
 */
export async function soakHostile(
  { minutes, folder }: HostileOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<HostileRun> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const stage = await openStage(folder, say, undo);
    const { client, plane, proxy, driver, replicas } = stage;
    signal.throwIfAborted();
    const duration = minutes * 60_000;
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const writer = createWriter(client, createPace(changesPerSecond), ending);
    const accusations: string[] = [];
    const around: HostileSurroundings = {
      client,
      writer,
      driver,
      signal: ending,
      storageClassName: 'none',
      protection: true,
      releaseLimit,
      askInterval,
      accuse: (what) => {
        say(`ACCUSED: ${what}`);
        accusations.push(`${new Date().toISOString()} ${what}`);
      },
    };
    const faults = new Map<string, number>();
    const planned = hostilitiesOf(duration, {
      apps: hostileApps,
      replicas: replicas.map(({ name }) => name),
      withPlugin: stage.withPlugin,
      random: Math.random,
    });
    say(`churning for ${String(minutes)} minutes at ${String(changesPerSecond)} changes a second`);
    const began = performance.now();
    const working = [
      liveAll([...lives, ...hostileLives], around, Math.ceil(changesPerSecond * livesPerChange)),
      poisonNowAndThen(around, duration),
      play(planned, stage, (kind) => faults.set(kind, (faults.get(kind) ?? 0) + 1), say, ending),
      sampleAll(stage, ending),
      showProgress(stage, () => writer.changes, faults, began, say, ending),
    ];
    try {
      await Promise.race([
        pause(duration, undefined, { signal: ending }),
        // A part that has finished must not end the run, but a part that fails must.
        ...working.map((part) => part.then(() => new Promise<never>(() => undefined))),
      ]);
    } catch (error) {
      over.abort();
      await Promise.allSettled(working);
      throw error;
    }
    const seconds = (performance.now() - began) / 1000;
    const { changes } = writer;
    over.abort();
    await Promise.all(working);
    proxy.heal();
    driver.heal();
    signal.throwIfAborted();
    say('the churn is over; waiting until the apps have done their work');
    await removeUnreadable(client);
    const unfinished = await settle(stage, signal);
    const exits = await Promise.all(replicas.map((replica) => replica.stop()));
    const auditLog = join(folder, 'audit.log');
    await copyFile(plane.auditLogFile ?? '', auditLog);
    const { answered429, answersLost, answersSlow, objectsPoisoned, refused401 } = proxy.counts;
    return {
      beganAt: stage.beganAt,
      seconds,
      apps: hostileApps.map((name) => ({
        name,
        lease: `holdfast-${name}`,
        replicas: replicas.filter(({ app }) => app === name).map((replica) => replica.name),
      })),
      changes,
      faults: {
        ...Object.fromEntries(faults),
        'answers 429': answered429,
        'answers lost after the write': answersLost,
        'answers slow': answersSlow,
        'answers with a poisoned object': objectsPoisoned,
        'answers 401': refused401,
      },
      planned: [
        ...new Set(planned.map(({ hostility }) => hostility.kind)),
        'answers 429',
        'answers lost after the write',
        'answers with a poisoned object',
        'answers 401',
      ],
      writes: await readAuditLog(auditLog),
      lives: replicas.flatMap((replica) => replica.lives),
      accusations,
      unfinished,
      strayLines: replicas.flatMap(({ strayLines }) => strayLines),
      errors: Object.fromEntries(replicas.map(({ name, errors }) => [name, Object.fromEntries(errors)])),
      exits,
    };
  } finally {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      await step();
    }
  }
}

/** In a namespace of its own: while a pod is unreadable, no claim of its namespace is released. */
async function poisonNowAndThen(around: HostileSurroundings, duration: number): Promise<void> {
  const { client, signal } = around;
  const namespace = 'soak-unreadable';
  await client.create(namespaces, undefined, { metadata: { name: namespace } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) {
      throw error;
    }
  });
  for (let round = 0; round * poisonInterval + poisonTime < duration; round++) {
    try {
      const [ended] = await Promise.allSettled([
        poison({ namespace, name: `data-${String(round)}` }, poisonTime, around),
        pause(poisonInterval, undefined, { signal }),
      ]);
      if (ended.status === 'rejected') {
        throw ended.reason;
      }
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      throw error;
    }
  }
}

/**
 * A life that stopped in the middle has left these objects, and unreadable objects hold up everything that
 * might depend on them.
 */
async function removeUnreadable(client: ApiClient): Promise<void> {
  for (const resource of [pods, statefulSets, persistentVolumeClaims, persistentVolumes]) {
    const { items } = await client.list<KubernetesObject>(resource);
    for (const { metadata } of items) {
      if (metadata.name.startsWith(poisonMark)) {
        const { name, namespace } = metadata;
        await client.delete(resource, namespace === undefined ? { name } : { name, namespace }, {
          gracePeriodSeconds: 0,
        });
      }
    }
  }
}

async function sampleAll({ replicas }: Stage, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await Promise.all(replicas.map((replica) => replica.sample()));
    await pause(sampleInterval, undefined, { signal }).catch(() => undefined);
  }
}

async function showProgress(
  { replicas, proxy }: Stage,
  changes: () => number,
  faults: ReadonlyMap<string, number>,
  began: number,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(progressInterval, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      return;
    }
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    const leaders = replicas.filter(({ leads }) => leads).map(({ name }) => name);
    const restarts = replicas.reduce((sum, { lives: all }) => sum + all.length - 1, 0);
    const sizes = replicas.map(({ lives: all }) => {
      const bytes = all.at(-1)?.footprints.at(-1)?.residentBytes ?? 0;
      return (bytes / 2 ** 20).toFixed(0);
    });
    const played = [...faults.values()].reduce((sum, times) => sum + times, 0);
    say(
      `${minutes} min: ${String(changes())} changes, ${String(played)} faults, ${String(proxy.counts.requests)} requests, ${String(restarts)} restarts, MiB ${sizes.join(' ')}, leaders ${leaders.join(' ')}`,
    );
  }
}

/** Returns the apps' unfinished work: none, or what is left when the time limit is over. */
async function settle({ client }: Stage, signal: AbortSignal): Promise<readonly string[]> {
  const deadline = performance.now() + releaseLimit;
  for (;;) {
    const { items } = await client.list(persistentVolumes);
    const unfinished = [
      ...(await unusedButThere(client)),
      ...(await withoutClass(client)),
      ...items
        .filter((volume) => isOwedDeletion(volume))
        .map(({ metadata }) => `volume ${metadata.name} is released, to be deleted, and there`),
    ];
    if (unfinished.length === 0 || performance.now() > deadline) {
      return unfinished;
    }
    await pause(1_000, undefined, { signal });
  }
}
