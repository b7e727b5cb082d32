import { describe, expect, test } from '@jest/globals';
import { configMaps, type ConfigMap, type JsonPatch } from '@holdfast/core';
import {
  ApiError,
  MustStay,
  openLook,
  type ConnectedClient,
  type Look,
  type UninstallStep,
} from '@holdfast/runtime';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { runStep } from '../../src/process/run-step.ts';
import type { Tally } from '../../src/process/uninstall-step.ts';
import { sleep } from '../../src/time/clock.ts';

const mark = 'example.com/mark';
const path = '/metadata/annotations/example.com~1mark';
const removal: JsonPatch = [
  { op: 'test', path, value: 'yes' },
  { op: 'remove', path },
];

/** Marked objects, and a client that takes the mark off the one that a patch is for. */
function someMaps(names: readonly string[]) {
  const marked = new Set(names);
  const looks: (Look | undefined)[] = [];
  let lists = 0;
  const client = {
    listPages: async function* () {
      lists++;
      await Promise.resolve();
      yield {
        items: names.map((name) => ({
          metadata: { name, uid: name, annotations: marked.has(name) ? { [mark]: 'yes' } : {} },
        })),
      };
    },
    patch: (_resource: unknown, { name }: { name: string }, _patch: unknown, options: { look?: Look }) => {
      marked.delete(name);
      looks.push(options.look);
      return Promise.resolve({});
    },
  } as unknown as ConnectedClient;
  return { client, marked, looks, lists: () => lists };
}

async function run(client: ConnectedClient, parts: Partial<UninstallStep<ConfigMap>>) {
  const clock = createFakeClock();
  const tally: Tally = { seen: 0, takenBack: 0, outdated: 0, refused: 0 };
  const step: UninstallStep<ConfigMap> = { what: 'mark', resource: configMaps, takeBack: () => undefined };
  let end: boolean | undefined;
  const running = runStep(
    { ...step, ...parts },
    {
      client,
      namespaces: [],
      concurrency: 2,
      dryRun: false,
      clock,
      logger: pino({ level: 'silent' }),
      signal: new AbortController().signal,
    },
    tally,
  ).then((isClean) => (end = isClean));
  while (end === undefined) {
    await clock.advance(60_000);
  }
  await running;
  return { isClean: end, tally };
}

const isMarked = ({ metadata }: ConfigMap): boolean => metadata.annotations?.[mark] !== undefined;

describe('A1: step that has to ask before it takes back', () => {
  test('what is there is another’s to keep -> nothing is looked at, clean', async () => {
    const maps = someMaps(['a']);
    const { isClean, tally } = await run(maps.client, {
      isOurs: () => Promise.resolve(false),
      takeBack: () => removal,
    });
    expect([isClean, maps.lists(), tally.refused, maps.marked.size]).toEqual([true, 0, 0, 1]);
  });

  test('whose it is can not be learned -> nothing is looked at, not clean', async () => {
    const maps = someMaps(['a']);
    const { isClean, tally } = await run(maps.client, {
      isOurs: () => Promise.reject(new Error('socket hang up')),
      takeBack: () => removal,
    });
    expect([isClean, maps.lists(), tally.refused, maps.marked.size]).toEqual([false, 0, 1, 1]);
  });

  test('patch rests on a look -> it is sent with it', async () => {
    const maps = someMaps(['a']);
    const look = openLook();
    const { isClean } = await run(maps.client, {
      takeBack: (map) => Promise.resolve(isMarked(map) ? { operations: removal, look } : undefined),
    });
    expect([isClean, maps.looks]).toEqual([true, [look]]);
  });

  test('one must stay, one can not be judged at first -> the first is counted and asked once, all others are done', async () => {
    const maps = someMaps(['a', 'held', 'odd', 'z']);
    const asked: string[] = [];
    const { isClean, tally } = await run(maps.client, {
      takeBack: (map) => {
        const { name } = map.metadata;
        asked.push(name);
        if (name === 'held') {
          return Promise.reject(new MustStay('a pod uses it'));
        }
        if (name === 'odd' && asked.filter((each) => each === 'odd').length === 1) {
          return Promise.reject(new ApiError('GET /pods', 500, { reason: 'InternalError' }));
        }
        return Promise.resolve(isMarked(map) ? { operations: removal, look: openLook() } : undefined);
      },
    });
    expect([...maps.marked]).toEqual(['held']);
    expect(asked.filter((name) => name === 'held')).toHaveLength(1);
    expect([isClean, tally.refused, tally.takenBack]).toEqual([true, 1, 3]);
  });

  test('every look at one is refused for good -> counted, all others are done', async () => {
    const maps = someMaps(['a', 'odd']);
    const { tally } = await run(maps.client, {
      takeBack: (map) =>
        map.metadata.name === 'odd'
          ? Promise.reject(
              new ApiError('GET /pods', 403, { reason: 'Forbidden', message: 'a policy says no' }),
            )
          : Promise.resolve(isMarked(map) ? { operations: removal, look: openLook() } : undefined),
    });
    expect([[...maps.marked], tally.refused, tally.takenBack]).toEqual([['odd'], 1, 1]);
  });
});

