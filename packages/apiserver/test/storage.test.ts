import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactedError, createStorage } from '../src/storage/storage.ts';

function object(
  namespace: string,
  name: string,
  value: string,
): Parameters<ReturnType<typeof createStorage>['put']>[1] {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace, name }, data: { value } };
}

const names = fc.constantFrom('a', 'a-b', 'a.b', 'b', 'c');
const write = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), namespace: names, name: names, value: fc.string() }),
  fc.record({ kind: fc.constant('remove' as const), namespace: names, name: names }),
);

describe('storage', () => {
  test('any writes -> the list at each revision is what was there then, in the order of keys', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40, size: 'max' }), (writes) => {
        const storage = createStorage();
        const states = new Map<number, string[]>([[storage.revision, []]]);
        const present = new Map<string, string>();
        for (const step of writes) {
          const key = `${step.namespace}/${step.name}`;
          if (step.kind === 'put') {
            storage.put('configmaps', object(step.namespace, step.name, step.value));
            present.set(key, step.value);
          } else if (storage.remove('configmaps', step.namespace, step.name) !== undefined) {
            present.delete(key);
          }
          states.set(
            storage.revision,
            [...present].map(([at, value]) => `${at}=${value}`).sort((a, b) => (a < b ? -1 : 1)),
          );
        }
        for (const [revision, expected] of states) {
          const listed = storage
            .list('configmaps', undefined, revision)
            .map(
              ({ namespace, name, object: { data } }) =>
                `${namespace}/${name}=${(data as { value: string }).value}`,
            );
          expect([...listed].sort((a, b) => (a < b ? -1 : 1))).toEqual(expected);
          const keys = storage.list('configmaps', undefined, revision).map((e) => `${e.namespace}/${e.name}`);
          expect(keys).toEqual([...keys].sort((a, b) => (a < b ? -1 : 1)));
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test('changes since a revision -> replaying them gives the present state', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 30, size: 'max' }), fc.nat(30), (writes, cut) => {
        const storage = createStorage();
        let since = storage.revision;
        writes.forEach((step, index) => {
          if (index === cut) {
            since = storage.revision;
          }
          if (step.kind === 'put') {
            storage.put('configmaps', object(step.namespace, step.name, step.value));
          } else {
            storage.remove('configmaps', step.namespace, step.name);
          }
        });
        const replayed = new Map(
          storage
            .list('configmaps', undefined, since)
            .map((entry) => [`${entry.namespace}/${entry.name}`, entry]),
        );
        for (const { type, entry } of storage.changesSince('configmaps', since)) {
          if (type === 'DELETED') {
            replayed.delete(`${entry.namespace}/${entry.name}`);
          } else {
            replayed.set(`${entry.namespace}/${entry.name}`, entry);
          }
        }
        expect(new Set(replayed.values())).toEqual(new Set(storage.list('configmaps')));
      }),
      { seed: 2, numRuns: 200 },
    );
  });

  test('more changes than the history keeps -> the oldest are forgotten, and asking for them says so', () => {
    const storage = createStorage({ historyLimit: 10 });
    for (let index = 0; index < 30; index++) {
      storage.put('configmaps', object('n', 'a', String(index)));
    }
    expect(() => storage.changesSince('configmaps', 2)).toThrow(CompactedError);
    expect(storage.changesSince('configmaps', storage.revision - 5)).toHaveLength(5);
  });

  test('keyspaces share one revision sequence', () => {
    const storage = createStorage();
    const first = storage.put('configmaps', object('n', 'a', '1'));
    const second = storage.put('secrets', object('n', 'a', '1'));
    expect(second.revision).toBe(first.revision + 1);
    expect(storage.changesSince('configmaps', 0)).toHaveLength(1);
  });
});

describe('history', () => {
  const minute = 60_000;

  test('changes older than five minutes, more than a hundred in all -> forgotten but for the newest hundred', () => {
    let now = 0;
    const storage = createStorage({ now: () => now });
    for (let index = 0; index < 150; index++) {
      storage.put('configmaps', object('n', 'a', String(index)));
    }
    now = 6 * minute;
    expect(storage.changesSince('configmaps', 1)).toHaveLength(150);
    storage.put('configmaps', object('n', 'a', 'later'));
    expect(() => storage.changesSince('configmaps', 51)).toThrow(CompactedError);
    expect(storage.changesSince('configmaps', 52)).toHaveLength(100);
    expect(() => storage.list('configmaps', 'n', 51)).toThrow(CompactedError);
    expect(storage.list('configmaps', 'n', 52)).toHaveLength(1);
  });

  test('many changes within five minutes -> none is forgotten', () => {
    const storage = createStorage({ now: () => 0 });
    for (let index = 0; index < 5000; index++) {
      storage.put('configmaps', object('n', 'a', String(index)));
    }
    expect(storage.changesSince('configmaps', 1)).toHaveLength(5000);
  });

  test('few changes, long ago -> none is forgotten', () => {
    let now = 0;
    const storage = createStorage({ now: () => now });
    storage.put('configmaps', object('n', 'a', '1'));
    now = 1000 * minute;
    storage.put('configmaps', object('n', 'a', '2'));
    expect(storage.changesSince('configmaps', 1)).toHaveLength(2);
  });

  test('more bytes than the history keeps -> the oldest of the largest keyspace are forgotten', () => {
    const storage = createStorage({ now: () => 0, historyBytes: 10_000 });
    storage.put('secrets', object('n', 'a', 'small'));
    for (let index = 0; index < 20; index++) {
      storage.put('configmaps', object('n', 'a', 'x'.repeat(1000)));
    }
    expect(storage.changesSince('secrets', 1)).toHaveLength(1);
    expect(() => storage.changesSince('configmaps', 2)).toThrow(CompactedError);
    const kept = storage.changesSince('configmaps', storage.revision - 4);
    expect(kept).toHaveLength(4);
  });

  test('one object larger than all that the history keeps -> written, and its change kept', () => {
    const storage = createStorage({ now: () => 0, historyBytes: 100 });
    storage.put('configmaps', object('n', 'a', 'x'.repeat(1000)));
    storage.put('configmaps', object('n', 'a', 'y'.repeat(1000)));
    expect(storage.changesSince('configmaps', storage.revision - 1)).toHaveLength(1);
    expect(() => storage.changesSince('configmaps', storage.revision - 2)).toThrow(CompactedError);
  });
});
