import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* Mistakes in CustomResourceDefinitions, which kube-apiserver 1.36 refuses in these words. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

type Fields = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const object = (properties: Fields, more: Fields = {}): Fields => ({ type: 'object', properties, ...more });

async function define(schema: Fields, more: Fields): Promise<{ code: number; message: string }> {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
  const definition = {
    metadata: { name: 'links.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'links', kind: 'Link' },
      versions: [version],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
  const { code, body } = await server.handle('POST', path, JSON.stringify(definition));
  const { message = '' } = JSON.parse(body) as { message?: string };
  return { code, message: message.replace(/^.* is invalid: /, '') };
}

describe('versions', () => {
  const schema = object({
    spec: object({ host: text, ports: { type: 'array', items: text }, labels: object({}) }),
    metadata: object({ name: text }),
  });
  const selecting = (...paths: string[]): Fields => ({
    selectableFields: paths.map((jsonPath) => ({ jsonPath })),
  });
  const field = (index: number): string => `spec.selectableFields[${index}].jsonPath`;
  const scalar =
    'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
  const warning = 'spec.versions[0].deprecationWarning';
  const mistakes: readonly (readonly [title: string, more: Fields, message: string])[] = [
    [
      'selectable field twice',
      selecting('.spec.host', '.spec.host'),
      `${field(1)}: Duplicate value: ".spec.host"`,
    ],
    ['selectable list', selecting('.spec.ports'), `${field(0)}: Invalid value: ".spec.ports": ${scalar}`],
    ['selectable object', selecting('.spec.labels'), `${field(0)}: Invalid value: ".spec.labels": ${scalar}`],
    [
      'selectable field that the schema lacks',
      selecting('.spec.none'),
      `${field(0)}: Invalid value: ".spec.none": is an invalid path: does not refer to a valid field`,
    ],
    [
      'selectable field without its first dot',
      selecting('spec.host'),
      `${field(0)}: Invalid value: "spec.host": is an invalid path: expected [ or . but got: spec`,
    ],
    [
      'selectable item',
      selecting('.spec.ports[0]'),
      `${field(0)}: Invalid value: ".spec.ports[0]": is an invalid path: array notation is not allowed`,
    ],
    [
      'selectable name',
      selecting('.metadata.name'),
      `${field(0)}: Invalid value: ".metadata.name": must not point to fields in metadata`,
    ],
    ['selectable field without a path', selecting(''), `${field(0)}: Required value`],
    [
      'warning of a version that is not deprecated',
      { deprecationWarning: 'x' },
      `${warning}: Invalid value: "x": can only be set for deprecated versions`,
    ],
    [
      'empty warning',
      { deprecated: true, deprecationWarning: '' },
      `${warning}: Invalid value: "": must not be an empty string`,
    ],
    [
      'warning of two lines',
      { deprecated: true, deprecationWarning: 'a\nb' },
      `${warning}: Invalid value: "a\\nb": must only contain printable UTF-8 characters; non-printable character found at index 1`,
    ],
    [
      'replicas at a path without its first dot',
      { subresources: { scale: { specReplicasPath: 'spec.n', statusReplicasPath: '.status.n' } } },
      'spec.subresources.scale.specReplicasPath: Invalid value: "spec.n": must be a simple json path starting with .',
    ],
  ];
  test.each(mistakes)('%s -> refused', async (_, more, message) => {
    await expect(define(schema, more)).resolves.toEqual({ code: 422, message });
  });

  test('more than eight selectable fields -> refused', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `f${index}`);
    const wide = object(Object.fromEntries(names.map((name) => [name, text])));
    await expect(define(wide, selecting(...names.map((name) => `.${name}`)))).resolves.toEqual({
      code: 422,
      message: 'spec.selectableFields: Too many: 9: must have at most 8 items',
    });
  });

  test('printer column with a path that nobody can read -> taken', async () => {
    const columns = { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a[' }] };
    await expect(define(schema, columns)).resolves.toMatchObject({ code: 201 });
  });
});

describe('schemas', () => {
  const at = 'spec.validation.openAPIV3Schema.properties[spec]';
  const empty = 'Forbidden: must be empty to be structural';
  const list = (items: Fields, type: string, more: Fields = {}): Fields => ({
    type: 'array',
    items,
    'x-kubernetes-list-type': type,
    ...more,
  });
  const keyed = { 'x-kubernetes-list-map-keys': ['k'] };
  const item = object({ k: text }, { required: ['k'] });
  const mistakes: readonly (readonly [title: string, spec: Fields, message: string])[] = [
    ['type in anyOf', { ...text, anyOf: [text] }, `${at}.anyOf[0].type: ${empty}`],
    [
      'string or integer, in the order that is not known',
      { 'x-kubernetes-int-or-string': true, anyOf: [text, { type: 'integer' }] },
      `[${at}.anyOf[0].type: ${empty}, ${at}.anyOf[1].type: ${empty}]`,
    ],
    [
      'default of a field in oneOf',
      object({ a: text }, { oneOf: [{ properties: { a: { default: 'x' } } }] }),
      `${at}.oneOf[0].properties[a].default: Forbidden: must be undefined to be structural`,
    ],
    [
      'nullable in not',
      object({ a: text }, { not: { properties: { a: { nullable: true } } } }),
      `${at}.not.properties[a].nullable: Forbidden: must be false to be structural`,
    ],
    [
      'set of objects',
      list(item, 'set'),
      `${at}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
    [
      'set of nulls',
      list({ ...text, nullable: true }, 'set'),
      `${at}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set`,
    ],
    [
      'list of type map with null items',
      list({ ...item, nullable: true }, 'map', keyed),
      `${at}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map`,
    ],
    [
      'list of type map with null keys',
      list(object({ k: { ...text, nullable: true } }, { required: ['k'] }), 'map', keyed),
      `${at}.items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable`,
    ],
    [
      'list of type map of strings',
      list(text, 'map', keyed),
      `${at}.items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
    ],
    [
      'embedded resource with a number as its kind',
      object({ kind: { type: 'integer' } }, { 'x-kubernetes-embedded-resource': true }),
      `${at}.properties[kind].type: Invalid value: "integer": must be string`,
    ],
  ];
  test.each(mistakes)('%s -> refused', async (_, spec, message) => {
    await expect(define(object({ spec }), {})).resolves.toEqual({ code: 422, message });
  });

  test.each([
    ['apiVersion', { type: 'integer' }, 'string'],
    ['metadata', text, 'object'],
  ])('%s of another type -> refused', async (name, schema, wanted) => {
    await expect(define(object({ [name]: schema }), {})).resolves.toEqual({
      code: 422,
      message: `spec.validation.openAPIV3Schema.properties[${name}].type: Invalid value: "${schema.type}": must be ${wanted}`,
    });
  });

  test('field of the root that only anyOf names -> refused', async () => {
    const root = 'spec.validation.openAPIV3Schema';
    await expect(define(object({}, { anyOf: [{ properties: { a: {} } }] }), {})).resolves.toEqual({
      code: 422,
      message: `${root}.properties[a]: Required value: because it is defined in ${root}.anyOf[0].properties[a]`,
    });
  });

  test.each<[string, Fields]>([
    [
      'field below the root that only anyOf names',
      object({ a: text }, { anyOf: [{ properties: { b: {} } }] }),
    ],
    ['integer or string', { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, text] }],
    [
      'integer or string with more in allOf',
      {
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, text] }, { pattern: 'x' }],
      },
    ],
    ['object without any field', { type: 'object', additionalProperties: false }],
  ])('%s -> taken', async (_, spec) => {
    await expect(define(object({ spec }), {})).resolves.toMatchObject({ code: 201 });
  });
});
