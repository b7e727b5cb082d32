import { describe, expect, test } from '@jest/globals';
import { collectionPath, objectPath, persistentVolumeClaims, persistentVolumes } from '@holdfast/core';
import { settled } from '@holdfast/testing/fake-clock';
import { createPlaces } from '../../src/client/places.ts';
import { dryRunPath, listPath, namespaceOf } from '../../src/client/request-path.ts';

const { signal } = new AbortController();

/** Takes places as long as they are given, up to this many; the names of those that have one. */
function stage(places: number) {
  const entrance = createPlaces(places);
  const inside: string[] = [];
  const take = (group: string, name: string, stop = signal): Promise<void> =>
    entrance.take(group, stop).then(() => void inside.push(name));
  const giveBack = (group: string): void => entrance.giveBack(group);
  return { take, giveBack, inside };
}

describe('places', () => {
  test('one group wants more than half -> the rest waits, and comes in its order as places are given back', async () => {
    const { take, giveBack, inside } = stage(4);
    const taken = ['1', '2', '3', '4'].map((name) => take('a', name));
    await settled();
    expect(inside).toEqual(['1', '2']);
    giveBack('a');
    giveBack('a');
    await Promise.all(taken);
    expect(inside).toEqual(['1', '2', '3', '4']);
  });

  test('a hundred of one group wait -> one of another has its place at once', async () => {
    const { take, inside } = stage(4);
    for (let n = 0; n < 100; n++) {
      void take('a', `a${String(n)}`);
    }
    await take('b', 'b0');
    expect(inside).toEqual(['a0', 'a1', 'b0']);
  });

  test('several groups wait -> they come in turn', async () => {
    const { take, giveBack, inside } = stage(1);
    for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) {
      void take(name.slice(0, 1), name);
    }
    for (const group of ['a', 'a', 'b', 'c', 'a']) {
      await settled();
      giveBack(group);
    }
    await settled();
    expect(inside).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1']);
  });

  test('aborted while it waits -> rejected with the reason, and the place goes to the next', async () => {
    const { take, giveBack, inside } = stage(1);
    const stop = new AbortController();
    await take('a', 'first');
    const aborted = take('a', 'aborted', stop.signal);
    const next = take('a', 'next');
    stop.abort(new Error('took too long'));
    await expect(aborted).rejects.toThrow('took too long');
    await expect(take('a', 'late', stop.signal)).rejects.toThrow('took too long');
    giveBack('a');
    await next;
    expect(inside).toEqual(['first', 'next']);
  });
});

describe('namespace of a request', () => {
  const claim = objectPath(persistentVolumeClaims, { namespace: 'shop', name: 'data' });
  test.each([
    { what: 'object', path: claim, namespace: 'shop' },
    {
      what: 'subresource',
      path: objectPath(persistentVolumeClaims, { namespace: 'shop', name: 'data' }, 'status'),
      namespace: 'shop',
    },
    { what: 'dry run', path: dryRunPath(claim), namespace: 'shop' },
    { what: 'list', path: listPath(persistentVolumeClaims, { namespace: 'shop' }), namespace: 'shop' },
    { what: 'list of all namespaces', path: collectionPath(persistentVolumeClaims), namespace: '' },
    {
      what: 'list of all, a selector that looks like a path',
      path: listPath(persistentVolumeClaims, { labelSelector: 'a=/namespaces/b/' }),
      namespace: '',
    },
    { what: 'object of the cluster', path: objectPath(persistentVolumes, { name: 'pv' }), namespace: '' },
  ])('$what -> "$namespace"', ({ path, namespace }) => {
    expect(namespaceOf(path)).toBe(namespace);
  });
});
