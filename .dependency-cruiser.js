/**
 * The folders of the larger packages, lowest first. A folder can import the folders of the lines above its own line,
 * and no other folder of its own line. Add each new folder here.
 */
const folders = {
  'packages/runtime/src': [
    ['identity', 'logging'],
    ['flags', 'metrics', 'sharing', 'time', 'wire'],
    ['client', 'queue'],
    ['cache', 'controller', 'election', 'events', 'serving'],
    ['webhook'],
    ['process'],
    ['testing'],
  ],
  'packages/testing/src': [['csi', 'plane'], ['controllers', 'real'], ['perturbation']],
  'packages/apiserver/src': [
    ['meta'],
    ['schema', 'selectors', 'storage'],
    ['structural'],
    ['cel'],
    ['http', 'patch', 'resources'],
    ['auth', 'discovery', 'managed-fields', 'metrics'],
    ['admission', 'flow-control'],
    ['rest'],
    ['custom-resources'],
  ],
};

const orderOfFolders = Object.entries(folders).flatMap(([base, levels]) => [
  ...levels.flatMap((level, index) =>
    level.map((folder) => ({
      name: `order-of-folders: ${base}/${folder}`,
      severity: 'error',
      from: { path: `^${base}/${folder}/` },
      to: {
        path: `^${base}/(${levels
          .slice(index)
          .flat()
          .filter((other) => other !== folder)
          .join('|')})/`,
      },
    })),
  ),
  {
    name: `folder-without-a-place: ${base}`,
    severity: 'error',
    from: {},
    to: { path: `^${base}/[^/]+/`, pathNot: `^${base}/(${levels.flat().join('|')})/` },
  },
]);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circle-of-files', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-circle-of-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    {
      name: 'grpc-on-demand',
      comment:
        'Loading gRPC takes a quarter of the CPU time of a start, and is useless without a CSI driver.',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/', pathNot: '/csi/csi-(connection|proto)\\.ts$' },
      to: {
        path: '/csi/csi-(connection|proto)\\.ts$|node_modules/@grpc/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'openapi-on-demand',
      comment: 'The descriptions of all fields are useless to a server that nobody asks for OpenAPI.',
      severity: 'error',
      from: {
        path: '^packages/apiserver/src/',
        pathNot: '^packages/apiserver/src/(discovery/(answer-)?openapi|schema/descriptions)',
      },
      to: {
        path: '^packages/apiserver/src/(discovery/(answer-)?openapi|schema/descriptions)',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'projects-by-name',
      comment:
        "A project imports another by its package's name. A relative path would get past the rules of eslint.config.js, which go by names. Models and fuzzing run whole apps, each through one file.",
      severity: 'error',
      from: {
        path: '^((?:packages|apps|tools)/[^/]+)/',
        pathNot: '^tools/(models|fuzz)/src/apps\\.ts$',
      },
      to: { path: '^(packages|apps|tools)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'decisions-of-apps-only',
      comment: 'kubectl-holdfast imports only the decisions that an app exports.',
      severity: 'error',
      from: { path: '^tools/kubectl-holdfast/' },
      to: { path: '^apps/', pathNot: '^apps/[^/]+/src/decide-exports\\.ts$' },
    },
    {
      name: 'no-tests-in-the-tool',
      comment: 'The embedded control plane is for tests.',
      severity: 'error',
      from: { path: '^tools/kubectl-holdfast/src/' },
      to: { path: '^(packages/(testing|apiserver)|tools/scenario)/' },
    },
    ...orderOfFolders.filter(({ to }) => !to.path.includes('()')),
  ],
  options: {
    // Imports of types count, because a reader of the one file must read the other too.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(test|dist|out-tsc|examples|node_modules)/' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      conditionNames: ['@holdfast/source', 'import', 'default'],
      exportsFields: ['exports'],
    },
  },
};
