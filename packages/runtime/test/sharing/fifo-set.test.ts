import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { createFifoSet } from '../../src/sharing/fifo-set.ts';

const value = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const action = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), value }),
  fc.record({ kind: fc.constant('delete' as const), value }),
  fc.record({ kind: fc.constant('shift' as const) }),
);

test('any adds, deletes and shifts -> as a list without duplicates would', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 100, size: 'max' }), (actions) => {
      const set = createFifoSet();
      let list: readonly string[] = [];
      for (const step of actions) {
        switch (step.kind) {
          case 'add':
            set.add(step.value);
            list = list.includes(step.value) ? list : [...list, step.value];
            break;
          case 'delete':
            expect(set.delete(step.value)).toBe(list.includes(step.value));
            list = list.filter((each) => each !== step.value);
            break;
          case 'shift':
            expect(set.shift()).toBe(list[0]);
            list = list.slice(1);
            break;
        }
        expect(set.size).toBe(list.length);
        for (const each of ['a', 'b', 'c', 'd', 'e']) {
          expect(set.has(each)).toBe(list.includes(each));
        }
      }
    }),
  );
});

test('a thousand shifts, while others are added and deleted -> one iterator for all of them', () => {
  const makesIterator = jest.spyOn(Set.prototype, 'values');
  try {
    const set = createFifoSet();
    for (let n = 0; n < 1_000; n++) {
      set.add(`value-${String(n)}`);
    }
    for (let n = 0; n < 1_000; n++) {
      expect(set.shift()).toBe(`value-${String(n)}`);
      set.add(`passing-${String(n)}`);
      set.delete(`passing-${String(n)}`);
    }
    expect(makesIterator).toHaveBeenCalledTimes(1);
  } finally {
    makesIterator.mockRestore();
  }
});
