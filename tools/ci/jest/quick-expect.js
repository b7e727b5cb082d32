import {
  arrayBufferEquality,
  equals,
  iterableEquality,
  sparseArrayEquality,
  subsetEquality,
  typeEquality,
} from '@jest/expect-utils';

/**
 * Decides by the same comparisons as jest's own matchers. Undefined: the matcher is not for such values, and
 * jest is to say so.
 */
const comparisons = {
  toBe: (received, expected) => Object.is(received, expected),
  toEqual: (received, expected) => equals(received, expected, [iterableEquality]),
  toStrictEqual: (received, expected) =>
    equals(
      received,
      expected,
      [iterableEquality, typeEquality, sparseArrayEquality, arrayBufferEquality],
      true,
    ),
  toMatchObject: (received, expected) =>
    isObject(received) && isObject(expected)
      ? equals(received, expected, [iterableEquality, subsetEquality])
      : undefined,
  toBeUndefined: (received) => received === undefined,
  toBeDefined: (received) => received !== undefined,
  toBeLessThan: ofNumbers((received, expected) => received < expected),
  toBeLessThanOrEqual: ofNumbers((received, expected) => received <= expected),
  toBeGreaterThan: ofNumbers((received, expected) => received > expected),
  toBeGreaterThanOrEqual: ofNumbers((received, expected) => received >= expected),
  toHaveLength: (received, expected) =>
    typeof received?.length === 'number' && Number.isSafeInteger(expected) && expected >= 0
      ? received.length === expected
      : undefined,
  toContain: (received, expected) =>
    Array.isArray(received) || (typeof received === 'string' && typeof expected === 'string')
      ? received.indexOf(expected) !== -1
      : undefined,
  toMatch: (received, expected) => {
    if (typeof received !== 'string') {
      return undefined;
    }
    if (expected instanceof RegExp) {
      // A copy, because a global or sticky expression remembers where it stopped.
      return new RegExp(expected).test(received);
    }
    return typeof expected === 'string' ? received.includes(expected) : undefined;
  },
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
  const ofJest = Object.keys(expect(undefined));
  const Negation = expectations(expect, Object.keys(expect(undefined).not), true);
  const Expectation = expectations(expect, ofJest, false);
  Object.defineProperty(Expectation.prototype, 'not', {
    get() {
      return new Negation(this.received);
    },
  });
  const quick = (...args) => (args.length === 1 ? new Expectation(args[0]) : expect(...args));
  return Object.assign(quick, expect, { addEqualityTesters: undefined });
}

/** Returns the class of what `expect` returns, or of its `not`. */
function expectations(expect, names, isNot) {
  const all = (received) => (isNot ? expect(received).not : expect(received));
  function Expectation(received) {
    this.received = received;
  }
  for (const name of names) {
    const comparison = comparisons[name];
    if (comparison === undefined) {
      Object.defineProperty(Expectation.prototype, name, {
        configurable: true,
        get() {
          return all(this.received)[name];
        },
      });
      continue;
    }
    Expectation.prototype[name] = function matcher(...args) {
      // The length of a comparison counts the received value, too.
      if (args.length === comparison.length - 1 && comparison(this.received, args[0]) === !isNot) {
        expect.setState({ assertionCalls: expect.getState().assertionCalls + 1 });
        return;
      }
      try {
        all(this.received)[name](...args);
      } catch (error) {
        // Leaves this frame out, so that the test's line comes first in the stack.
        Error.captureStackTrace(error, matcher);
        throw error;
      }
    };
  }
  return Expectation;
}

function ofNumbers(comparison) {
  return (received, expected) =>
    isNumber(received) && isNumber(expected) ? comparison(received, expected) : undefined;
}

function isNumber(value) {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}
