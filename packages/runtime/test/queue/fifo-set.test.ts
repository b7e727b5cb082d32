import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFifoSet } from '../../src/queue/fifo-set.ts';

const value = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const action = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), value }),
  fc.record({ kind: fc.constant('delete' as const), value }),
  fc.record({ kind: fc.constant('shift' as const) }),
);

test('any adds, deletes and shifts -> as a list without duplicates would', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 100 }), (actions) => {
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

test('hundreds of thousands of values -> all shifted within seconds, while others are added and deleted', () => {
  const values = 200_000;
  const set = createFifoSet();
  for (let n = 0; n < values; n++) {
    set.add(`value-${String(n)}`);
  }
  const started = performance.now();
  for (let n = 0; n < values; n++) {
    if (set.shift() !== `value-${String(n)}`) {
      throw new Error(`value ${String(n)} was not the next`);
    }
    set.add(`passing-${String(n)}`);
    set.delete(`passing-${String(n)}`);
  }
  expect(set.size).toBe(0);
  // Quadratic work, as with a new iterator for each shift, takes half a minute.
  expect(performance.now() - started).toBeLessThan(15_000);
});
