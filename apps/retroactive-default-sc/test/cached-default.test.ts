import { expect, test } from '@jest/globals';
import type { StorageClass } from '@holdfast/core';
import type { EventHandler } from '@holdfast/runtime';
import fc from 'fast-check';
import { createCachedDefault } from '../src/cached-default.ts';
import { defaultClass } from '../src/decide.ts';
import type { LiveAnswer } from '../src/live-default.ts';
import { storageClass } from './objects.ts';

const gold = storageClass();
const silver = storageClass({ name: 'silver', annotations: {} });
const { signal } = new AbortController();

function start(...classes: StorageClass[]) {
  const woken: string[] = [];
  const cached = createCachedDefault({ classes: () => classes, wakeAll: (priority) => woken.push(priority) });
  return { ...cached, classes, woken };
}

test('class is the default, or becomes it -> all that wait are woken, those of the first list behind others', () => {
  const { handler, classes, current, woken } = start(gold);
  handler.added?.(gold, true);
  expect(woken).toEqual(['initial']);
  expect(current()).toBe(gold);
  const newer = storageClass({ name: 'newer', made: '2027-01-01T00:00:00Z' });
  classes.push(newer);
  handler.added?.(newer, false);
  expect(woken).toEqual(['initial', 'event']);
  expect(current()).toBe(newer);
});

test.each([
  { what: 'none is the default', annotations: {}, scans: 0 },
  { what: 'each is a default', annotations: undefined, scans: 1 },
])(
  'hundreds of classes come, all but one change and go, $what -> gone through $scans times',
  ({ annotations, scans }) => {
    const classes = Array.from({ length: 300 }, (_, n) =>
      storageClass({ name: `c${String(n)}`, ...(annotations && { annotations }) }),
    );
    let scanned = 0;
    const { handler, current } = createCachedDefault({
      classes: () => {
        scanned += 1;
        return classes;
      },
      wakeAll: () => undefined,
    });
    classes.forEach((each) => handler.added?.(each, true));
    expect(current()).toBe(defaultClass(classes));
    for (const each of classes.filter((other) => other !== current())) {
      handler.updated?.(each, each);
      handler.deleted?.(each);
    }
    expect(scanned).toBe(scans);
  },
);

test('classes are added, changed and deleted -> the default is always the one among those that there are', () => {
  const names = ['a', 'b', 'c'];
  const state = fc.record({
    name: fc.constantFrom(...names),
    made: fc.constantFrom('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'),
    isDefault: fc.boolean(),
    deleted: fc.boolean(),
    isGone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(state), fc.integer({ min: 0, max: 5 }), (steps, held) => {
      const store = new Map<string, StorageClass>();
      const { handler, current } = createCachedDefault({
        classes: () => store.values(),
        wakeAll: () => undefined,
      });
      const shapeOf = ({ name, made, isDefault, deleted }: (typeof steps)[number]): StorageClass =>
        storageClass({ name, made, deleted, ...(isDefault ? {} : { annotations: {} }) });
      // The informer's store is filled before its handlers are called.
      steps.slice(0, held).forEach((step) => store.set(step.name, shapeOf(step)));
      store.forEach((each) => handler.added?.(each, true));
      for (const step of steps.slice(held)) {
        const before = store.get(step.name);
        const after = shapeOf(step);
        if (step.isGone) {
          store.delete(step.name);
        } else {
          store.set(step.name, after);
        }
        if (before === undefined) {
          if (!step.isGone) {
            handler.added?.(after, false);
          }
        } else if (step.isGone) {
          handler.deleted?.(before);
        } else {
          handler.updated?.(before, after);
        }
        expect(current()).toBe(defaultClass(store.values()));
      }
    }),
  );
});

test('another class is changed before anybody has asked -> nobody is woken', () => {
  const { handler, woken } = start(gold);
  handler.added?.(gold, true);
  handler.updated?.(silver, silver);
  expect(woken).toEqual(['initial']);
});

const changes: readonly { what: string; tell: (handler: EventHandler<StorageClass>) => void }[] = [
  { what: 'added', tell: (handler) => handler.added?.(silver, false) },
  { what: 'changed', tell: (handler) => handler.updated?.(silver, silver) },
  { what: 'deleted', tell: (handler) => handler.deleted?.(silver) },
  { what: 'deleted in a form that can not be read', tell: (handler) => handler.leftOut?.('silver') },
];

test.each(changes)(
  'another class is $what, the default is known for sure -> nobody is woken',
  async ({ tell }) => {
    const { handler, asking, woken } = start(gold);
    handler.added?.(gold, true);
    const answer = await asking(() => Promise.resolve(answerOf(gold)))(gold, signal);
    expect(answer.live.defaultClass).toBe(gold);
    tell(handler);
    expect(woken).toEqual(['initial']);
  },
);

test.each(changes)(
  'the default was not known for sure, another class is $what -> all that wait are woken, until it is known',
  async ({ tell }) => {
    const { handler, asking, woken } = start(gold);
    handler.added?.(gold, true);
    const doubtful = new Error('StorageClass "silver" can not be read');
    await expect(asking(() => Promise.reject(doubtful))(gold, signal)).rejects.toBe(doubtful);
    tell(handler);
    expect(woken).toEqual(['initial', 'event']);
    await asking(() => Promise.resolve(answerOf(gold)))(gold, signal);
    tell(handler);
    expect(woken).toEqual(['initial', 'event']);
  },
);

test('another class is changed while the classes are asked for -> all that wait are woken', async () => {
  const { handler, asking, woken } = start(gold);
  handler.added?.(gold, true);
  const listed = Promise.withResolvers<LiveAnswer>();
  const asked = asking(() => listed.promise)(gold, signal);
  handler.updated?.(silver, silver);
  listed.reject(new Error('StorageClass "silver" can not be read'));
  await expect(asked).rejects.toThrow('can not be read');
  expect(woken).toEqual(['initial', 'event']);
});

test.each([
  { what: 'comes while one of two questions is open', at: 'between' },
  { what: 'comes when the first of two questions has failed last', at: 'afterwards' },
] as const)('another class is changed, which $what -> all that wait are woken', async ({ at }) => {
  const { handler, asking, woken } = start(gold);
  handler.added?.(gold, true);
  const late = Promise.withResolvers<LiveAnswer>();
  const first = asking(() => late.promise)(gold, signal);
  await asking(() => Promise.resolve(answerOf(gold)))(gold, signal);
  if (at === 'between') {
    handler.updated?.(silver, silver);
  }
  late.reject(new Error('StorageClass "silver" can not be read'));
  await expect(first).rejects.toThrow('can not be read');
  if (at === 'afterwards') {
    handler.updated?.(silver, silver);
  }
  expect(woken).toEqual(['initial', 'event']);
});

test('the default was not known for sure, and the cache has none -> nobody is woken', async () => {
  const { handler, asking, woken } = start(silver);
  await expect(asking(() => Promise.reject(new Error('away')))(gold, signal)).rejects.toThrow('away');
  handler.updated?.(silver, silver);
  expect(woken).toStrictEqual([]);
});

function answerOf(defaultClass: StorageClass): LiveAnswer {
  return { live: { askedUnder: defaultClass, defaultClass }, look: { lookedAt: 0, maxAge: 2_000 } };
}
