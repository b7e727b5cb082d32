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

/** The apps that the churn keeps busy. */
export const churnedApps = ['pvc-protection', 'retroactive-default-sc'] as const;
export type ChurnedApp = (typeof churnedApps)[number];

/** What the churn looks like to one app. */
interface Kind {
  /** The class of every claim; undefined for none, so that the claim has to get the default one. */
  readonly storageClassName: string | undefined;
  readonly protection: boolean;
  /** Returns the app's unfinished work, one line each. */
  readonly unfinished: (client: ApiClient) => Promise<readonly string[]>;
}

const kinds: Readonly<Record<ChurnedApp, Kind>> = {
  'pvc-protection': { storageClassName: 'none', protection: true, unfinished: unusedButThere },
  'retroactive-default-sc': { storageClassName: undefined, protection: false, unfinished: withoutClass },
};

/** Claims and pods that come and go until the run ends. */
export interface Churn {
  /** The number of changes that took effect. */
  readonly changes: number;
  /** The number of requests that were sent again because the API server was down. */
  readonly retries: number;
  /** What the app did wrong, one line each. */
  readonly accusations: readonly string[];
  /**
   * Plays lives until aborted, which stops each of them where it is.
   *
   * @throws ApiError if the API server refuses a change
   */
  run(): Promise<void>;
  /** Returns what the app still has to do about the remaining objects, one line each; call it after `run`. */
  unfinished(): Promise<readonly string[]>;
}

const namespaceCount = 10;

const releaseLimit = 60_000;
const askInterval = 250;

/**
 * Seconds between two changes of a life at the full rate: long enough for the app to see the state between
 * them, short enough to fit many lives into a run.
 */
const betweenChangesOfALife = 2;

/** Creates the namespaces, and the default class that `retroactive-default-sc` assigns. */
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

/**
 * @param betweenChanges seconds between two changes of a life; the rate times this is the number of
 *   concurrent lives
 */
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

/**
 * Plays lives until aborted, one after the other in each of the concurrent slots. The kinds take turns, and
 * each life has a name of its own.
 */
export async function liveAll<Around extends Surroundings>(
  kinds: readonly Life<Around>[],
  around: Around,
  atOnce: number,
): Promise<void> {
  const { signal } = around;
  // Each life that waits for a stuck claim adds a listener, so there can be many.
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
  // Pods are listed first. A pod that is created later is missed, but by then the claims that it uses are not
  // terminating.
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