test('X3: another controller puts ours back on now more, now fewer objects -> given up, not clean', async () => {
  let lists = 0;
  const client = {
    listPages: async function* () {
      await Promise.resolve();
      lists += 1;
      // Without a limit, this would not end.
      yield {
        items:
          lists > 100
            ? []
            : Array.from({ length: 10 + (lists % 2) }, (_, index) => ({
                metadata: { name: String(index), uid: String(index) },
              })),
      };
    },
    patch: () => Promise.resolve({}),
  } as unknown as ConnectedClient;
  const { isClean } = await run(client, { takeBack: () => removal });
  expect([isClean, lists]).toEqual([false, 12]);
});

describe('list is answered 404 by a page', () => {
  const page = new ApiError('GET /configmaps', 404, { message: '404 page not found' });
  const boxes: UninstallStep<ConfigMap>['resource'] = {
    ...{ group: 'example.com', version: 'v1', kind: 'Box', plural: 'boxes', namespaced: true },
  };
  const documents = (version: string, plural: string): Readonly<Record<string, unknown>> => ({
    '/apis': { kind: 'APIGroupList', groups: [{ name: 'example.com', versions: [{ version }] }] },
    [`/apis/example.com/${version}`]: {
      kind: 'APIResourceList',
      groupVersion: `example.com/${version}`,
      resources: [{ name: plural }],
    },
  });
  const served = documents('v1', 'boxes');
  const refused = new ApiError('GET /apis', 403, { reason: 'Forbidden' });
  const outage = new ApiError('GET /apis', 503, {});

  /** Marked objects; the first lists, or all, are answered by the page. */
  function behindPages(pages: number, document: (list: number) => Readonly<Record<string, unknown>>) {
    const maps = someMaps(['a', 'b']);
    let lists = 0;
    const client: ConnectedClient = {
      ...maps.client,
      listPages: async function* (...request) {
        lists += 1;
        if (lists <= pages) {
          throw page;
        }
        yield* maps.client.listPages(...request);
      },
      document: async (path) => {
        await Promise.resolve();
        return document(lists)[path];
      },
    };
    return { client, marked: maps.marked, lists: () => lists };
  }
  const takeBack = (map: ConfigMap): JsonPatch | undefined => (isMarked(map) ? removal : undefined);
  const step = { resource: boxes, takeBack };

  test('kind is served, the page goes -> tried again until all is taken back', async () => {
    const { client, marked } = behindPages(3, () => served);
    const { isClean, tally } = await run(client, step);
    expect([isClean, marked.size, tally.takenBack, tally.refused]).toEqual([true, 0, 2, 0]);
  });

  test('kind is served, the page stays -> tried again ten times, not clean', async () => {
    const { client, marked, lists } = behindPages(Infinity, () => served);
    const { isClean } = await run(client, step);
    expect([isClean, lists(), marked.size]).toEqual([false, 10, 2]);
  });

  test('kind is served in another version -> its objects are there, not clean', async () => {
    const { client } = behindPages(Infinity, () => documents('v2', 'boxes'));
    expect((await run(client, step)).isClean).toBe(false);
  });

  test('kind is not served -> clean', async () => {
    const { client, lists } = behindPages(Infinity, () => documents('v1', 'crates'));
    expect([(await run(client, step)).isClean, lists()]).toEqual([true, 1]);
  });

  test.each([
    { what: 'is refused', failure: refused },
    { what: 'fails', failure: outage },
    { what: 'gets no answer', failure: new Error('socket hang up') },
    { what: 'is answered 404 as well', failure: page },
  ])('discovery $what at first -> tried again, and clean once it answers', async ({ failure }) => {
    const { client, lists } = behindPages(Infinity, (list) => {
      if (list <= 2) {
        throw failure;
      }
      return documents('v1', 'crates');
    });
    expect([(await run(client, step)).isClean, lists()]).toEqual([true, 3]);
  });

  test('discovery fails for good -> not clean', async () => {
    const { client, lists } = behindPages(Infinity, () => {
      throw refused;
    });
    expect([(await run(client, step)).isClean, lists()]).toEqual([false, 10]);
  });
});

