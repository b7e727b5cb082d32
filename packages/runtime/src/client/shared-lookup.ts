import { lookup as askResolver, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Looks up the addresses of a host, as `dns.lookup` does. */
export type Lookup = LookupFunction;

type Callback = Parameters<Lookup>[2];

/** The lookups of one name that are under way, and who waits for the first answer. */
interface UnderWay {
  readonly waiting: Callback[];
  running: number;
  /** When the last one began, unless another has been answered since. */
  since: number;
}

/** Node has two threads for lookups in the whole process. */
const threads = 2;
/**
 * After how many milliseconds without an answer whoever comes next asks too. A resolver repeats a lost query after five
 * seconds, and one that waits for a local service perhaps never.
 */
const askedToo = 2_500;

/**
 * Creates a lookup that asks once for all who want to know the same at the same time, and twice if the answer takes
 * long. The first answer is that of all.
 *
 * If the first name server is down, each lookup takes five seconds, and Node has two threads for them. After a restart
 * of the API server, that of the lease would wait behind those of dozens of watches and requests. And a lookup that one
 * try gave up waiting for would be of no use to the next try, which would begin another.
 */
export function createSharedLookup(ask: Lookup, now: () => number = () => performance.now()): Lookup {
  const names = new Map<string, UnderWay>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, choiceOf(options)]);
    const name = names.get(key) ?? { waiting: [], running: 0, since: -Infinity };
    names.set(key, name);
    name.waiting.push(callback);
    if (name.running >= threads || now() - name.since < askedToo) {
      return;
    }
    name.running += 1;
    name.since = now();
    ask(hostname, options, (...answer) => {
      name.running -= 1;
      name.since = -Infinity;
      if (name.running === 0) {
        names.delete(key);
      }
      for (const each of name.waiting.splice(0)) {
        each(...answer);
      }
    });
  };
}

function choiceOf({ all, family, hints, order }: LookupOptions): unknown {
  return { all, family, hints, order };
}

/** The lookup that all connections of this process share. */
export const sharedLookup: Lookup = createSharedLookup((hostname, options, callback) =>
  askResolver(hostname, options, callback),
);
