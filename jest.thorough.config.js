import common from './jest.config.js';

/*
 * `npm run test:thorough`: random stories, a sample of each fuzzing campaign, and the packages as an outside user
 * installs them. Each of these takes seconds of CPU time and finds what a change seldom breaks. CI runs them, and so
 * does a release; `npm test` does not.
 */
export default {
  ...common,
  globalSetup: './jest.thorough.global-setup.js',
  testMatch: ['**/test/**/*.thorough.test.ts'],
  testPathIgnorePatterns: common.testPathIgnorePatterns.filter((pattern) => !pattern.includes('thorough')),
};
