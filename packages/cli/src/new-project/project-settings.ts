import type { ProjectNames } from './project-names.ts';

/** The versions that a new project requires, by package name. */
export type ProjectVersions = Readonly<
  Record<'@holdfast/core' | '@holdfast/runtime' | '@holdfast/testing' | '@holdfast/cli' | 'zod', string>
>;

/** The versions of third-party packages that this release was tested with. */
export const toolVersions = { '@types/node': '24.19.2', typescript: '7.0.2' } as const;

export function manifestText({ operator, kind }: ProjectNames, versions: ProjectVersions): string {
  const manifest = {
    name: operator,
    version: '0.1.0',
    description: `Looks after each ${kind}`,
    private: true,
    type: 'module',
    engines: { node: '>=22.19' },
    scripts: {
      build: 'tsc',
      test: 'tsc && node --test "dist/test/*.test.js"',
      start: 'node dist/src/main.js',
      crd: 'holdfast crd src/kinds.ts --out deploy/crds',
      rbac: 'holdfast rbac requests --out deploy/role.yaml',
    },
    dependencies: {
      '@holdfast/core': versions['@holdfast/core'],
      '@holdfast/runtime': versions['@holdfast/runtime'],
      zod: versions.zod,
    },
    devDependencies: {
      '@holdfast/cli': versions['@holdfast/cli'],
      '@holdfast/testing': versions['@holdfast/testing'],
      ...toolVersions,
    },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export const tsconfigText = `{
  "compilerOptions": {
    "target": "es2024",
    "lib": ["es2024", "esnext.disposable"],
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "exactOptionalPropertyTypes": true,
    "skipLibCheck": true,
    "rewriteRelativeImportExtensions": true,
    "rootDir": ".",
    "outDir": "dist"
  },
  "include": ["src", "test"]
}
`;

export function readmeText({ operator, kind, plural, group }: ProjectNames): string {
  return `# ${operator}

Keeps a ConfigMap with its text for each ${kind} (\`${plural}.${group}\`), and says in its status which text that is.

    npm install
    npm test                    on an API server in the tests' own process
    npm run crd                 deploy/crds, the definition of the kind
    rm -rf requests && HOLDFAST_RECORD_REQUESTS=$PWD/requests npm test && npm run rbac
                                deploy/role.yaml, the rights that the tests needed
    npm run build && npm start -- --leader-elect=false
                                on the cluster of your kubeconfig, once it has the definition

A ConfigMap of that name that somebody else has made is left as it is.

| file                | what it holds                                       |
| ------------------- | --------------------------------------------------- |
| \`src/kinds.ts\`      | the kind: its type and its CustomResourceDefinition |
| \`src/decide.ts\`     | what there is to be, as a pure function             |
| \`src/controller.ts\` | what is watched, and what is written                |
| \`src/command.ts\`    | name, flags and feature gates                       |
| \`src/main.ts\`       | the program                                         |
`;
}
