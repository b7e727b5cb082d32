import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

let server: ApiServer;
let core: Readonly<Record<string, Schema>> = {};
let custom: Readonly<Record<string, Schema>> = {};
let older: Readonly<Record<string, Schema>> = {};

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

beforeAll(async () => {
  server = await startApiServer({ tls: false });
  await server.handle(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    JSON.stringify(definition),
  );
  core = await schemasOf('/openapi/v3/api/v1');
  custom = await schemasOf('/openapi/v3/apis/example.com/v1');
  older = await schemasOf('/openapi/v2');
});
afterAll(() => server.stop());

async function schemasOf(path: string): Promise<Readonly<Record<string, Schema>>> {
  const { definitions, components } = JSON.parse((await server.handle('GET', path)).body) as {
    readonly definitions?: Readonly<Record<string, Schema>>;
    readonly components?: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  return definitions ?? components?.schemas ?? {};
}

const meta = (name: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;

describe.each(['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry', 'ListMeta'])('%s', (name) => {
  test.each<[string, () => typeof core]>([
    ['a custom kind', () => custom],
    ['OpenAPI v2', () => older],
  ])('in the document of %s -> it and each of its fields are described', (_title, schemas) => {
    const { description, properties = {} } = schemas()[meta(name)] ?? {};
    expect(description).toMatch(new RegExp(`^${name} .*\\.$`));
    const bare = Object.entries(properties).filter(
      ([, field]) => !/^[A-Z].*\.$/.test(field.description ?? ''),
    );
    expect(Object.keys(properties)).not.toHaveLength(0);
    expect(bare).toStrictEqual([]);
  });
});

test('built-in kind -> apiVersion, kind and metadata are described', () => {
  const { apiVersion, kind, metadata } = core['io.k8s.api.core.v1.ConfigMap']?.properties ?? {};
  expect([apiVersion?.description, kind?.description, metadata?.description]).toEqual([
    expect.stringMatching(/^APIVersion defines/),
    expect.stringMatching(/^Kind is/),
    expect.stringMatching(/^Standard object's metadata/),
  ]);
});

test('apiVersion and kind of a reference -> described as of what it names', () => {
  const { apiVersion } = core[meta('OwnerReference')]?.properties ?? {};
  expect(apiVersion?.description).toContain('owner');
});

test('field of a kind that nothing is written about -> no description', () => {
  expect(core['io.k8s.api.core.v1.ConfigMap']?.properties?.['data']).not.toHaveProperty('description');
});
