import {
  arrayBufferEquality,
  equals,
  iterableEquality,
  sparseArrayEquality,
  typeEquality,
} from '@jest/expect-utils';

/** Decides whether a value is as expected, by the same comparisons as jest's own matchers. */
const passes = {
  toBe: Object.is,
  toEqual: (received, expected) => equals(received, expected, [iterableEquality]),
  toStrictEqual: (received, expected) =>
    equals(
      received,
      expected,
      [iterableEquality, typeEquality, sparseArrayEquality, arrayBufferEquality],
      true,
    ),
};

/**
 * Jest's `expect`, but cheaper if the value is as expected. For each call jest creates some three hundred
 * functions and an error with its stack, which takes an eighth of the CPU time of a suite of decisions.
 * Values that are not as expected, and all other matchers, are left to jest's own, so that the messages are
 * the same.
 *
 * @param {import('@jest/expect').JestExpect} expect
 * @returns the same without `addEqualityTesters`, because the quick comparisons would ignore its testers.
 */
export function quickExpect(expect) {
  function Expectation(received) {
    this.received = received;
  }
  for (const name of Object.keys(expect(undefined)).filter((matcher) => !(matcher in passes))) {
    Object.defineProperty(Expectation.prototype, name, {
      get() {
        return expect(this.received)[name];
      },
    });
  }
  for (const [name, pass] of Object.entries(passes)) {
    Object.defineProperty(Expectation.prototype, name, {
      value: function matcher(...args) {
        if (args.length === 1 && pass(this.received, args[0])) {
          expect.setState({ assertionCalls: expect.getState().assertionCalls + 1 });
          return;
        }
        try {
          expect(this.received)[name](...args);
        } catch (error) {
          // Leaves this frame out, so that the test's line comes first in the stack.
          Error.captureStackTrace(error, matcher);
          throw error;
        }
      },
    });
  }
  const quick = (...args) => (args.length === 1 ? new Expectation(args[0]) : expect(...args));
  return Object.assign(quick, expect, { addEqualityTesters: undefined });
}
