import { setMaxListeners } from 'node:events';
import {
  claimUses,
  isScheduled,
  isTerminated,
  isTerminating,
  keyOf,
  namespaces as namespaceResource,
  objectKey,
  persistentVolumeClaims,
  pods,
  storageClasses,
} from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { lives, type Life, type Surroundings } from './lives.ts';
import { createPace } from './pace.ts';
import { createWriter } from './writer.ts';

/** The apps whose work the churn is. */
export const churnedApps = ['pvc-protection', 'retroactive-default-sc'] as const;
export type ChurnedApp = (typeof churnedApps)[number];

/** What the churn looks like to one app. */
interface Kind {
  /** Of every claim; undefined: none, so that the default one is owed to it. */
  readonly storageClassName: string | undefined;
  readonly protection: boolean;
  /** What the app still has to do, each in a line. */
  readonly unfinished: (client: ApiClient) => Promise<readonly string[]>;
}

const kinds: Readonly<Record<ChurnedApp, Kind>> = {
  'pvc-protection': { storageClassName: 'none', protection: true, unfinished: unusedButThere },
  'retroactive-default-sc': { storageClassName: undefined, protection: false, unfinished: withoutClass },
};

/** Claims and pods that come and go without end. */
export interface Churn {
  /** Changes that took effect. */
  readonly changes: number;
  /** Requests that were sent again because the API server was away. */
  readonly retries: number;
  /** What the app did wrong, each in a line. */
  readonly accusations: readonly string[];
  /** Lives until aborted, which stops each life where it is. @throws ApiError when the API server refuses a change. */
  run(): Promise<void>;
  /** What the app still has to do with what was left, each in a line; read after `run`. */
  unfinished(): Promise<readonly string[]>;
}

const namespaceCount = 10;

const releaseLimit = 60_000;
const askInterval = 250;

/**
 * Seconds between two changes of one life as long as the rate is kept: long enough for the app to see the state between them,
 * short enough for many lives.
 */
const betweenChangesOfALife = 2;

/** Namespaces, and the default class that `retroactive-default-sc` gives. */
export async function prepareChurn(client: ApiClient): Promise<void> {
  for (let index = 0; index < namespaceCount; index++) {
    await client.create(namespaceResource, undefined, { metadata: { name: namespaceName(index) } });
  }
  await client.create(storageClasses, undefined, {
    metadata: {
      name: 'standard',
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    provisioner: 'example.com/disk',
  });
}

/** @param betweenChanges seconds between two changes of one life; the rate times this is how many lives there are at once. */
export function createChurn(
  app: ChurnedApp,
  client: ApiClient,
  changesPerSecond: number,
  signal: AbortSignal,
  betweenChanges = betweenChangesOfALife,
): Churn {
  const { unfinished, ...style } = kinds[app];
  const accusations: string[] = [];
  const writer = createWriter(client, createPace(changesPerSecond), signal);
  const around = {
    client,
    writer,
    signal,
    ...style,
    releaseLimit,
    askInterval,
    accuse: (what: string) => void accusations.push(what),
  };

  return {
    get changes() {
      return writer.changes;
    },
    get retries() {
      return writer.retries;
    },
    accusations,
    run: async () => {
      await liveAll(lives, around, Math.ceil(changesPerSecond * betweenChanges));
    },
    unfinished: () => unfinished(client),
  };
}

/** Lives one life after the other, so many at once, each in its turn and under a name of its own, until aborted. */
export async function liveAll<Around extends Surroundings>(
  kinds: readonly Life<Around>[],
  around: Around,
  atOnce: number,
): Promise<void> {
  const { signal } = around;
  // Lives that wait for a stuck claim listen, as many as there are.
  setMaxListeners(0, signal);
  let count = 0;
  const liveOn = async (): Promise<void> => {
    for (;;) {
      const number = count++;
      const life = kinds[number % kinds.length];
      const ref = { namespace: namespaceName(number % namespaceCount), name: `data-${String(number)}` };
      try {
        await life?.(ref, around);
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, liveOn));
}

function namespaceName(index: number): string {
  return `soak-${String(index)}`;
}

export async function unusedButThere(client: ApiClient): Promise<readonly string[]> {
  // Pods first: one that is made later is not counted on, but claims that it would use are not terminating by then.
  const users = (await client.list(pods)).items.filter((pod) => isScheduled(pod) && !isTerminated(pod));
  const used = new Set(
    users.flatMap((pod) =>
      claimUses(pod).map(({ claimName }) =>
        keyOf({ namespace: pod.metadata.namespace ?? '', name: claimName }),
      ),
    ),
  );
  const { items } = await client.list(persistentVolumeClaims);
  return items
    .filter((claim) => isTerminating(claim) && !used.has(objectKey(claim)))
    .map((claim) => `claim ${objectKey(claim)} is terminating and unused, but there`);
}

export async function withoutClass(client: ApiClient): Promise<readonly string[]> {
  const { items } = await client.list(persistentVolumeClaims);
  return items
    .filter(({ spec }) => spec?.storageClassName === undefined)
    .map((claim) => `claim ${objectKey(claim)} has no storage class`);
}
