import {
  objectKey,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from '@holdfast/core';
import { openLook, systemClock, type Clock, type Look, type Store } from '@holdfast/runtime';
import { attachedNodes, type AttachedNodes } from './attached-nodes.ts';
import { claimsNamedBy } from './decide/pod-claims.ts';

/**
 * What the API server itself has about the claims of a batch. Each call throws what its list throws; the next
 * call lists again.
 */
export interface LiveLookup {
  /**
   * Returns the pods of the claim's namespace that name it.
   *
   * @throws StillListing if the list takes long: ask again in a moment.
   */
  podsNaming(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<LivePods>;
  /**
   * Returns the nodes to which the claim's volume is, or might be, attached; `anyNode` stands for all.
   *
   * @throws StillListing likewise.
   */
  nodesAttachedTo(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<LiveNodes>;
}

export interface LivePods {
  readonly pods: readonly Pod[];
  /** For the write that is based on them. */
  readonly look: Look;
}

export interface LiveNodes {
  readonly nodes: ReadonlySet<string>;
  /** For the write that is based on them. */
  readonly look: Look;
}

/** A list takes long. It continues while its claim is put off, so that no worker waits for it. */
export class StillListing extends Error {
  override readonly name = 'StillListing';
  /** When to ask again, in milliseconds. */
  readonly delay: number;
  /**
   * Whether the list has just become too old for any write before its end, or before the end of the other list that
   * is needed too. It says so to one claim, since thousands can wait for the same list.
   */
  readonly isInVain: boolean;

  constructor(delay: number, isInVain: boolean) {
    super('the list takes long, and goes on');
    this.delay = delay;
    this.isInVain = isInVain;
  }
}

export interface LiveLookupOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Returns whether a list that begins now can serve the claim. */
  readonly isServed: (claim: PersistentVolumeClaim) => boolean;
  /** Lists all pods of a namespace, at their newest state. */
  readonly listPods: (namespace: string, look: Look) => AsyncIterable<Pod>;
  /** Lists all attachments of the cluster likewise, in whatever shape. */
  readonly listAttachments: (look: Look) => AsyncIterable<VolumeAttachment>;
  /** The clock for how long a claim waits for a list. */
  readonly clock: Clock;
  /** The client's clock, by which looks age. Default: the machine's. */
  readonly lookClock?: Pick<Clock, 'now'>;
}

/** In milliseconds. No claim waits for a list that takes longer than this: each is put off. */
const patience = 5_000;
/**
 * A claim that is put off asks again after the first of these, but after the second from the one before it, in
 * milliseconds. If all of 30,000 claims asked each second, the process would do nothing else. 500 a second are more
 * than the API server is asked to release by default.
 */
const putOffFor = { least: 1_000, apart: 2 } as const;
/**
 * In milliseconds. A look is valid for at least the shortest of these, and for twice the time that its last
 * list took, if that is more. A write can be based on both lists, one after the other, so the time that the
 * other took counts too, if it was listed within the longest of these: otherwise the first list would always
 * be too old when the second has ended. The longest is a limit, because a process that was frozen for an hour
 * during a list must not trust the next one for two.
 */
const shortestAge = 2_000;
const longestAge = 128_000;
/**
 * How long it is remembered that a list took long, in milliseconds. Its namespace might be gone by then. If it is not,
 * one list is in vain.
 */
const remembered = 3_600_000;
/** In milliseconds. Two lists that take less are short enough for the shortest age, one after the other. */
const quick = shortestAge / 4;
/**
 * In milliseconds. A look with less time left is not handed out any more, since the write has to wait its
 * turn.
 */
const reserve = 1_000;

/**
 * Creates lookups that share lists. One list of a namespace's pods serves all claims of a batch that it can
 * serve, and one list of attachments serves those that need it. A claim that could not be served when the
 * list began gets a later list, which also serves the others.
 *
 * To release a terminating claim, a list can only serve claims that were terminating when it began. Until
 * then a pod could still get the claim, and that pod would not be in the list. These are the claims of the batch
 * that asks for the list, and those that were put off before: they come back one by one, and if a list served only
 * one of them, thousands would take days.
 *
 * A list does not belong to any of its waiting callers. It ends when all its pages have come, or when the
 * client gives one up, and its result serves later batches as long as its look is valid. There is at most one
 * list of a namespace under way.
 *
 * @returns a function that opens the lookup for a batch: claims of one namespace.
 */
export function createLiveLookups(options: LiveLookupOptions): (keys: readonly ObjectKey[]) => LiveLookup {
  const { claims, isServed, listPods, listAttachments, clock, lookClock = systemClock } = options;
  const served = (key: ObjectKey): string | undefined => {
    const claim = claims.get(key);
    return claim !== undefined && isServed(claim) ? claim.metadata.uid : undefined;
  };
  const clocks = { clock, lookClock };
  const pods: Lists<PodsByClaimName> = shareLists(
    clocks,
    served,
    (namespace, look) => podsByClaimName(listPods(namespace, look)),
    () => attachments.tookLately(ofCluster),
  );
  const attachments: Lists<AttachedNodes> = shareLists(
    clocks,
    served,
    (_all, look) => attachedNodes(listAttachments(look)),
    ({ metadata: { namespace = '' } }) => pods.tookLately(namespace),
  );
  return (keys) => {
    const askPods = pods.open(keys);
    const askAttachments = attachments.open(keys);
    return {
      podsNaming: async (claim, signal) => {
        const { name, namespace = '' } = claim.metadata;
        const { value, look } = await askPods(claim, namespace, signal);
        return { pods: value.get(name) ?? [], look };
      },
      nodesAttachedTo: async (claim, signal) => {
        const { spec } = claim;
        const { value, look } = await askAttachments(claim, ofCluster, signal);
        return { nodes: value(spec?.volumeName ?? ''), look };
      },
    };
  };
}

/** The scope of attachments. */
const ofCluster = '';

/** Returns the one of two looks that becomes too old first, for a write that is based on both. */
export function firstToAge(one: Look, other: Look): Look {
  const end = ({ lookedAt = 0, maxAge }: Look): number => lookedAt + maxAge;
  return end(one) <= end(other) ? one : other;
}

interface Answer<T> {
  readonly value: T;
  readonly look: Look;
}

interface Question<T> {
  /** UIDs of the claims that can share the result. */
  readonly covers: ReadonlySet<string>;
  readonly look: Look;
  readonly answer: Promise<Answer<T>>;
  /** By the clock for waiting. */
  readonly begunAt: number;
  /** When it is too late for a write to rest on its answer and on that of the other list, by the same clock. */
  readonly inVainAt: number;
  /** When the last of the claims asks again that were put off, by the same clock. */
  asksAgainAt: number;
  /** Whether a claim was told that it takes too long for any write. */
  isKnownInVain: boolean;
  isOver: boolean;
  /** Set once a caller has received the failure, so that the next one lists again. */
  hasFailed: boolean;
}

type Ask<T> = (claim: PersistentVolumeClaim, scope: string, signal: AbortSignal) => Promise<Answer<T>>;

interface Lists<T> {
  open(batch: readonly ObjectKey[]): Ask<T>;
  /** Returns how long the last list of a scope took, in milliseconds; 0 if it was quick, or is long past. */
  tookLately(scope: string): number;
}

/**
 * Asks a question about a scope once for all claims that can share the answer when it is asked.
 *
 * @param served returns the claim's UID if a question that is put now can serve it.
 * @param beside returns how long the other list that a claim might need took lately, in milliseconds.
 */
function shareLists<T>(
  { clock, lookClock }: { readonly clock: Clock; readonly lookClock: Pick<Clock, 'now'> },
  served: (key: ObjectKey) => string | undefined,
  put: (scope: string, look: Look) => Promise<T>,
  beside: (claim: PersistentVolumeClaim) => number,
): Lists<T> {
  /** Questions under way, and answers that came too late for their waiting callers. */
  const shared = new Map<string, Question<T>>();
  /** How long the last list of a scope took, if that matters, and when it ended; in the order of that time. */
  const took = new Map<string, { readonly duration: number; readonly endedAt: number }>();
  /**
   * The claims that were put off and have had no answer since. They come back over a minute if they are many, and
   * the answer to one question does not last as long, so each question covers all of them.
   */
  const waiting = new Map<string, { readonly keys: Set<ObjectKey>; until: number }>();

  const isGood = ({ isOver, hasFailed, look: { lookedAt = -Infinity, maxAge } }: Question<T>): boolean =>
    !isOver || (!hasFailed && lookClock.now() - lookedAt <= maxAge - reserve);

  const noteWaiting = (scope: string, key: ObjectKey): void => {
    const known = waiting.get(scope) ?? { keys: new Set(), until: 0 };
    known.keys.add(key);
    known.until = clock.now() + longestAge;
    waiting.set(scope, known);
  };

  const begin = (scope: string, claim: PersistentVolumeClaim, batch: readonly ObjectKey[]): Question<T> => {
    const covers = new Set([claim.metadata.uid]);
    const late = waiting.get(scope)?.keys ?? new Set();
    for (const key of [...batch, ...late]) {
      const each = served(key);
      if (each === undefined) {
        late.delete(key);
      } else {
        covers.add(each);
      }
    }
    const duringOther = beside(claim);
    const duration = (took.get(scope)?.duration ?? 0) + duringOther;
    const look = openLook({ maxAge: Math.min(Math.max(shortestAge, 2 * duration), longestAge) });
    const end = (): void => {
      question.isOver = true;
      const endedAt = lookClock.now();
      const duration = endedAt - (look.lookedAt ?? endedAt);
      took.delete(scope);
      if (duration > quick) {
        took.set(scope, { duration, endedAt });
      }
      // No other question can have replaced it, since none was begun while it was under way.
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
      inVainAt: clock.now() + longestAge - duringOther,
      asksAgainAt: -Infinity,
      isKnownInVain: false,
      isOver: false,
      hasFailed: false,
    };
    // The waiting callers might be gone.
    question.answer.catch(() => undefined);
    shared.set(scope, question);
    return question;
  };

  const open = (batch: readonly ObjectKey[]): Ask<T> => {
    for (const [known, question] of shared) {
      if (!isGood(question)) {
        shared.delete(known);
      }
    }
    for (const [scope, { endedAt }] of took) {
      if (lookClock.now() - endedAt <= remembered) {
        break;
      }
      took.delete(scope);
    }
    for (const [scope, { until }] of waiting) {
      if (clock.now() > until) {
        waiting.delete(scope);
      }
    }
    let own: Question<T> | undefined;
    const ask: Ask<T> = async (claim, scope, signal) => {
      const { uid } = claim.metadata;
      for (;;) {
        const known = own !== undefined && isGood(own) && own.covers.has(uid) ? own : shared.get(scope);
        if (known !== undefined && isGood(known)) {
          if (known.covers.has(uid)) {
            own = known;
            return await (known.isOver ? known.answer : waitFor(known, known.answer, clock, signal));
          }
          if (!known.isOver) {
            // It began too early for this claim, which does not care whether it fails.
            await waitFor(known, known.answer.then(ignore, ignore), clock, signal);
            continue;
          }
        }
        own = begin(scope, claim, batch);
      }
    };
    return async (claim, scope, signal) => {
      const key = objectKey(claim);
      try {
        const answer = await ask(claim, scope, signal);
        waiting.get(scope)?.keys.delete(key);
        return answer;
      } catch (error) {
        if (error instanceof StillListing) {
          noteWaiting(scope, key);
        }
        throw error;
      }
    };
  };

  return {
    open,
    tookLately: (scope) => {
      const last = took.get(scope);
      return last !== undefined && lookClock.now() - last.endedAt <= longestAge ? last.duration : 0;
    },
  };
}

function ignore(): void {
  // Only the end of the question matters.
}

/** @throws StillListing if it takes too long; the signal's reason when aborted. */
function waitFor<T>(
  question: Pick<Question<T>, 'begunAt' | 'inVainAt' | 'asksAgainAt' | 'isKnownInVain'>,
  answer: Promise<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  const left = question.begunAt + patience - clock.now();
  if (left <= 0) {
    // Otherwise each of hundreds of claims would occupy a worker for as long as the first one did.
    return Promise.reject(putOff(question, clock));
  }
  return new Promise((resolve, reject) => {
    const timer = clock.after(left, () => leave(() => reject(putOff(question, clock))));
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

function putOff(
  question: Pick<Question<unknown>, 'inVainAt' | 'asksAgainAt' | 'isKnownInVain'>,
  clock: Clock,
): StillListing {
  const now = clock.now();
  question.asksAgainAt = Math.max(now + putOffFor.least, question.asksAgainAt + putOffFor.apart);
  const isInVain = !question.isKnownInVain && now > question.inVainAt;
  question.isKnownInVain ||= isInVain;
  return new StillListing(question.asksAgainAt - now, isInVain);
}

type PodsByClaimName = ReadonlyMap<string, readonly Pod[]>;

async function podsByClaimName(pods: AsyncIterable<Pod>): Promise<PodsByClaimName> {
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
