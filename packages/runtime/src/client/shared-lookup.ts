import { lookup as askResolver, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Looks up the addresses of a host, as `dns.lookup` does. */
export type Lookup = LookupFunction;

type Callback = Parameters<Lookup>[2];

/**
 * Creates a lookup that asks once for all who want to know the same at the same time.
 *
 * Node has two threads for lookups in the whole process. If the first name server is down, each lookup takes five
 * seconds. After a restart of the API server, that of the lease would wait behind those of dozens of watches and
 * requests. And one that a try gave up waiting for would be of no use to the next try, which would begin another.
 */
export function createSharedLookup(ask: Lookup): Lookup {
  const underWay = new Map<string, Callback[]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, choiceOf(options)]);
    const waiting = underWay.get(key);
    if (waiting !== undefined) {
      waiting.push(callback);
      return;
    }
    const all = [callback];
    underWay.set(key, all);
    ask(hostname, options, (...answer) => {
      underWay.delete(key);
      for (const each of all) {
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
