import { describe, expect, test } from '@jest/globals';
import {
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type ApiResource,
  type KubernetesObject,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  ApiError,
  createLogger,
  find,
  isForbidden,
  type ConnectedClient,
  type WatchEvent,
  type WatchOptions,
} from '@holdfast/runtime';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { NotFound } from '../src/cluster/not-found.ts';
import { followAnswers } from '../src/follow/follow-answers.ts';
import { followReads } from '../src/follow/followed-reads.ts';
import type { Answer } from '../src/output/print.ts';
import { claimOf, namespace, volumeOf } from './objects.ts';

const logger = await createLogger('test', { logLevel: 'error', logFormat: 'json', dryRun: false });

/** An API server's watches, by hand. */
function cluster(objects: readonly (readonly [ApiResource<KubernetesObject>, KubernetesObject])[]) {
  const watches = new Map<string, (event: WatchEvent<KubernetesObject>) => void>();
  const requests: string[] = [];
  const refused = new Set<string>();
  let version = 10;
  const forbid = (plural: string): void => {
    if (refused.has(plural)) {
      throw new ApiError(`LIST ${plural}`, 403, { reason: 'Forbidden', message: 'no' });
    }
  };
  const matching = (plural: string, fieldSelector = '') => {
    const name = fieldSelector.replace('metadata.name=', '');
    return objects.flatMap(([resource, object]) =>
      resource.plural === plural && (name === '' || object.metadata.name === name) ? [object] : [],
    );
  };
  const client = {
    watch: async (
      { plural }: { readonly plural: string },
      { fieldSelector = '', sendInitialEvents = false, signal }: WatchOptions,
      onEvent: (event: WatchEvent<KubernetesObject>, end: () => void) => void,
    ) => {
      const key = `${plural} ${fieldSelector}`.trim();
      requests.push(`${sendInitialEvents ? 'stream' : 'watch'} ${key}`);
      await Promise.resolve();
      forbid(plural);
      if (sendInitialEvents) {
        const end = () => undefined;
        matching(plural, fieldSelector).forEach((object) => onEvent({ type: 'ADDED', object }, end));
        onEvent({ type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: true }, end);
        return;
      }
      watches.set(key, (event) => onEvent(event, () => undefined));
      await new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve();
        }
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      watches.delete(key);
      signal.throwIfAborted();
    },
    list: async ({ plural }: { readonly plural: string }) => {
      requests.push(`list ${plural}`);
      await Promise.resolve();
      forbid(plural);
      return { metadata: { resourceVersion: '5' }, items: matching(plural) };
    },
    get: async ({ plural }: { readonly plural: string }, { name }: { readonly name: string }) => {
      requests.push(`get ${plural} ${name}`);
      await Promise.resolve();
      const [found] = matching(plural, name);
      if (found === undefined) {
        throw new ApiError('GET', 404, { reason: 'NotFound', details: { name, kind: plural } });
      }
      return found;
    },
    document: async (path: string) => {
      requests.push(path);
      return await Promise.resolve({ gitVersion: 'v1.36.3' });
    },
    serverTime: () => undefined,
  } as unknown as ConnectedClient;
  return {
    client,
    requests,
    refused,
    watches: () => [...watches.keys()].toSorted(),
    send: (key: string, type: 'MODIFIED' | 'DELETED', object: KubernetesObject) => {
      version += 1;
      const { metadata } = object;
      watches.get(key)?.({
        type,
        object: { ...object, metadata: { ...metadata, resourceVersion: String(version) } },
      });
    },
  };
}

const claim = claimOf(0);
const ref = { namespace, name: claim.metadata.name };
const key = `persistentvolumeclaims metadata.name=${claim.metadata.name}`;
const named = (name: string): PersistentVolumeClaim => ({
  ...claim,
  spec: { ...claim.spec, volumeName: name },
});

