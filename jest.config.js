/** One runner for the whole house: every project's tests, or those below the paths given. */
export default {
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tools'],
  globalSetup: './jest.global-setup.js',
  testMatch: ['**/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/out-tsc/'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@holdfast/source', 'node', 'import', 'default'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
