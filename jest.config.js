import { availableParallelism } from 'node:os';

/*
 * One runner for the whole house: every project's tests, or those below the paths given. `*.scenario.test.ts` run on whatever
 * control plane is chosen; `*.real.test.ts` need the real one, and belong to `npm run test:real` alone.
 */
export default {
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tools'],
  // Many tests wait for other processes and for the network of loopback: with two files to a core, the cores do not idle.
  maxWorkers: 2 * availableParallelism(),
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
    ...(process.env.HOLDFAST_CONTROL_PLANE?.startsWith('real') ? [] : ['\\.real\\.test\\.ts$']),
  ],
  // What is awaited comes in milliseconds on an idle machine; a busy one is no reason to fail.
  testTimeout: 30_000,
  testEnvironment: './jest.environment.js',
  testEnvironmentOptions: { customExportConditions: ['@holdfast/source', 'node', 'import', 'default'] },
  moduleNameMapper: {
    '^undici$': '<rootDir>/packages/runtime/test/fixtures/undici-dispatchers.ts',
    // Who imports client-node's index finds names missing: its KubeConfig is in dist/config.js.
    '^\\./gen/index\\.js$': '<rootDir>/packages/runtime/test/fixtures/client-node-index.ts',
    '^\\./http/certificate\\.ts$': '<rootDir>/packages/testing/test/fixtures/shared-certificate.ts',
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2024',
          // Without its `with { type: 'json' }` an import of a manifest is soon an error.
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
