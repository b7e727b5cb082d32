import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  kindsOfDefinition,
  kindsOfDocument,
  type CustomResourceDefinition,
  type KindSchema,
  type OpenApiDocument,
} from './openapi-schemas.ts';

/** A Go module that contains schemas. */
interface SchemaSource {
  readonly module: string;
  readonly version: string;
  /** The checksum of the module's files, as in go.sum. */
  readonly sum: string;
  readonly files: string;
  readonly kinds: 'OpenAPI' | 'CustomResourceDefinition';
}

/** What kube-apiserver of that release publishes at /openapi/v3. */
const kubernetes = (version: string, sum: string): SchemaSource => ({
  module: 'k8s.io/kubernetes',
  version,
  sum,
  files: 'api/openapi-spec/v3/{api__v1,apis__*__v1}_openapi.json',
  kinds: 'OpenAPI',
});

const custom: readonly SchemaSource[] = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    sum: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    files: 'example/prometheus-operator-crd/*_{prometheusrules,servicemonitors}.yaml',
    kinds: 'CustomResourceDefinition',
  },
  {
    module: 'github.com/cert-manager/cert-manager',
    version: 'v1.21.0',
    sum: 'h1:BCoB2BxA1lbqPusZCqPLPn8Q9MhraL7RbZGHbBcm3W8=',
    files: 'deploy/crds/cert-manager.io_{certificates,issuers}.yaml',
    kinds: 'CustomResourceDefinition',
  },
];

/** Where the schemas for each release of Kubernetes come from, including those of custom resources. */
export const schemaSources: Readonly<Record<'1.36' | '1.31', readonly SchemaSource[]>> = {
  '1.36': [kubernetes('v1.36.3', 'h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o='), ...custom],
  '1.31': [kubernetes('v1.31.0', 'h1:sYAB12TTWexXKp4RxqJMm/7EC+P0mNOgn4Xdj5eu7HM='), ...custom],
};

/**
 * Reads the kinds of a module, which Go downloads if it is not in its cache. kubectl converts YAML to JSON.
 *
 * @throws Error if there is no Go, or if the module is not available or is not the pinned one
 */
export async function readKinds(source: SchemaSource, kubectl: string): Promise<readonly KindSchema[]> {
  const { module, version, sum, files, kinds } = source;
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', `${module}@${version}`], {
    env: { ...process.env, GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '-mod=mod' },
  });
  const downloaded = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  if (downloaded.Sum !== sum) {
    throw new Error(`${module}@${version} has the sum ${downloaded.Sum}, and ${sum} is pinned`);
  }
  const paths = globSync(files, { cwd: downloaded.Dir }).map((path) => join(downloaded.Dir, path));
  if (paths.length === 0) {
    throw new Error(`${module}@${version} has no files ${files}`);
  }
  switch (kinds) {
    case 'OpenAPI': {
      const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
      return texts.flatMap((text) => kindsOfDocument(JSON.parse(text) as OpenApiDocument));
    }
    case 'CustomResourceDefinition': {
      const texts = await Promise.all(paths.map((path) => asJson(path, kubectl)));
      return texts.flatMap((text) => kindsOfDefinition(JSON.parse(text) as CustomResourceDefinition));
    }
  }
}

/** Returns a manifest of one object as JSON, without contacting a cluster. */
async function asJson(path: string, kubectl: string): Promise<string> {
  const args = ['annotate', '--local', '--output=json', `--filename=${path}`, 'holdfast.dev/none-'];
  const { stdout } = await promisify(execFile)(kubectl, args, {
    env: { ...process.env, KUBECONFIG: '/dev/null', KUBERC: 'off' },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}
