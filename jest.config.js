import { availableParallelism } from 'node:os';

/*
 * One jest configuration for the whole repository: it runs the tests of every project, or those below the paths given.
 * `*.scenario.test.ts` run on whichever control plane is chosen. `*.real.test.ts` need the real one, so that only `npm
 * run test:real` runs them. Only `npm run test:thorough` runs `*.thorough.test.ts`.
 */
export default {
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tools'],
  // Many tests wait for other processes and for the loopback network. With two workers more than cores the cores are
  // hardly ever idle: with one worker more than cores, a run takes a tenth longer. Each further worker costs CPU time,
  // since it loads every module again and evicts the memory of the others from the CPU's caches.
  maxWorkers: availableParallelism() + 2,
  globalSetup: './jest.global-setup.js',
  testMatch: ['**/test/**/*.test.ts'],
  // These folders hold compiled copies of package.json files, which jest would take for packages of the same names.
  modulePathIgnorePatterns: ['<rootDir>/(apps|packages|tools)/[^/]+/(out-tsc|dist)/'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    '/out-tsc/',
    // The examples are packages with a test runner of their own, as an outside user would have them.
    // packages/runtime/test/examples runs their tests.
    '<rootDir>/packages/[^/]+/examples/',
    '\\.thorough\\.test\\.ts$',
    ...(process.env.HOLDFAST_CONTROL_PLANE?.startsWith('real') ? [] : ['\\.real\\.test\\.ts$']),
  ],
  // What tests wait for comes within milliseconds on an idle machine. A busy machine must not make them fail.
  testTimeout: 30_000,
  // Node itself loads the tests. The reason is in ARCHITECTURE.md, under "Test files share a process".
  runtime: '<rootDir>/tools/ci/jest/runtime.js',
  testEnvironment: './tools/ci/jest/environment.js',
  testSequencer: './tools/ci/jest/sequencer.js',
  transform: {},
  injectGlobals: false,
};
