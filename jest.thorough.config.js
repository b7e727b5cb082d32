import common from './jest.config.js';

/*
 * `npm run test:thorough`: random stories, a sample of each campaign, and the packages as a stranger installs them. Seconds of CPU
 * time each, for what a change seldom breaks: CI and a release run them, `npm test` does not.
 */
export default {
  ...common,
  globalSetup: './jest.thorough.global-setup.js',
  testMatch: ['**/test/**/*.thorough.test.ts'],
  testPathIgnorePatterns: common.testPathIgnorePatterns.filter((pattern) => !pattern.includes('thorough')),
};