describe('reads', () => {
  const open = (objects: Parameters<typeof cluster>[0]) => {
    const fake = cluster(objects);
    const seen = { changes: 0, troubles: [] as string[] };
    const reads = followReads({
      client: fake.client,
      ...{ clock: createFakeClock(), logger },
      onChange: () => {
        seen.changes += 1;
      },
      onTrouble: (what) => seen.troubles.push(what),
    });
    return { ...fake, reads, seen };
  };

  test('the same again -> from memory, with what has changed; the API server is asked once', async () => {
    const { reads, seen, requests, send } = open([[persistentVolumeClaims, claim]]);
    const read = () => reads.round(() => find(reads.client, persistentVolumeClaims, ref));
    expect((await read())?.spec?.volumeName).toBe(claim.spec?.volumeName);
    expect(seen.changes).toBe(0);
    await settled();
    send(key, 'MODIFIED', named('pv-9'));
    expect(seen.changes).toBe(1);
    expect((await read())?.spec?.volumeName).toBe('pv-9');
    send(key, 'DELETED', claim);
    expect(await read()).toBeUndefined();
    expect(requests).toEqual([`stream ${key}`, `watch ${key}`]);
    await reads.close();
  });

  test('two lists that are alike, at once -> one watch; of another kind -> another', async () => {
    const { reads, watches } = open([[persistentVolumeClaims, claim]]);
    await reads.round(async () => {
      await Promise.all([
        reads.client.list(persistentVolumeClaims, { namespace }),
        reads.client.list(persistentVolumeClaims, { namespace }),
        reads.client.list(pods, { namespace }),
      ]);
    });
    await settled();
    expect(watches()).toEqual(['persistentvolumeclaims', 'pods']);
    await reads.close();
    expect(watches()).toStrictEqual([]);
  });

  test('what a round does not read any more -> its watch ends', async () => {
    const { reads, watches } = open([[persistentVolumes, volumeOf('Delete')]]);
    const read = (name: string) => reads.round(() => find(reads.client, persistentVolumes, { name }));
    for (let round = 0; round < 50; round += 1) {
      await read(`pv-${String(round)}`);
    }
    await settled();
    expect(watches()).toEqual(['persistentvolumes metadata.name=pv-49']);
    expect(reads.size).toBe(1);
    await reads.close();
  });

  test('may not be watched -> asked for once, and anew after a change', async () => {
    const volume = volumeOf('Delete');
    const { name } = volume.metadata;
    const { reads, requests, refused, send } = open([
      [persistentVolumeClaims, claim],
      [persistentVolumes, volume],
    ]);
    refused.add('persistentvolumes');
    const read = () =>
      reads.round(async () => {
        await find(reads.client, persistentVolumeClaims, ref);
        return find(reads.client, persistentVolumes, { name });
      });
    expect((await read())?.metadata.name).toBe(name);
    await read();
    const gets = () => requests.filter((each) => each === `get persistentvolumes ${name}`).length;
    expect(gets()).toBe(1);
    await settled();
    send(key, 'MODIFIED', claim);
    await read();
    expect(gets()).toBe(2);
    await reads.close();
  });

  test('may be neither watched nor asked for -> refused as by the API server', async () => {
    const { reads, refused } = open([]);
    refused.add('pods');
    const error: unknown = await reads
      .round(() => reads.client.list(pods, { namespace }))
      .catch((reason: unknown) => reason);
    expect(isForbidden(error)).toBe(true);
    await reads.close();
  });
});

describe('answers', () => {
  const stateOf = (found: PersistentVolumeClaim): Answer => ({
    ...{ object: { kind: 'Explanation' }, names: [], code: 0 },
    parts: [{ kind: 'text', lines: [String(found.spec?.volumeName)] }],
  });
  const followed = (
    objects: Parameters<typeof cluster>[0],
    {
      refused = [],
      asksAgain = false,
    }: { readonly refused?: readonly string[]; readonly asksAgain?: boolean } = {},
  ) => {
    const fake = cluster(objects);
    refused.forEach((plural) => fake.refused.add(plural));
    const clock = createFakeClock();
    const stop = new AbortController();
    const shown: string[] = [];
    const errors: unknown[] = [];
    const ended = followAnswers(
      {
        ...{ client: fake.client, clock, logger, asksAgain },
        ask: async (client) => {
          const found = await find(client, persistentVolumeClaims, ref);
          if (found === undefined) {
            throw new NotFound('persistentvolumeclaim', ref.name, namespace);
          }
          return stateOf(found);
        },
        show: async ({ parts: [part] }) => {
          shown.push(part?.kind === 'text' ? part.lines.join() : '');
          await Promise.resolve();
        },
        onTrouble: () => undefined,
        onError: (error) => errors.push(error),
      },
      stop.signal,
    );
    const pass = async (milliseconds: number) => {
      await settled();
      await clock.advance(milliseconds);
      await settled();
    };
    return { ...fake, ended, stop, shown, errors, pass };
  };

  test('changes -> answered once for all that come together', async () => {
    const { shown, send, pass, stop, ended } = followed([[persistentVolumeClaims, claim]]);
    await pass(0);
    ['pv-1', 'pv-2', 'pv-3'].forEach((name) => send(key, 'MODIFIED', named(name)));
    await pass(100);
    expect(shown).toEqual(['undefined', 'pv-3']);
    stop.abort();
    expect(await ended).toBe('stopped');
  });

  test('nothing changes -> looked at again as time passes, and the API server is not asked', async () => {
    const { shown, requests, pass, stop, ended } = followed([[persistentVolumeClaims, claim]]);
    await pass(0);
    for (let time = 0; time < 6; time += 1) {
      await pass(5_000);
    }
    expect(shown.length).toBe(7);
    expect(requests).toEqual([`stream ${key}`, `watch ${key}`]);
    stop.abort();
    await ended;
  });

  test.each([
    [true, 4],
    [false, 1],
  ])('may not be watched, asked again at each look: %s -> %i times', async (asksAgain, times) => {
    const { requests, pass, stop, ended } = followed([[persistentVolumeClaims, claim]], {
      ...{ refused: ['persistentvolumeclaims'], asksAgain },
    });
    await pass(0);
    for (let time = 0; time < 3; time += 1) {
      await pass(5_000);
    }
    expect(requests.filter((each) => each.startsWith('get ')).length).toBe(times);
    stop.abort();
    await ended;
  });

  test('the object goes -> it ends, and so do the watches', async () => {
    const { send, pass, ended, watches } = followed([[persistentVolumeClaims, claim]]);
    await pass(0);
    send(key, 'DELETED', claim);
    await pass(100);
    expect(await ended).toBe('gone');
    expect(watches()).toStrictEqual([]);
  });

  test('the object is not there -> refused', async () => {
    const { ended } = followed([]);
    await expect(ended).rejects.toThrow(NotFound);
  });

  test('stopped while it asks -> it ends', async () => {
    const { stop, ended, watches } = followed([[persistentVolumeClaims, claim]]);
    stop.abort();
    expect(await ended).toBe('stopped');
    expect(watches()).toStrictEqual([]);
  });
});
