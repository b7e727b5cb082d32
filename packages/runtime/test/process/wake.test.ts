import { describe, expect, test } from '@jest/globals';
import { objectKey, type PersistentVolumeClaim } from '@holdfast/core';
import type { EventHandler } from '../../src/cache/informer.ts';
import { wake, type Wakes, type Woken } from '../../src/process/wake.ts';
import type { Priority } from '../../src/queue/ready-keys.ts';
import { claim } from '../claim.ts';

const before = claim('one', 1);
const after = claim('one', 2);

/** What reaches the queue for each kind of change. */
function wokenBy(wakes: Wakes<PersistentVolumeClaim>, priority?: Priority) {
  const handlers: EventHandler<PersistentVolumeClaim>[] = [];
  const added: string[] = [];
  wake(
    { addHandler: (handler) => void handlers.push(handler) },
    wakes,
    priority,
  )({
    add: (key, given) => void added.push(`${key} ${String(given)}`),
    addAfter: (key, delay) => void added.push(`${key} after ${String(delay)}`),
  });
  const [handler, ...others] = handlers;
  if (handler === undefined || others.length > 0) {
    throw new Error(`${String(handlers.length)} handlers were added`);
  }
  const take = (call: () => void): readonly string[] => {
    call();
    return added.splice(0);
  };
  return {
    handler,
    seen: {
      initial: take(() => handler.added?.(after, true)),
      added: take(() => handler.added?.(after, false)),
      updated: take(() => handler.updated?.(before, after)),
      deleted: take(() => handler.deleted?.(after)),
    },
  };
}

describe('wake', () => {
  test.each<{ state: string; woken: Woken; keys: readonly string[] }>([
    { state: 'one key', woken: 'a/one', keys: ['a/one'] },
    { state: 'several keys', woken: ['a/one', 'a/two'], keys: ['a/one', 'a/two'] },
    { state: 'an empty list', woken: [], keys: [] },
    { state: 'no key', woken: undefined, keys: [] },
  ])('$state -> $keys are added, behind all changes for what was there before', ({ woken, keys }) => {
    const { seen } = wokenBy({ present: () => woken, deleted: () => woken });
    const changed = keys.map((key) => `${key} event`);
    expect(seen).toEqual({
      initial: keys.map((key) => `${key} initial`),
      added: changed,
      updated: changed,
      deleted: changed,
    });
  });

  test('priority is given -> it counts for what was there before too', () => {
    const { initial, updated } = wokenBy({ present: objectKey }, 'event').seen;
    expect(initial).toEqual([`${objectKey(after)} event`]);
    expect(updated).toEqual([`${objectKey(after)} event`]);
    expect(wokenBy({ present: objectKey, deleted: objectKey }, 'initial').seen.deleted).toEqual([
      `${objectKey(after)} initial`,
    ]);
  });

  test('key that is to come later -> added after its delay, also where a priority is given', () => {
    const woken = ['a/one', { key: 'a/two', delay: 2_000 }];
    for (const priority of ['event', 'initial'] as const) {
      expect(wokenBy({ deleted: () => woken }, priority).seen.deleted).toEqual([
        `a/one ${priority}`,
        'a/two after 2000',
      ]);
    }
  });

  test('error after the first key -> that key is added, and the informer gets the error', () => {
    const keys: string[] = [];
    const failing = function* (): Iterable<string> {
      yield 'a/one';
      throw new Error('an odd object');
    };
    wake(
      { addHandler: ({ deleted }) => expect(() => deleted?.(after)).toThrow('an odd object') },
      { deleted: failing },
    )({
      add: (key) => void keys.push(key),
      addAfter: () => undefined,
    });
    expect(keys).toEqual(['a/one']);
  });

  test('present -> called with what is there now, initial for no change', () => {
    const calls: unknown[] = [];
    wokenBy({ present: (object, initial) => void calls.push([object, initial]) });
    expect(calls).toEqual([
      [after, true],
      [after, false],
      [after, false],
    ]);
  });

  test('added and updated beside present -> present is not called for them', () => {
    const present = (): Woken => 'present';
    const one = wokenBy({ present, added: () => 'added' }).seen;
    expect([one.initial, one.updated]).toEqual([['added initial'], ['present event']]);
    const versions = (old: PersistentVolumeClaim, now: PersistentVolumeClaim): Woken =>
      `${old.metadata.resourceVersion}-${now.metadata.resourceVersion}`;
    const other = wokenBy({ present, updated: versions }).seen;
    expect([other.added, other.updated]).toEqual([['present event'], ['1-2 event']]);
  });

  test('kind of change without a wake -> the informer has nothing to call', () => {
    expect(Object.keys(wokenBy({ deleted: objectKey }).handler)).toEqual(['deleted']);
    expect(Object.keys(wokenBy({ added: objectKey }).handler)).toEqual(['added']);
  });
});
