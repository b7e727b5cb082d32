import { describe } from '@jest/globals';

/**
 * Defines a suite that needs something that a machine might lack. If it is missing, the tests count as
 * skipped, under a name that ends with the reason.
 *
 * @param missing what is missing and how to get it, for example the result of `controlPlaneMissing`;
 *   undefined if nothing is
 */
export function describeUnless(missing: string | undefined, name: string, define: () => void): void {
  if (missing === undefined) {
    describe(name, define);
  } else {
    describe.skip(`${name} (not run: ${missing})`, define);
  }
}
