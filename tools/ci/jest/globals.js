/*
 * In place of `@jest/globals`, which only works where jest loads the modules (modules.js). Importers see a change of what a module exports, so
 * that modules which are loaded once have what the test file at hand has.
 */
import { quickExpect } from './quick-expect.js';

export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test;

/** @param {object} globals of the test file that is loaded next, as jest makes them. */
export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, jest, test } = globals);
  expect = quickExpect(globals.expect);
}
