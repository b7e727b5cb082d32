import { type ObjectKey, type PersistentVolumeClaim, type Pod, type VolumeAttachment } from '@holdfast/core';
import { openLook, systemClock, type Clock, type Look, type Store } from '@holdfast/runtime';
import { attachedNodes } from './attached-nodes.ts';
import { claimsNamedBy } from './decide/pod-claims.ts';

/** What the API server itself has on the claims of a batch. Each call throws what its list throws; the next lists again. */
export interface LiveLookup {
  /**
   * Pods of the claim's namespace that name it.
   *
   * @throws StillListing when the list takes long: ask again in a moment.
   */
  podsNaming(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<LivePods>;
  /**
   * Nodes to which the claim's volume is attached, or might be: `anyNode` is all.
   *
   * @throws StillListing likewise.
   */
  nodesAttachedTo(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<LiveNodes>;
}

export interface LivePods {
  readonly pods: readonly Pod[];
  /** For the write that rests on them. */
  readonly look: Look;
}

export interface LiveNodes {
  readonly nodes: ReadonlySet<string>;
  /** For the write that rests on them. */
  readonly look: Look;
}

/** A list takes long, and goes on while its claim is put off, so that no worker waits for it. */
export class StillListing extends Error {
  override readonly name = 'StillListing';
  /** When to ask again, milliseconds. */
  readonly delay = 1_000;
}

export interface LiveLookupOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Whether a list that begins now may serve the claim. */
  readonly isServed: (claim: PersistentVolumeClaim) => boolean;
  /** Lists all pods of a namespace, at their newest state. */
  readonly listPods: (namespace: string, look: Look) => AsyncIterable<Pod>;
  /** Lists all attachments of the cluster likewise, in whatever shape. */
  readonly listAttachments: (look: Look) => AsyncIterable<VolumeAttachment>;
  /** Of how long a claim waits for a list. */
  readonly clock: Clock;
  /** The client's clock, by which looks age. Default: the machine's. */
  readonly lookClock?: Pick<Clock, 'now'>;
}

/** A list that is under way for longer than this is waited for by no claim: each is put off. Milliseconds. */
const patience = 5_000;
/**
 * A look is good for the shortest of these, and for twice the time that its list took when it was made last, if that is more; but a
 * process that was frozen for an hour within a list must not trust the next for two. Milliseconds.
 */
const shortestAge = 2_000;
const longestAge = 128_000;
/** A look with less left than this is not handed out any more, since the write has to wait its turn. Milliseconds. */
const reserve = 1_000;

/**
 * One list of a namespace's pods serves all the claims of a batch that it may serve, and one list of attachments those of
 * them that need it. A claim that was not to be served when the list began gets a list of a later time, which serves the others too.
 *
 * To let a terminating claim go, only those may be served that were terminating when the list began: until then a pod could
 * still be given the claim, and that pod would not be in the list.
 *
 * A list belongs to none of those who wait for it: it ends when all its pages have come, or when the client gives one up, and its answer
 * is there for the batches that come after, as long as its look is good. At most one list of a namespace is under way.
 *
 * @returns opens the lookup for a batch: claims of one namespace.
 */
export function createLiveLookups(options: LiveLookupOptions): (keys: readonly ObjectKey[]) => LiveLookup {
  const { claims, isServed, listPods, listAttachments, clock, lookClock = systemClock } = options;
  const pods = shareLists(clock, lookClock, (namespace, look) => podsByClaimName(listPods(namespace, look)));
  const attachments = shareLists(clock, lookClock, (_all, look) => attachedNodes(listAttachments(look)));
  return (keys) => {
    const served = (): readonly string[] =>
      keys.flatMap((key) => {
        const claim = claims.get(key);
        return claim !== undefined && isServed(claim) ? [claim.metadata.uid] : [];
      });
    const askPods = pods(served);
    const askAttachments = attachments(served);
    return {
      podsNaming: async ({ metadata: { uid, name, namespace = '' } }, signal) => {
        const { value, look } = await askPods(uid, namespace, signal);
        return { pods: value.get(name) ?? [], look };
      },
      nodesAttachedTo: async ({ metadata: { uid }, spec }, signal) => {
        const { value, look } = await askAttachments(uid, '', signal);
        return { nodes: value(spec?.volumeName ?? ''), look };
      },
    };
  };
}

/** Of two looks that a write rests on, the one that is too old first. */
export function firstToAge(one: Look, other: Look): Look {
  const end = ({ lookedAt = 0, maxAge }: Look): number => lookedAt + maxAge;
  return end(one) <= end(other) ? one : other;
}

interface Answer<T> {
  readonly value: T;
  readonly look: Look;
}

interface Question<T> {
  /** UIDs of the claims that may share the answer. */
  readonly covers: ReadonlySet<string>;
  readonly look: Look;
  readonly answer: Promise<Answer<T>>;
  /** By the clock of the waiting. */
  readonly begunAt: number;
  isOver: boolean;
  /** Set once a caller has been given the failure, so that the next one lists anew. */
  hasFailed: boolean;
}

type Ask<T> = (uid: string, scope: string, signal: AbortSignal) => Promise<Answer<T>>;

/** Puts a question of a scope once for all claims that may share its answer when it is put. */
function shareLists<T>(
  clock: Clock,
  lookClock: Pick<Clock, 'now'>,
  put: (scope: string, look: Look) => Promise<T>,
): (served: () => readonly string[]) => Ask<T> {
  /** Questions under way, and answers that came too late for those who waited for them. */
  const shared = new Map<string, Question<T>>();
  /** How long the last list of a scope took, where that matters. */
  const took = new Map<string, number>();

  const isGood = ({ isOver, hasFailed, look: { lookedAt = -Infinity, maxAge } }: Question<T>): boolean =>
    !isOver || (!hasFailed && lookClock.now() - lookedAt <= maxAge - reserve);

  const begin = (scope: string, covers: ReadonlySet<string>): Question<T> => {
    const look = openLook({
      maxAge: Math.min(Math.max(shortestAge, 2 * (took.get(scope) ?? 0)), longestAge),
    });
    const end = (): void => {
      question.isOver = true;
      const duration = lookClock.now() - (look.lookedAt ?? lookClock.now());
      if (duration > shortestAge / 2) {
        took.set(scope, duration);
      } else {
        took.delete(scope);
      }
      // No other can have taken its place: as long as it was under way none was begun.
      if (duration < patience) {
        shared.delete(scope);
      }
    };
    const fail = (error: unknown): never => {
      question.isOver = true;
      question.hasFailed = true;
      throw error;
    };
    const question: Question<T> = {
      covers,
      look,
      answer: put(scope, look).then((value) => {
        end();
        return { value, look };
      }, fail),
      begunAt: clock.now(),
      isOver: false,
      hasFailed: false,
    };
    // Whoever waited may have gone.
    question.answer.catch(() => undefined);
    shared.set(scope, question);
    return question;
  };

  return (served) => {
    for (const [known, question] of shared) {
      if (!isGood(question)) {
        shared.delete(known);
      }
    }
    let own: Question<T> | undefined;
    return async (uid, scope, signal) => {
      for (;;) {
        const known = own !== undefined && isGood(own) && own.covers.has(uid) ? own : shared.get(scope);
        if (known !== undefined && isGood(known)) {
          if (known.covers.has(uid)) {
            own = known;
            return await (known.isOver ? known.answer : waitFor(known, known.answer, clock, signal));
          }
          if (!known.isOver) {
            // It began too early for this claim. Whether it fails is not this claim's business.
            await waitFor(known, known.answer.then(ignore, ignore), clock, signal);
            continue;
          }
        }
        own = begin(scope, new Set([uid, ...served()]));
      }
    };
  };
}

function ignore(): void {
  // Only its end is waited for.
}

/** @throws StillListing when it takes too long; the signal's reason when aborted. */
function waitFor<T>(
  { begunAt }: { readonly begunAt: number },
  answer: Promise<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  const left = begunAt + patience - clock.now();
  if (left <= 0) {
    // Each of hundreds of claims would otherwise keep a worker for as long as the first one did.
    return Promise.reject(stillListing());
  }
  return new Promise((resolve, reject) => {
    const timer = clock.after(left, () => leave(() => reject(stillListing())));
    const abort = (): void => leave(() => reject(signal.reason as Error));
    const leave = (how: () => void): void => {
      timer.cancel();
      signal.removeEventListener('abort', abort);
      how();
    };
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort);
    const arrived = (): void => leave(() => resolve(answer));
    answer.then(arrived, arrived);
  });
}

function stillListing(): StillListing {
  return new StillListing('the list takes long, and goes on');
}

async function podsByClaimName(pods: AsyncIterable<Pod>): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const byName = new Map<string, Pod[]>();
  for await (const pod of pods) {
    for (const claimName of claimsNamedBy(pod).keys()) {
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
