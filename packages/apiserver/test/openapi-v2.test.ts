import { afterEach, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

let server: ApiServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

interface Swagger {
  readonly swagger: string;
  readonly paths: Readonly<Record<string, { readonly patch?: { readonly parameters: readonly object[] } }>>;
  readonly definitions: Readonly<Record<string, unknown>>;
}

async function swagger(): Promise<Swagger> {
  server ??= await startApiServer({ tls: false });
  const { code, body } = await server.handle('GET', '/openapi/v2');
  expect(code).toBe(200);
  return JSON.parse(body) as Swagger;
}

async function define(spec: object): Promise<unknown> {
  server = await startApiServer({ tls: false });
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { code, body } = await server.handle('POST', path, JSON.stringify(definition));
  expect({ code, body }).toMatchObject({ code: 201 });
  const { definitions } = await swagger();
  const published = definitions['com.example.v1.Widget'] as {
    readonly properties: { readonly spec: unknown };
  };
  return published.properties.spec;
}

test('built-in kinds -> definitions refer to each other, with group, version and kind', async () => {
  const document = await swagger();
  expect(document.swagger).toBe('2.0');
  expect(document.definitions['io.k8s.api.core.v1.ConfigMap']).toMatchObject({
    type: 'object',
    properties: {
      data: { type: 'object', additionalProperties: { type: 'string' } },
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    },
    'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'ConfigMap' }],
  });
  expect(JSON.stringify(document).includes('#/components/')).toBe(false);
});

test.each([
  [
    'core.v1.ServicePort',
    'targetPort',
    'util.intstr.IntOrString',
    { type: 'string', format: 'int-or-string' },
  ],
  ['storage.v1.CSIStorageCapacity', 'capacity', 'api.resource.Quantity', { type: 'string' }],
  ['core.v1.PodStatus', 'startTime', 'apis.meta.v1.Time', { type: 'string', format: 'date-time' }],
  [
    'coordination.v1.LeaseSpec',
    'renewTime',
    'apis.meta.v1.MicroTime',
    { type: 'string', format: 'date-time' },
  ],
  ['apps.v1.ControllerRevision', 'data', 'runtime.RawExtension', { type: 'object' }],
])('%s.%s -> refers to %s, which has one type', async (struct, field, name, type) => {
  const { definitions } = await swagger();
  const full = `io.k8s.apimachinery.pkg.${name}`;
  expect(definitions).toMatchObject({
    [`io.k8s.api.${struct}`]: { properties: { [field]: { $ref: `#/definitions/${full}` } } },
  });
  expect(definitions[full]).toStrictEqual({ ...type, description: expect.any(String) });
});

test('fields of a schema in a CustomResourceDefinition -> refer to types of any form', async () => {
  const { definitions } = await swagger();
  const prefix = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';
  const refersTo = (name: string): object => ({ $ref: `#/definitions/${prefix}${name}` });
  expect(definitions[`${prefix}JSONSchemaProps`]).toMatchObject({
    properties: {
      default: refersTo('JSON'),
      enum: { items: refersTo('JSON') },
      items: refersTo('JSONSchemaPropsOrArray'),
      additionalProperties: refersTo('JSONSchemaPropsOrBool'),
      dependencies: { additionalProperties: refersTo('JSONSchemaPropsOrStringArray') },
    },
  });
  expect(definitions[`${prefix}JSON`]).toStrictEqual({ description: 'Any value of JSON.' });
});

test('patch of a kind -> has the parameter by which kubectl knows that the server validates fields', async () => {
  const { paths } = await swagger();
  const parameters = paths['/api/v1/namespaces/{namespace}/configmaps/{name}']?.patch?.parameters;
  expect(parameters).toContainEqual({
    name: 'fieldValidation',
    in: 'query',
    type: 'string',
    uniqueItems: true,
  });
});

test('custom kind -> published at once', async () => {
  const spec = {
    type: 'object',
    description: 'what is wanted',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1 },
      names: { type: 'array', items: { type: 'string' } },
    },
  };
  await expect(define(spec)).resolves.toEqual(spec);
});

test.each([
  [
    'unknown fields are kept -> no fields',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
    { 'x-kubernetes-preserve-unknown-fields': true },
  ],
  [
    'null is a value -> no type',
    { type: 'object', properties: { a: { type: 'string', nullable: true } } },
    { type: 'object', properties: { a: {} } },
  ],
  [
    'field that may be null is required -> not required',
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
    },
    { type: 'object', required: ['b'], properties: { a: {}, b: { type: 'string' } } },
  ],
  [
    'one of several -> left out',
    {
      type: 'object',
      properties: { a: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { not: { required: ['a'] } }],
    },
    { type: 'object', properties: { a: { type: 'string' } } },
  ],
])('custom kind, %s', async (_, spec, published) => {
  await expect(define(spec)).resolves.toEqual(published);
});

test.each([
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  // What clients in Go ask for, which can't be read as a media type.
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
])('%s asked for -> the same document in it', async (accept) => {
  server = await startApiServer({ tls: false, token: 'admin' });
  const answer = await fetch(`${server.url}/openapi/v2`, {
    headers: { Accept: accept, Authorization: 'Bearer admin' },
  });
  expect(answer.headers.get('content-type')).toBe(
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  );
  const document = fieldsOf(Buffer.from(await answer.arrayBuffer()));
  expect(document.get(1)?.map(String)).toEqual(['2.0']);
  const [definitions] = document.get(9) ?? [];
  const named = (fieldsOf(definitions ?? Buffer.alloc(0)).get(1) ?? []).map(fieldsOf);
  const configMap = named.find((field) => String(field.get(1)?.[0]) === 'io.k8s.api.core.v1.ConfigMap');
  const schema = fieldsOf(configMap?.get(2)?.[0] ?? Buffer.alloc(0));
  expect(
    fieldsOf(schema.get(22)?.[0] ?? Buffer.alloc(0))
      .get(1)
      ?.map(String),
  ).toEqual(['object']);
  const extension = fieldsOf(schema.get(31)?.[0] ?? Buffer.alloc(0));
  expect(String(extension.get(1)?.[0])).toBe('x-kubernetes-group-version-kind');
  const { definitions: inJson } = await swagger();
  expect(named).toHaveLength(Object.keys(inJson).length);
});

/** The fields of a message that has texts and messages only, by number. Others are passed over. */
function fieldsOf(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * shift;
      if (byte < 128) {
        return value;
      }
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wire = tag & 7;
    if (wire === 0) {
      varint();
    } else if (wire === 1) {
      at += 8;
    } else {
      const length = varint();
      const number = tag >>> 3;
      fields.set(number, [...(fields.get(number) ?? []), message.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}

test('custom kind that keeps whatever it is sent -> nothing is said of its fields', async () => {
  server = await startApiServer({ tls: false });
  const definition = {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await server.handle('POST', path, JSON.stringify(definition));
  const { definitions } = await swagger();
  expect(definitions['com.example.v1.Thing']).toEqual({
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Thing' }],
  });
});

test('operation without parameters, type without fields -> nothing empty, in v3 too', async () => {
  const { paths } = await swagger();
  expect(JSON.stringify(paths)).not.toContain('"parameters":[]');
  const v3 = await server?.handle('GET', '/openapi/v3/api/v1');
  expect(v3?.body).not.toContain('"parameters":[]');
  const extensions = await server?.handle('GET', '/openapi/v3/apis/apiextensions.k8s.io/v1');
  expect(extensions?.body).not.toContain('"properties":{}');
});
