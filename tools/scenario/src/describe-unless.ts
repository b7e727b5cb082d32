import { describe } from '@jest/globals';

/**
 * A suite that needs what a machine might not have. Where that is missing, its tests count as skipped, under a name that ends with the reason.
 *
 * @param missing what is missing and how to get it, for example the answer of `controlPlaneMissing`; undefined when all is there.
 */
export function describeUnless(missing: string | undefined, name: string, define: () => void): void {
  if (missing === undefined) {
    describe(name, define);
  } else {
    describe.skip(`${name} (not run: ${missing})`, define);
  }
}
