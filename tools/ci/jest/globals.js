/*
 * Replaces `@jest/globals`, which works only if jest loads the modules (see modules.js). Exports are live
 * bindings, so a module that is loaded once sees the globals of the present test file.
 */
import { quickExpect } from './quick-expect.js';

export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test;

/** @param {object} globals of the test file that is loaded next, as jest creates them. */
export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, jest, test } = globals);
  expect = quickExpect(globals.expect);
}
