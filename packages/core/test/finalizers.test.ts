import { describe, expect, test } from '@jest/globals';
import {
  addFinalizerPatch,
  finalizers,
  hasFinalizer,
  isTerminating,
  removeFinalizerPatch,
} from '@holdfast/core';
import fc from 'fast-check';
import { applyJsonPatch, PatchRefused } from './apply-json-patch.ts';
import { stored } from './stored.ts';

const ours = finalizers.pvcProtection;
const foreign = fc.uniqueArray(fc.string({ minLength: 1 }).filter((name) => name !== ours));
const listWithOurs = fc
  .tuple(foreign, fc.nat())
  .map(([others, place]) => others.toSpliced(place % (others.length + 1), 0, ours));

describe('asking', () => {
  test('no list, or a list without it -> not there', () => {
    expect(hasFinalizer(stored(), ours)).toBe(false);
    expect(hasFinalizer(stored({ finalizers: ['a', `${ours}/x`] }), ours)).toBe(false);
  });

  test('named in the list -> there', () => {
    expect(hasFinalizer(stored({ finalizers: ['a', ours] }), ours)).toBe(true);
  });

  test('deletionTimestamp -> terminating', () => {
    expect(isTerminating(stored())).toBe(false);
    expect(isTerminating(stored({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(true);
  });
});

describe('adding', () => {
  test('any foreign finalizers -> they keep their order, ours comes last', () => {
    fc.assert(
      fc.property(foreign, (others) => {
        const read = stored({ finalizers: others });
        // The API server does not send an empty list, and has none to patch.
        const onServer = others.length === 0 ? stored() : read;
        const wanted = stored({ finalizers: [...others, ours] });
        expect(applyJsonPatch(onServer, addFinalizerPatch(onServer, ours))).toEqual(wanted);
        expect(applyJsonPatch(onServer, addFinalizerPatch(read, ours))).toEqual(wanted);
      }),
    );
  });

  test('list changed since it was read -> refused, not there twice', () => {
    fc.assert(
      fc.property(foreign, foreign, (read, now) => {
        fc.pre(read.join() !== now.join());
        const patch = addFinalizerPatch(stored({ finalizers: read }), ours);
        expect(() => applyJsonPatch(stored({ finalizers: now }), patch)).toThrow(PatchRefused);
      }),
    );
  });

  test('another writer added it to the empty list -> refused', () => {
    const patch = addFinalizerPatch(stored(), ours);
    expect(() => applyJsonPatch(stored({ finalizers: [ours] }), patch)).toThrow(PatchRefused);
  });

  test('deleted and made again under the name -> refused', () => {
    const patch = addFinalizerPatch(stored({ uid: 'uid-1' }), ours);
    expect(() => applyJsonPatch(stored({ uid: 'uid-2' }), patch)).toThrow(PatchRefused);
  });

  test('there already -> throws and names both', () => {
    expect(() => addFinalizerPatch(stored({ name: 'claim', finalizers: [ours] }), ours)).toThrow(
      `finalizer "${ours}" is already on claim`,
    );
  });
});

describe('removing', () => {
  test('anywhere among foreign finalizers -> all of them stay, in their order', () => {
    fc.assert(
      fc.property(listWithOurs, (list) => {
        const object = stored({ finalizers: list });
        const after = applyJsonPatch(object, removeFinalizerPatch(object, ours));
        expect(after).toEqual(stored({ finalizers: list.filter((name) => name !== ours) }));
      }),
    );
  });

  test('list changed since it was read -> only ours goes, or the patch is refused', () => {
    fc.assert(
      fc.property(listWithOurs, fc.oneof(listWithOurs, foreign), (read, now) => {
        const patch = removeFinalizerPatch(stored({ finalizers: read }), ours);
        let after: readonly string[] | undefined;
        try {
          after = applyJsonPatch(stored({ finalizers: now }), patch).metadata.finalizers;
        } catch (error) {
          expect(error).toBeInstanceOf(PatchRefused);
          return;
        }
        expect(now).toContain(ours);
        expect(after).toEqual(now.filter((name) => name !== ours));
      }),
    );
  });

  test('deleted and made again under the name -> refused', () => {
    const patch = removeFinalizerPatch(stored({ uid: 'uid-1', finalizers: [ours] }), ours);
    expect(() => applyJsonPatch(stored({ uid: 'uid-2', finalizers: [ours] }), patch)).toThrow(PatchRefused);
  });

  test.each([{ finalizers: undefined }, { finalizers: ['a'] }])(
    'not in $finalizers -> throws',
    ({ finalizers }) => {
      const object = stored({ name: 'claim', ...(finalizers === undefined ? {} : { finalizers }) });
      expect(() => removeFinalizerPatch(object, ours)).toThrow(`finalizer "${ours}" is not on claim`);
    },
  );
});
