import type { Live, PodFacts } from './snapshot.ts';

/** What is known about the ordinal's pod. */
export type KnownPod =
  | ({ readonly kind: 'present' } & PodFacts)
  /** With its last UID, if its end was seen. */
  | { readonly kind: 'gone'; readonly lastUid: string | undefined };

/** Returns what the cache shows of the pod. */
export function knownPod(pod: PodFacts | undefined, lastUid: string | undefined): KnownPod {
  return pod === undefined ? { kind: 'gone', lastUid } : { kind: 'present', ...pod };
}

/**
 * Returns what the API server shows of the pod: one that has gone since the cache saw it is the last one
 * known, unless it is in doubt.
 */
export function knownLivePod(live: Live['pod'], cached: KnownPod): KnownPod {
  switch (live) {
    case 'notAsked':
      return cached;
    case 'gone': {
      const seen =
        cached.kind === 'present' && cached.ofWorkload && !cached.isInDoubt ? cached.uid : undefined;
      return { kind: 'gone', lastUid: cached.kind === 'gone' ? cached.lastUid : seen };
    }
    default:
      return knownPod(live, undefined);
  }
}