test('patch is answered 404 by a page -> the object is tried again, and taken back', async () => {
  const maps = someMaps(['a', 'b']);
  let patches = 0;
  const client: ConnectedClient = {
    ...maps.client,
    patch: (...request) => {
      patches += 1;
      return patches === 1
        ? Promise.reject(new ApiError('PATCH /a', 404, { message: 'default backend - 404' }))
        : maps.client.patch(...request);
    },
  };
  const { isClean, tally } = await run(client, { takeBack: (map) => (isMarked(map) ? removal : undefined) });
  expect([isClean, maps.marked.size, tally.refused]).toEqual([true, 0, 0]);
});

describe('writes in one namespace take long', () => {
  /** As many marked objects in each namespace, in pages of ten; namespaces in the order of the list. */
  function inNamespaces(
    counts: Readonly<Record<string, number>>,
    hold: (namespace: string) => Promise<void>,
  ) {
    const objects = Object.entries(counts).flatMap(([namespace, count]) =>
      Array.from({ length: count }, (_, index) => ({ namespace, name: `${namespace}-${String(index)}` })),
    );
    // There is nothing to take back from every other object.
    const marked = new Set(objects.filter((_, index) => index % 2 === 0).map(({ name }) => name));
    const tried: string[] = [];
    const client = {
      listPages: async function* (_resource: unknown, { namespace }: { namespace?: string }) {
        const found = objects.filter((each) => namespace === undefined || each.namespace === namespace);
        for (let start = 0; start < found.length; start += 10) {
          await Promise.resolve();
          yield {
            items: found.slice(start, start + 10).map((metadata) => ({
              metadata: {
                ...metadata,
                uid: metadata.name,
                annotations: marked.has(metadata.name) ? { [mark]: 'yes' } : {},
              },
            })),
          };
        }
      },
      patch: async (_resource: unknown, { namespace = '', name }: { namespace?: string; name: string }) => {
        tried.push(namespace);
        await hold(namespace);
        marked.delete(name);
        return {};
      },
    } as unknown as ConnectedClient;
    return { client, marked, tried };
  }

  async function takeBackAll(
    counts: Readonly<Record<string, number>>,
    hold: (clock: FakeClock, namespace: string) => Promise<void>,
  ) {
    const clock = createFakeClock();
    const { client, marked, tried } = inNamespaces(counts, (namespace) => hold(clock, namespace));
    const tally: Tally = { seen: 0, takenBack: 0, outdated: 0, refused: 0 };
    let end: boolean | undefined;
    const running = runStep(
      {
        what: 'mark',
        resource: configMaps,
        takeBack: (map: ConfigMap) => (isMarked(map) ? removal : undefined),
      },
      {
        client,
        namespaces: [],
        concurrency: 2,
        dryRun: false,
        clock,
        logger: pino({ level: 'silent' }),
        signal: new AbortController().signal,
      },
      tally,
    ).then((isClean) => (end = isClean));
    while (end === undefined) {
      await clock.advance(1_000);
    }
    await running;
    return { isClean: end, marked, tried, tally };
  }

  const never = new AbortController().signal;

  test('none is answered -> those of other namespaces are taken back after a few tries; given up, not clean', async () => {
    const { isClean, marked, tried } = await takeBackAll(
      { a: 200, b: 10, c: 10 },
      async (clock, namespace) => {
        if (namespace === 'a') {
          await sleep(clock, 30_000, never);
          throw new Error('timeout');
        }
      },
    );
    expect(tried.indexOf('b')).toBeLessThan(10);
    expect([isClean, marked.size]).toEqual([false, 100]);
    expect(tried.filter((namespace) => namespace === 'a').length).toBeLessThan(100);
  });

  test('each takes ten seconds -> those of other namespaces come first, and all are taken back', async () => {
    const { isClean, marked, tried } = await takeBackAll({ a: 100, b: 10, c: 10 }, (clock, namespace) =>
      namespace === 'a' ? sleep(clock, 10_000, never) : Promise.resolve(),
    );
    expect(tried.lastIndexOf('c')).toBeLessThan(20);
    expect([isClean, marked.size]).toEqual([true, 0]);
  });

  test('none is answered at first, then all are -> all are taken back', async () => {
    let until = 12;
    const { isClean, marked } = await takeBackAll({ a: 100, b: 10 }, (_clock, namespace) =>
      namespace === 'a' && until-- > 0 ? Promise.reject(new Error('socket hang up')) : Promise.resolve(),
    );
    expect([isClean, marked.size]).toEqual([true, 0]);
  });

  test('every write fails for a while -> all are taken back', async () => {
    let until = 40;
    const { isClean, marked } = await takeBackAll({ a: 40, b: 40, c: 40 }, () =>
      until-- > 0 ? Promise.reject(new Error('socket hang up')) : Promise.resolve(),
    );
    expect([isClean, marked.size]).toEqual([true, 0]);
  });
});
