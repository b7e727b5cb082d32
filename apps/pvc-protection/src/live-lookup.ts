import {
  claimUses,
  isTerminating,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import type { LivePods } from './decide.ts';

/** What the API server itself says of the pods that name a claim. */
export interface LivePodsLookup {
  /** @throws what the list throws; the next call then asks again. */
  podsNaming(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<LivePods>;
}

interface Question {
  /** UIDs of the claims that were terminating when the question was put: only of these does the answer hold. */
  readonly covers: ReadonlySet<string>;
  readonly answer: Promise<ReadonlyMap<string, readonly Pod[]>>;
}

/**
 * One list of a namespace's pods serves all its terminating claims of a batch.
 *
 * A claim that was not terminating when the list began is not served by it: until then a pod could still be given the
 * claim, and that pod would not be in the list. Such a claim gets a list of its own time, which serves the others too.
 *
 * @param keys claims of one namespace.
 * @param listPods lists all pods of a namespace, from the API server and at its newest state.
 */
export function createLivePodsLookup(
  keys: readonly ObjectKey[],
  claims: Pick<Store<PersistentVolumeClaim>, 'get'>,
  listPods: (namespace: string, signal: AbortSignal) => AsyncIterable<readonly Pod[]>,
): LivePodsLookup {
  let question: Question | undefined;

  const ask = (namespace: string, claim: PersistentVolumeClaim, signal: AbortSignal): Question => {
    const covers = new Set([claim.metadata.uid]);
    for (const key of keys) {
      const other = claims.get(key);
      if (other !== undefined && isTerminating(other)) {
        covers.add(other.metadata.uid);
      }
    }
    return { covers, answer: podsByClaimName(listPods(namespace, signal)) };
  };

  return {
    podsNaming: async (claim, signal) => {
      const { uid, name, namespace = '' } = claim.metadata;
      if (question?.covers.has(uid) !== true) {
        question = ask(namespace, claim, signal);
      }
      const asked = question;
      try {
        return { claimUid: uid, pods: (await asked.answer).get(name) ?? [] };
      } catch (error) {
        if (question === asked) {
          question = undefined;
        }
        throw error;
      }
    },
  };
}

async function podsByClaimName(
  pages: AsyncIterable<readonly Pod[]>,
): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const byName = new Map<string, Pod[]>();
  for await (const pods of pages) {
    for (const pod of pods) {
      for (const { claimName } of claimUses(pod)) {
        const naming = byName.get(claimName);
        if (naming === undefined) {
          byName.set(claimName, [pod]);
        } else {
          naming.push(pod);
        }
      }
    }
  }
  return byName;
}
