import { availableParallelism } from 'node:os';

/*
 * One runner for the whole house: every project's tests, or those below the paths given. `*.scenario.test.ts` run on whatever
 * control plane is chosen; `*.real.test.ts` need the real one, and belong to `npm run test:real` alone, as `*.thorough.test.ts` do to
 * `npm run test:thorough`.
 */
export default {
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tools'],
  // Many tests wait for other processes and for the network of loopback: with two workers more than cores, these hardly idle (85 s on two
  // cores, 95 s with one more). Each further one costs CPU time, since it loads everything once more and pushes the others' memory out of the caches.
  maxWorkers: availableParallelism() + 2,
  globalSetup: './jest.global-setup.js',
  testMatch: ['**/test/**/*.test.ts'],
  // Compiled copies of package.json files, which would be taken for packages of the same names.
  modulePathIgnorePatterns: ['<rootDir>/(apps|packages|tools)/[^/]+/(out-tsc|dist)/'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    '/out-tsc/',
    // A stranger's package, with a runner of its own: packages/runtime/test/examples plays it.
    '<rootDir>/packages/[^/]+/examples/',
    '\\.thorough\\.test\\.ts$',
    ...(process.env.HOLDFAST_CONTROL_PLANE?.startsWith('real') ? [] : ['\\.real\\.test\\.ts$']),
  ],
  // What is awaited comes in milliseconds on an idle machine; a busy one is no reason to fail.
  testTimeout: 30_000,
  // Node itself loads the tests, see "Test files share a process" in ARCHITECTURE.md.
  runtime: '<rootDir>/tools/ci/jest/runtime.js',
  testEnvironment: './tools/ci/jest/environment.js',
  testSequencer: './tools/ci/jest/sequencer.js',
  transform: {},
  injectGlobals: false,
};
