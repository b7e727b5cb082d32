import type { Live, PodFacts } from './snapshot.ts';

/** What is known of the ordinal's pod. */
export type KnownPod =
  | { readonly kind: 'present'; readonly uid: string; readonly ofWorkload: boolean }
  /** With the UID that it had, where its end was seen. */
  | { readonly kind: 'gone'; readonly lastUid: string | undefined };

/** What the cache shows of it. */
export function knownPod(pod: PodFacts | undefined, lastUid: string | undefined): KnownPod {
  return pod === undefined ? { kind: 'gone', lastUid } : { kind: 'present', ...pod };
}

/** What the API server shows of it: a pod that has gone since the cache saw it is the last one known. */
export function knownLivePod(live: Live['pod'], cached: KnownPod): KnownPod {
  switch (live) {
    case 'notAsked':
      return cached;
    case 'gone': {
      const seen = cached.kind === 'present' && cached.ofWorkload ? cached.uid : undefined;
      return { kind: 'gone', lastUid: cached.kind === 'gone' ? cached.lastUid : seen };
    }
    default:
      return knownPod(live, undefined);
  }
}
