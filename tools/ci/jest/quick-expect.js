import {
  arrayBufferEquality,
  equals,
  iterableEquality,
  sparseArrayEquality,
  typeEquality,
} from '@jest/expect-utils';

/** When a value is as expected, by the same comparisons that jest's own matchers make. */
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
 * Jest's `expect`, at less cost where the value is as expected: jest makes some three hundred functions and an error with its stack for
 * each call, an eighth of the CPU time of a suite of decisions. Whatever is not as expected, and every other matcher, is left to jest's
 * own, so that the messages are the same.
 *
 * @param {import('@jest/expect').JestExpect} expect
 * @returns the same but for `addEqualityTesters`, whose testers the quick comparisons would pass over.
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
          // The test's line comes first, not this one.
          Error.captureStackTrace(error, matcher);
          throw error;
        }
      },
    });
  }
  const quick = (...args) => (args.length === 1 ? new Expectation(args[0]) : expect(...args));
  return Object.assign(quick, expect, { addEqualityTesters: undefined });
}
