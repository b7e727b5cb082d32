/**
 * One live look: the requests that read, from the API server itself, what a decision rests on. Made by {@link openLook}, and passed
 * to each of these requests and to the write that follows from them.
 */
export interface Look {
  /**
   * When the first of its requests left, milliseconds of the client's clock; undefined until one was answered. What was read
   * is not older than this. Set by the client.
   */
  lookedAt: number | undefined;
  /** A write that rests on an older look is not sent. Milliseconds. */
  readonly maxAge: number;
  /**
   * Whether a write may still be sent by what came to be known since, as by a watch; asked whenever the age is judged. For a write that can't be taken back.
   * Default: the age alone counts.
   */
  readonly stillHolds?: () => boolean;
}

/**
 * Opens a look, which begins when its first request leaves: time spent waiting for the rate limit does not make it older.
 *
 *     const look = openLook();
 *     const live = await find(client, persistentVolumeClaims, ref, { look, signal });
 *     const decision = decide(snapshotOf(live));
 *     ...
 *     const written = await guardedWrite(() => client.patch(persistentVolumeClaims, ref, patch, { look, signal }));
 *
 * The client judges the write's look before each try, and again in the same turn of the event loop in which the bytes are handed to the
 * socket: after the wait for the rate limit, for a Retry-After, for credentials and for a connection, and after a freeze
 * of the process. If the look is too old, the write fails with {@link LookTooOld}, which `guardedWrite` answers as outdated; so it does with
 * {@link LookOvertaken} when {@link Look.stillHolds} says no.
 *
 * # What is left of the window
 * - From the look to the write: up to `maxAge`, in practice one round trip.
 * - After the bytes were handed over: the way through the kernel and the network, and the API server's own queues (priority and
 *   fairness lets a request wait for a quarter of its request timeout, 15 s by default). A process that is stopped (SIGSTOP, a frozen cgroup)
 *   between the judgement and the system call, some microseconds later, sends the bytes when it goes on.
 * - The age is measured by a monotonic clock (`performance.now()`). It goes on while a process is stopped, but not while the machine
 *   sleeps, nor, under most hypervisors, while a virtual machine is paused: such a pause is not noticed.
 *
 * So the write carries guards of its own too, which hold whatever its age is: what it replaces is tested. The age bounds
 * how long something *else* that the decision rests on can have changed unseen.
 *
 * # Progress under load
 * A look that is refused its write costs requests, and so does the next. If looks and writes waited in one row, ten workers with
 * `--kube-api-qps=1` would look for ever and never write. So a look is only as old as its first request's answer, and its later requests,
 * the write among them, go ahead of other requests in the rate limit, and may take a token before it is there, see
 * `TokenBucket.takeAhead`: some look comes to its write whatever the rate and the number of workers are.
 *
 * In a storm of 429s a look begins with the try that is answered, and its write has the tries that fit into `maxAge`. A Retry-After is waited
 * out even if the look will be too old then: the next look must not come earlier than the server asked for.
 *
 * Of many writes that rest on one look, those that come too late are refused, and their keys come back with the queue's back-off.
 * It is quicker to look again in good time.
 *
 * @param options.maxAge default 2000 milliseconds: a look and its write take two round trips, some 10 ms; a server under load answers
 *   within a second, and asks to come back after one (its Retry-After is 1). Longer helps nobody but a frozen process. A look that takes
 *   longer by itself, such as a list of many pages, needs a longer one, since it is as old as its first page.
 */
export function openLook({ maxAge = 2_000 }: { readonly maxAge?: number } = {}): Look {
  return { lookedAt: undefined, maxAge };
}

/** A write was not sent, because the look that it rests on had grown too old: look again. */
export class LookTooOld extends Error {
  override readonly name = 'LookTooOld';
  /** Milliseconds. */
  readonly age: number;

  constructor(age: number, maxAge: number) {
    super(`not sent: its look was ${age.toFixed()} ms old, and ${String(maxAge)} ms are allowed; look again`);
    this.age = age;
  }
}

/** A write was not sent, because what its look has shown is known to be otherwise by now: look again. */
export class LookOvertaken extends Error {
  override readonly name = 'LookOvertaken';

  constructor() {
    super('not sent: what its look has shown has changed since; look again');
  }
}

/** A write was not sent for the sake of its look. */
export function isLookOver(error: unknown): error is LookTooOld | LookOvertaken {
  return error instanceof LookTooOld || error instanceof LookOvertaken;
}

/**
 * Judges a look right before something is done that rests on it. The client does so for its own writes; this is for what
 * leaves by another way, such as a gRPC call.
 *
 * @param now of the clock that the client has (`systemClock`, where it was made by `connect`).
 * @throws LookTooOld when it is older than it may be; LookOvertaken when it no longer holds; Error when none of its requests was answered, which is a mistake in the program.
 */
export function checkLook({ lookedAt, maxAge, stillHolds }: Look, now: number): void {
  if (lookedAt === undefined) {
    throw new Error(
      'a write rests on a look of which no request was answered: pass the look to the reads too',
    );
  }
  const age = now - lookedAt;
  if (age > maxAge) {
    throw new LookTooOld(age, maxAge);
  }
  if (stillHolds?.() === false) {
    throw new LookOvertaken();
  }
}
