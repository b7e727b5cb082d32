import { importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const apps = ['pvc-protection', 'pv-reclaim-honor', 'retroactive-default-sc', 'statefulset-pvc-retention'];

/** Imports go one way: apps -> runtime -> core, and testing -> apiserver, core; nobody imports an app. */
function mayNotImport(names, why) {
  return {
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: [{ group: names, message: why }] }],
    },
  };
}

/** Of everything else nothing may be imported, whatever it is called. */
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

/** The answer rests on what is given: on no clock, no chance, no process and nothing that is asked for. */
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
    // One program for all: with the project service each project reads and checks again what it imports.
    languageOptions: {
      parserOptions: {
        // What runs in a browser has other globals than what runs in Node: it is a program of its own.
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
      // One import for a module, types marked in it.
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
      curly: 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // What we write are closures without a `this`; they may be handed on freely.
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
          message: 'toEqual leaves undefined out: [undefined] equals []. Use toStrictEqual([]).',
        },
      ],
    },
  },
  {
    files: ['packages/core/src/**'],
    ...mayNotImport(
      ['@holdfast/*', 'node:*', 'pino', 'prom-client', 'undici'],
      'core is pure: it imports no other package of ours, does no I/O and logs nothing.',
    ),
  },
  {
    // What every decision loads. zod is for the entry of custom resources alone.
    files: ['packages/core/src/*.ts'],
    ...mayNotImport(
      ['@holdfast/*', 'node:*', 'pino', 'prom-client', 'undici', 'zod', 'zod/*', './custom-resource/*'],
      'core is pure: it imports no other package of ours, does no I/O, logs nothing, and loads zod in custom-resource/ alone.',
    ),
  },
  {
    files: ['packages/runtime/src/**'],
    ...mayNotImport(['@holdfast/*', '!@holdfast/core'], 'runtime imports core only.'),
  },
  {
    // What runs an app within a test, an entry of its own: no program loads it.
    files: ['packages/runtime/src/testing/**'],
    ...mayNotImport(
      ['@holdfast/*', '!@holdfast/core', '!@holdfast/testing'],
      "runtime's entry for tests imports core and testing only.",
    ),
  },
  {
    files: ['packages/apiserver/src/**'],
    ...mayNotImport(['@holdfast/*'], 'apiserver imports no other package of ours.'),
  },
  {
    files: ['packages/testing/src/**'],
    ...mayNotImport(
      ['@holdfast/*', '!@holdfast/core', '!@holdfast/apiserver'],
      'testing imports apiserver and core only.',
    ),
  },
  {
    files: ['packages/cli/src/**'],
    ...mayNotImport(
      ['@holdfast/*'],
      'cli imports no other package of ours: a module that it loads has its own copies.',
    ),
  },
  {
    files: ['apps/*/src/**'],
    ...mayNotImport(
      ['@holdfast/*', '!@holdfast/core', '!@holdfast/runtime'],
      'an app imports runtime and core; testing is for tests, and nobody imports an app.',
    ),
  },
  {
    files: ['apps/*/src/**/decide.ts'],
    ...mayOnlyImport(
      ['@holdfast/core', '\\.{1,2}/decide/[^/]+'],
      'a decision is pure: data in, data out. It imports core, and the parts of its app in decide/.',
    ),
  },
  {
    files: ['apps/*/src/**/decide/**'],
    ...mayOnlyImport(
      ['@holdfast/core', '\\./[^/]+'],
      'a part of a decision is pure: data in, data out. It imports core, and the other parts beside it.',
    ),
  },
  {
    files: ['packages/core/src/**', 'apps/*/src/**/decide.ts', 'apps/*/src/**/decide/**'],
    ...mustBePure('core and decisions are pure: what the answer rests on is given, the time too.'),
  },
  {
    files: ['tools/*/src/**/*.ts', '{packages,apps,tools}/*/test/**/*.ts'],
    // They play the four controllers in one process: processes have no clock in common that a test could turn.
    ignores: ['tools/{models,fuzz}/src/apps.ts', 'tools/kubectl-holdfast/test/apps.ts'],
    ...mayNotImport(
      [...apps.map((app) => `@holdfast/${app}`), '**/apps/*'],
      'nobody imports an app: run it as a process.',
    ),
  },
  {
    // It says beforehand what the controllers will do, by their own decisions.
    files: ['tools/kubectl-holdfast/**/*.ts'],
    ignores: ['tools/kubectl-holdfast/test/apps.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^@holdfast/(${apps.join('|')})(?!/decide$)|/apps/`,
              message: 'of an app, only its decisions are for others: @holdfast/<app>/decide.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['tools/dashboards/src/**'],
    rules: {
      // Version 2 is for the latest Grafana and its API alone; files of version 1 are imported by all that are in use.
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
