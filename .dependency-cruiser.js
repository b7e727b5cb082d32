/**
 * The folders of the larger packages, from the ground up: a folder imports those of the lines above its own, and none beside it.
 * A new folder gets its place here.
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
      comment: 'Loading gRPC is a quarter of the CPU time of a start, and of no use without a CSI driver.',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/', pathNot: '/csi/csi-(connection|proto)\\.ts$' },
      to: {
        path: '/csi/csi-(connection|proto)\\.ts$|node_modules/@grpc/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'decisions-of-apps-only',
      comment: 'What kubectl-holdfast needs of an app is what the app exports as its decisions.',
      severity: 'error',
      from: { path: '^tools/kubectl-holdfast/' },
      to: { path: '^apps/', pathNot: '^apps/[^/]+/src/decide-exports\\.ts$' },
    },
    {
      name: 'no-tests-in-the-tool',
      comment: 'A plane in a box is for tests.',
      severity: 'error',
      from: { path: '^tools/kubectl-holdfast/src/' },
      to: { path: '^(packages/(testing|apiserver)|tools/scenario)/' },
    },
    ...orderOfFolders.filter(({ to }) => !to.path.includes('()')),
  ],
  options: {
    // Imports of types count: who reads one file must read the other.
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
