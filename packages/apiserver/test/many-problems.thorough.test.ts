import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FieldError } from '../src/meta/field-error.ts';
import { type Json } from '../src/meta/json.ts';
import { pathSegment } from '../src/meta/names.ts';
import { validateObjectMeta } from '../src/meta/object-meta.ts';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type SchemaNode } from '../src/structural/schema-node.ts';
import { validateEmbedded, validateListTypes, validateValue } from '../src/structural/validate.ts';
import { clientOf, configMaps } from './client.ts';

/** More than the arguments that JavaScript passes in one call. */
const many = 130_000;

const times = <T>(each: T): T[] => Array<T>(many).fill(each);
const keysTo = <T>(value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: many }, (_, index) => [`/${String(index)}`, value]));

const listOf = (items: SchemaNode): SchemaNode => ({ type: 'array', items });
const integers = listOf({ type: 'integer' });
const inField = (node: SchemaNode): SchemaNode => ({ type: 'object', properties: { a: node } });
const set = { 'x-kubernetes-list-type': 'set' } as const;
const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true } as const;
const meta = (given: object): FieldError[] => validateObjectMeta({ name: 'a', ...given }, false, pathSegment);
const value = (given: Json, node: SchemaNode): FieldError[] => validateValue(given, node, 'spec');

// A client writes each of these, and validation adds them to the other problems.
test.each<[string, () => FieldError[]]>([
  ['items', () => value(times('a'), integers)],
  ['items in a field', () => value({ a: times('a') }, inField(integers))],
  ['items that no schema of anyOf allows', () => value(times('a'), { anyOf: [integers] })],
  ['items that not one schema of oneOf allows', () => value(times('a'), { oneOf: [integers] })],
  ['items that a schema of allOf forbids', () => value(times('a'), { allOf: [integers] })],
  [
    'sets with a repeated item',
    () => validateListTypes({ a: times([1, 1]) }, inField(listOf({ ...integers, ...set })), 'spec'),
  ],
  ['embedded objects', () => validateEmbedded({ a: times({}) }, inField(listOf(embedded)), 'spec')],
  ['finalizers', () => meta({ finalizers: times('') })],
  ['labels', () => meta({ labels: keysTo('') })],
  ['annotations', () => meta({ annotations: keysTo('') })],
  ['owners', () => meta({ ownerReferences: times({ apiVersion: 'v1', kind: 'a', name: '', uid: 'a' }) })],
])('more wrong %s than a call can have arguments -> a problem for each', (_what, validate) => {
  expect(validate().length).toBeGreaterThanOrEqual(many);
});

describe('sent to a server', () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer({ tls: false });
  });
  afterAll(() => server.stop());

  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const definition = (plural: string, field: object, shortNames: readonly string[] = []): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural, kind: plural, shortNames },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { field } } },
        },
      ],
    },
  });

  test('more problems than a call can have arguments -> 422 with all of them', async () => {
    // Each empty finalizer has several problems.
    const object = { metadata: { name: 'a', finalizers: times('').slice(0, many / 2) } };
    const { code, body } = await clientOf(server).send('POST', configMaps, object);
    expect({ code, reason: body.reason }).toEqual({ code: 422, reason: 'Invalid' });
    const { causes } = body.details as { readonly causes: readonly unknown[] };
    expect(causes.length).toBeGreaterThanOrEqual(many);
  });

  test('more enum values and short names of a kind than a call can have arguments -> created', async () => {
    const rules = [{ rule: "self != ''" }];
    const names = Array.from({ length: many }, (_, index) => `a${String(index)}`);
    const field = { type: 'string', enum: names, 'x-kubernetes-validations': rules };
    const { send } = clientOf(server);
    expect(await send('POST', definitions, definition('enums', field, names))).toMatchObject({ code: 201 });
  });

  test('more unknown fields below a key than a call can have arguments -> 400', async () => {
    const path = `${definitions}?dryRun=All&fieldValidation=Strict`;
    const { code } = await clientOf(server).send('POST', path, definition('odd', keysTo('')));
    expect(code).toBe(400);
  });
});
