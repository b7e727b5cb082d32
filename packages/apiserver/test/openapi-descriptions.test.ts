import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { descriptions } from '../src/schema/descriptions.ts';
import { type ApiServer, startApiServer } from '../src/server.ts';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly enum?: readonly string[];
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

test('reference to a type in OpenAPI v3 -> wrapped, with what the field is beside it', () => {
  expect(core['io.k8s.api.core.v1.Pod']?.properties?.['spec']).toStrictEqual({
    description: descriptions['core.v1.Pod']?.fields['spec'],
    allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
  });
});

test('reference to a type in OpenAPI v2 -> with what the field is beside it', () => {
  expect(older['io.k8s.api.core.v1.Pod']?.properties?.['spec']).toStrictEqual({
    description: descriptions['core.v1.Pod']?.fields['spec'],
    $ref: '#/definitions/io.k8s.api.core.v1.PodSpec',
  });
});

test('field with few values -> described besides its enumeration', () => {
  expect(core['io.k8s.api.core.v1.PodSpec']?.properties?.['restartPolicy']).toStrictEqual({
    type: 'string',
    description: descriptions['core.v1.PodSpec']?.fields['restartPolicy'],
    enum: ['Always', 'Never', 'OnFailure'],
  });
});

/** Types and fields, as the type and the field with a dot between them, that are published without a description. */
function bareIn(schemas: typeof core): readonly string[] {
  return Object.entries(schemas).flatMap(([name, { description, properties = {} }]) => [
    ...(description === undefined ? [name] : []),
    ...Object.entries(properties).flatMap(([field, schema]) =>
      schema.description === undefined ? [`${name}.${field}`] : [],
    ),
  ]);
}

/** What nothing is written about: nothing should come to it. */
const bare: readonly string[] = [];

test('built-in kinds -> each type and each field is described, in v2 and v3', async () => {
  const { paths } = JSON.parse((await server.handle('GET', '/openapi/v3')).body) as { paths: object };
  const roots = Object.keys(paths).filter((root) => root !== 'apis/example.com/v1');
  const documents = await Promise.all(roots.map((root) => schemasOf(`/openapi/v3/${root}`)));
  const builtIn = Object.entries(older).filter(([name]) => !name.startsWith('com.example.'));
  expect(builtIn.length).toBeGreaterThan(480);
  expect([...new Set(documents.flatMap(bareIn))]).toStrictEqual(bare);
  expect(bareIn(Object.fromEntries(builtIn))).toStrictEqual(bare);
});

test('descriptions -> of nothing that is not published', () => {
  const published = new Map(
    Object.entries(older).map(([name, { properties = {} }]) => [
      name.split('.').slice(-3).join('.'),
      properties,
    ]),
  );
  const stray = Object.entries(descriptions).flatMap(([struct, { fields }]) =>
    Object.keys(fields)
      .filter((field) => published.get(struct)?.[field] === undefined)
      .concat(published.has(struct) ? [] : [''])
      .map((field) => `${struct}.${field}`),
  );
  expect(stray).toStrictEqual([]);
});

test('descriptions -> short sentences, each on one line', () => {
  const odd = Object.entries(descriptions)
    .filter(([struct]) => !struct.startsWith('meta.'))
    .flatMap(([, { about, fields }]) => [about, ...Object.values(fields)])
    .filter((text) => text.length > 170 || !/^[A-Z0-9$].*[^ .]\.$/.test(text) || text.includes('  '));
  expect(odd).toStrictEqual([]);
});
