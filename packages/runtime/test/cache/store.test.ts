import { expect, test } from '@jest/globals';
import { objectKey, type PersistentVolumeClaim } from '@holdfast/core';
import fc from 'fast-check';
import { createStore } from '../../src/cache/store.ts';
import { claim } from '../claim.ts';

const byLabel = (object: PersistentVolumeClaim): readonly string[] =>
  Object.keys(object.metadata.labels ?? {});
const byNamespace = (object: PersistentVolumeClaim): readonly string[] => [object.metadata.namespace ?? ''];

test('any course of sets and deletes -> as a plain list would answer, by key and by index', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const namespace = fc.constantFrom('shop', 'ops');
  const label = fc.constantFrom('x', 'y', 'z');
  const step = fc.record({
    kind: fc.constantFrom('set' as const, 'set' as const, 'delete' as const),
    name,
    namespace,
    labels: fc.array(label),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const store = createStore<PersistentVolumeClaim>({ byLabel, byNamespace });
      let model: readonly PersistentVolumeClaim[] = [];
      for (const [version, { kind, name, namespace, labels }] of steps.entries()) {
        const labelled = Object.fromEntries(labels.map((each) => [each, '']));
        const object = claim(name, version, { namespace, labels: labelled });
        model = model.filter((each) => objectKey(each) !== objectKey(object));
        if (kind === 'set') {
          store.set(object);
          model = [...model, object];
        } else {
          store.delete(objectKey(object));
        }
        expect(store.size).toBe(model.length);
        expect(new Set(store.values())).toEqual(new Set(model));
        expect(store.get(objectKey(object))).toBe(kind === 'set' ? object : undefined);
        for (const value of ['x', 'y', 'z']) {
          const found = store.byIndex('byLabel', value);
          expect(found).toHaveLength(new Set(found).size);
          expect(store.byIndex('byLabel', value, 1)).toStrictEqual(found.slice(0, 1));
          expect(new Set(found)).toEqual(new Set(model.filter((each) => byLabel(each).includes(value))));
        }
        for (const value of ['shop', 'ops', 'nowhere']) {
          const wanted = model.filter((each) => each.metadata.namespace === value);
          expect(new Set(store.byIndex('byNamespace', value))).toEqual(new Set(wanted));
        }
      }
    }),
  );
});

test('index names one value twice -> the object is found once, and gone after its deletion', () => {
  const store = createStore({ twice: () => ['x', 'x'] });
  store.set(claim('a', 1));
  expect(store.byIndex('twice', 'x')).toHaveLength(1);
  store.delete('shop/a');
  expect(store.byIndex('twice', 'x')).toStrictEqual([]);
});

test.each([
  { indexes: {}, message: 'the store has no index "byPod"; it has none' },
  {
    indexes: { byLabel, byNamespace },
    message: 'the store has no index "byPod"; it has byLabel, byNamespace',
  },
])('no such index -> $message', ({ indexes, message }) => {
  expect(() => createStore<PersistentVolumeClaim>(indexes).byIndex('byPod', 'x')).toThrow(message);
});
