import { importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const apps = ['pvc-protection', 'pv-reclaim-honor', 'retroactive-default-sc', 'statefulset-pvc-retention'];

/** Imports go one way: apps -> runtime -> core, and testing -> apiserver, core. Nothing imports an app. */
function mustNotImport(names, why) {
  return {
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: [{ group: names, message: why }] }],
    },
  };
}

/** Allows these modules and refuses every other, whatever its name. */
function mayOnlyImport(modules, why) {
  return {
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ regex: `^(?!(${modules.join('|')})$)`, message: why }] },
      ],
    },
  };
}

/**
 * A result depends on the arguments alone: not on a clock, on chance, on the process, or on anything that is fetched.
 */
function mustBePure(why) {
  const names = ['process', 'performance', 'crypto', 'fetch', 'console', 'queueMicrotask'];
  const timers = ['setTimeout', 'setInterval', 'setImmediate'];
  return {
    rules: {
      'no-restricted-globals': ['error', ...[...names, ...timers].map((name) => ({ name, message: why }))],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: why },
        { object: 'Math', property: 'random', message: why },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: why },
      ],
    },
  };
}

export default tseslint.config(
  { ignores: ['**/dist/**', '**/out-tsc/**', '**/node_modules/**'] },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    plugins: { 'import-x': importX },
    // One program for all projects: with the project service, each project reads and checks its imports again.
    languageOptions: {
      parserOptions: {
        // Code that runs in a browser has other globals than code that runs in Node, so it is a program of its own.
        project: ['./tsconfig.check.json', './tools/kubectl-holdfast/src/view/page/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // One import statement for each module, with its types marked inline.
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
      curly: 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Our functions are closures that do not use `this`, so they can be passed on freely.
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['**/test/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name='toEqual'] > ArrayExpression[elements.length=0]",
          message: 'toEqual ignores undefined: [undefined] equals []. Use toStrictEqual([]).',
        },
      ],
    },
  },
  {
    files: ['packages/core/src/**'],
    ...mustNotImport(
      ['@holdfast/*', 'node:*', 'pino', 'prom-client', 'undici'],
      'core is pure: it imports no other @holdfast package, does no I/O and logs nothing.',
    ),
  },
  {
    // Every decision loads these files. Only the entry point for custom resources loads zod.
    files: ['packages/core/src/*.ts'],
    ...mustNotImport(
      ['@holdfast/*', 'node:*', 'pino', 'prom-client', 'undici', 'zod', 'zod/*', './custom-resource/*'],
      'core is pure: it imports no other @holdfast package, does no I/O, logs nothing, and loads zod in custom-resource/ alone.',
    ),
  },
  {
    files: ['packages/runtime/src/**'],
    ...mustNotImport(['@holdfast/*', '!@holdfast/core'], 'runtime imports core only.'),
  },
  {
    // This entry point runs an app within a test. No program loads it.
    files: ['packages/runtime/src/testing/**'],
    ...mustNotImport(
      ['@holdfast/*', '!@holdfast/core', '!@holdfast/testing'],
      "runtime's entry point for tests imports core and testing only.",
    ),
  },
  {
    files: ['packages/apiserver/src/**'],
    ...mustNotImport(['@holdfast/*'], 'apiserver imports no other @holdfast package.'),
  },
  {
    // A client decides how many items a list has.
    files: ['packages/apiserver/src/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.property.name=/^(push|unshift|max|min)$/] > SpreadElement',
          message: 'A call with some 120,000 arguments overflows the stack: use append, or reduce.',
        },
      ],
    },
  },
  {
    files: ['packages/testing/src/**'],
    ...mustNotImport(
      ['@holdfast/*', '!@holdfast/core', '!@holdfast/apiserver'],
      'testing imports apiserver and core only.',
    ),
  },
  {
    files: ['packages/cli/src/**'],
    ...mustNotImport(
      ['@holdfast/*'],
      'cli imports no other @holdfast package: a module that it loads has its own copies of them.',
    ),
  },
  {
    files: ['apps/*/src/**'],
    ...mustNotImport(
      ['@holdfast/*', '!@holdfast/core', '!@holdfast/runtime'],
      'an app imports runtime and core only; testing is for tests, and nothing imports an app.',
    ),
  },
  {
    files: ['apps/*/src/**/decide.ts'],
    ...mayOnlyImport(
      ['@holdfast/core', '\\.{1,2}/decide/[^/]+'],
      'a decision is pure: data in, data out. It imports core, and the files in decide/ of its app.',
    ),
  },
  {
    files: ['apps/*/src/**/decide/**'],
    ...mayOnlyImport(
      ['@holdfast/core', '\\./[^/]+'],
      'a part of a decision is pure: data in, data out. It imports core, and the other files in that folder.',
    ),
  },
  {
    files: ['packages/core/src/**', 'apps/*/src/**/decide.ts', 'apps/*/src/**/decide/**'],
    ...mustBePure('core and decisions are pure: pass in whatever the result depends on, the time included.'),
  },
  {
    files: ['tools/*/src/**/*.ts', '{packages,apps,tools}/*/test/**/*.ts'],
    // These files run the four controllers in one process, since separate processes share no clock that a test could
    // set.
    ignores: ['tools/{models,fuzz}/src/apps.ts', 'tools/kubectl-holdfast/test/{apps,app-verdict}.ts'],
    ...mustNotImport(
      [...apps.map((app) => `@holdfast/${app}`), '**/apps/*'],
      'nothing imports an app: run it as a process.',
    ),
  },
  {
    // The plugin predicts what the controllers will do by calling their own decisions.
    files: ['tools/kubectl-holdfast/**/*.ts'],
    ignores: ['tools/kubectl-holdfast/test/{apps,app-verdict}.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^@holdfast/(${apps.join('|')})(?!/decide$)|/apps/`,
              message: 'import nothing of an app but its decisions: @holdfast/<app>/decide.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['tools/dashboards/src/**'],
    rules: {
      // Only the latest Grafana takes dashboards of version 2, and only through its API. Every Grafana in use imports
      // files of version 1.
      '@typescript-eslint/no-deprecated': [
        'error',
        {
          allow: [
            {
              from: 'package',
              name: ['Dashboard', 'DashboardBuilder'],
              package: '@grafana/grafana-foundation-sdk',
            },
          ],
        },
      ],
    },
  },
);
