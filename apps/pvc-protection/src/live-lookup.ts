import {
  claimUses,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from '@holdfast/core';
import type { Store } from '@holdfast/runtime';

/** What the API server itself has on the claims of a batch. Each call throws what its list throws; the next lists again. */
export interface LiveLookup {
  /** Pods of the claim's namespace that name it. */
  podsNaming(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<readonly Pod[]>;
  /** Nodes to which the claim's volume is attached. */
  nodesAttachedTo(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<ReadonlySet<string>>;
}

export interface LiveLookupOptions {
  /** Claims of one namespace. */
  readonly keys: readonly ObjectKey[];
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Whether a list that begins now may serve the claim. */
  readonly isServed: (claim: PersistentVolumeClaim) => boolean;
  /** Lists all pods of a namespace at their newest state. */
  readonly listPods: (namespace: string, signal: AbortSignal) => AsyncIterable<Pod>;
  /** Lists all attachments of the cluster likewise. */
  readonly listAttachments: (signal: AbortSignal) => AsyncIterable<VolumeAttachment>;
}

/**
 * One list of a namespace's pods serves all claims of a batch that it may serve, and one list of attachments those of them that
 * need one. A claim that could not be served when the list began gets a later list, which serves the others too.
 *
 * Before a terminating claim is released, only a list that began when the claim was terminating may serve it: until then a pod
 * could still be given the claim, and an earlier list would not have that pod.
 */
export function createLiveLookup(options: LiveLookupOptions): LiveLookup {
  const { keys, claims, isServed, listPods, listAttachments } = options;
  const served = (): readonly string[] =>
    keys.flatMap((key) => {
      const claim = claims.get(key);
      return claim !== undefined && isServed(claim) ? [claim.metadata.uid] : [];
    });
  const pods = shareAnswers(served, ({ metadata }, signal) =>
    podsByClaimName(listPods(metadata.namespace ?? '', signal)),
  );
  const attachments = shareAnswers(served, (_claim, signal) => nodesByVolume(listAttachments(signal)));

  return {
    podsNaming: async (claim, signal) => (await pods(claim, signal)).get(claim.metadata.name) ?? [],
    nodesAttachedTo: async (claim, signal) =>
      (await attachments(claim, signal)).get(claim.spec?.volumeName ?? '') ?? new Set(),
  };
}

/** Asks once for all claims that may share the answer at the time of asking. */
function shareAnswers<Answer>(
  served: () => readonly string[],
  ask: (claim: PersistentVolumeClaim, signal: AbortSignal) => Promise<Answer>,
): (claim: PersistentVolumeClaim, signal: AbortSignal) => Promise<Answer> {
  let question: { readonly covers: ReadonlySet<string>; readonly answer: Promise<Answer> } | undefined;
  return async (claim, signal) => {
    if (question?.covers.has(claim.metadata.uid) !== true) {
      question = { covers: new Set([claim.metadata.uid, ...served()]), answer: ask(claim, signal) };
    }
    const asked = question;
    try {
      return await asked.answer;
    } catch (error) {
      if (question === asked) {
        question = undefined;
      }
      throw error;
    }
  };
}

async function podsByClaimName(pods: AsyncIterable<Pod>): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const byName = new Map<string, Pod[]>();
  for await (const pod of pods) {
    for (const { claimName } of claimUses(pod)) {
      const naming = byName.get(claimName);
      if (naming === undefined) {
        byName.set(claimName, [pod]);
      } else {
        naming.push(pod);
      }
    }
  }
  return byName;
}

async function nodesByVolume(
  attachments: AsyncIterable<VolumeAttachment>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const byVolume = new Map<string, Set<string>>();
  for await (const { spec } of attachments) {
    const volume = spec.source.persistentVolumeName;
    if (volume !== undefined) {
      byVolume.set(volume, (byVolume.get(volume) ?? new Set()).add(spec.nodeName));
    }
  }
  return byVolume;
}
