/**
 * One live look: the requests that read, from the API server itself, what a decision is based on.
 * {@link openLook} creates it; pass it to each of these requests and to the write that follows from them.
 */
export interface Look {
  /**
   * When the first of its requests was sent, in milliseconds of the client's clock; undefined until one was
   * answered. What was read is not older than this. Set by the client.
   */
  lookedAt: number | undefined;
  /** In milliseconds. A write based on an older look is not sent. */
  readonly maxAge: number;
  /**
   * Returns whether the write can still be sent, given what has become known since, for example from a watch.
   * It is asked whenever the age is judged. Use it for a write that cannot be undone. Default: only the age
   * counts.
   */
  readonly stillHolds?: () => boolean;
}

/**
 * Opens a look, which begins when its first request is sent: time spent waiting for the rate limit does not
 * age it.
 *
 *     const look = openLook();
 *     const live = await find(client, persistentVolumeClaims, ref, { look, signal });
 *     const decision = decide(snapshotOf(live));
 *     ...
 *     const written = await guardedWrite(() => client.patch(persistentVolumeClaims, ref, patch, { look, signal }));
 *
 * The client judges the look of a write before each try. It judges again in the same turn of the event loop
 * in which it hands the bytes to the socket: after the waits for the rate limit, for a Retry-After, for
 * credentials and for a connection, and after a freeze of the process. If the look is too old, the write
 * fails with {@link LookTooOld}; if {@link Look.stillHolds} returns false, it fails with
 * {@link LookOvertaken}. `guardedWrite` returns both as outdated.
 *
 * # What is left of the window
 * - From the look to the write: up to `maxAge`, in practice one round trip.
 * - After the bytes were handed over: the way through the kernel and the network, and the API server's own
 *   queues (priority and fairness lets a request wait for a quarter of its request timeout, 15 s by default).
 *   A process that is stopped (SIGSTOP, a frozen cgroup) between the judgement and the system call, some
 *   microseconds later, sends the bytes when it continues.
 * - The age is measured by a monotonic clock (`performance.now()`). That clock goes on while a process is
 *   stopped, but not while the machine sleeps, nor, under most hypervisors, while a virtual machine is
 *   paused. Such a pause is not noticed.
 *
 * So the write also carries guards of its own, which hold whatever its age: it tests what it replaces. The
 * age limits how long something *else* that the decision is based on can have changed unnoticed.
 *
 * # Progress under load
 * A look whose write is refused has cost requests, and so does the next look. If looks and writes waited in
 * the same queue, ten workers with `--kube-api-qps=1` would look forever and never write. Two rules prevent
 * this. A look is only as old as the response to its first request. And its later requests, including the
 * write, go ahead of other requests in the rate limit, and can take a token in advance, see
 * `TokenBucket.takeAhead`. So some look always reaches its write, whatever the rate and the number of
 * workers.
 *
 * During many 429s, a look begins with the try that is answered, and its write has as many tries as fit into
 * `maxAge`. A Retry-After is waited out even if the look will be too old then: the next look must not come
 * earlier than the server asked for.
 *
 * If many writes are based on one look, those that come too late are refused, and their keys return after the
 * queue's back-off. It is quicker to look again in time.
 *
 * @param options.maxAge default: 2000 milliseconds. A look and its write take two round trips, some 10 ms. A
 *   server under load answers within a second, and asks the client to return after one (its Retry-After is
 *   1). A longer age would only help a frozen process. A look that itself takes longer, such as a list of
 *   many pages, needs a longer one, since it is as old as its first page.
 */
export function openLook({ maxAge = 2_000 }: { readonly maxAge?: number } = {}): Look {
  return { lookedAt: undefined, maxAge };
}

/** A write was not sent, because the look that it is based on had grown too old: look again. */
export class LookTooOld extends Error {
  override readonly name = 'LookTooOld';
  /** Milliseconds. */
  readonly age: number;

  constructor(age: number, maxAge: number) {
    super(`not sent: its look was ${age.toFixed()} ms old, and ${String(maxAge)} ms are allowed; look again`);
    this.age = age;
  }
}

/** A write was not sent, because what its look showed is known to have changed: look again. */
export class LookOvertaken extends Error {
  override readonly name = 'LookOvertaken';

  constructor() {
    super('not sent: what its look has shown has changed since; look again');
  }
}

/** Returns whether a write was not sent because of its look. */
export function isLookOver(error: unknown): error is LookTooOld | LookOvertaken {
  return error instanceof LookTooOld || error instanceof LookOvertaken;
}

/**
 * Judges a look right before an act that is based on it. The client does so for its own writes. Use this for
 * acts that do not go through the client, such as a gRPC call.
 *
 * @param now of the clock that the client uses (`systemClock`, if `connect` created it with its default).
 * @throws LookTooOld if the look is too old; LookOvertaken if it no longer holds; Error if none of its
 *   requests was answered, which is a bug in the program.
 */
export function checkLook({ lookedAt, maxAge, stillHolds }: Look, now: number): void {
  if (lookedAt === undefined) {
    throw new Error(
      'no request of the look that a write is based on was answered: pass the look to the reads too',
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
