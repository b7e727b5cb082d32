import { describe, expect, test } from '@jest/globals';
import type { Json, JsonObject } from '../src/meta/json.ts';
import { applyDefaults } from '../src/structural/defaults.ts';
import { hasFormat } from '../src/structural/formats.ts';
import { pruneObject } from '../src/structural/prune.ts';
import type { SchemaNode } from '../src/structural/schema-node.ts';
import { validateEmbedded, validateListTypes, validateValue } from '../src/structural/validate.ts';

const text: SchemaNode = { type: 'string' };
const preserving = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const object = (properties: Record<string, SchemaNode>, more: SchemaNode = {}): SchemaNode => ({
  type: 'object',
  properties,
  ...more,
});

describe('pruning', () => {
  const cases: readonly (readonly [string, SchemaNode, JsonObject, JsonObject, readonly string[]])[] = [
    ['field that is not named -> pruned', object({ a: text }), { a: 'x', b: 1 }, { a: 'x' }, ['b']],
    [
      'apiVersion, kind and metadata of the root -> kept',
      object({}),
      { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } },
      { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } },
      [],
    ],
    [
      'the same names below the root -> pruned',
      object({ a: object({}) }),
      { a: { kind: 'A', metadata: {} } },
      { a: {} },
      ['a.kind', 'a.metadata'],
    ],
    [
      'unknown fields are preserved -> kept, but pruned below what is named',
      object({ a: object({ b: text }) }, preserving),
      { x: { y: 1 }, a: { b: 'x', c: 1 } },
      { x: { y: 1 }, a: { b: 'x' } },
      ['a.c'],
    ],
    [
      'values of a map -> pruned by their schema',
      object({ m: { type: 'object', additionalProperties: object({ b: text }) } }),
      { m: { k: { b: 'x', c: 1 } } },
      { m: { k: { b: 'x' } } },
      ['m.k.c'],
    ],
    [
      'items -> pruned by their schema',
      object({ l: { type: 'array', items: object({ b: text }) } }),
      { l: [{ b: 'x' }, { c: 1 }] },
      { l: [{ b: 'x' }, {}] },
      ['l[1].c'],
    ],
    [
      'embedded resource -> its metadata is that of an object',
      object({ t: object({}, { 'x-kubernetes-embedded-resource': true }) }),
      { t: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', odd: 1 }, spec: {} } },
      { t: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } } },
      ['t.metadata.odd', 't.spec'],
    ],
  ];
  test.each(cases)('%s', (_, schema, given, value, unknownFields) => {
    const before = structuredClone(given);
    expect(pruneObject(given, schema)).toEqual({ value, unknownFields });
    expect(given).toEqual(before);
  });
});

describe('defaults', () => {
  const withDefault: SchemaNode = { type: 'string', default: 'x' };
  const cases: readonly (readonly [string, SchemaNode, Json, Json])[] = [
    ['absent field -> its default', object({ a: withDefault }), {}, { a: 'x' }],
    ['field given -> stays', object({ a: withDefault }), { a: 'y' }, { a: 'y' }],
    ['null that is not allowed -> the default', object({ a: withDefault }), { a: null }, { a: 'x' }],
    ['null that is not allowed and has no default -> goes', object({ a: text }), { a: null }, {}],
    [
      'null that is allowed -> stays',
      object({ a: { ...withDefault, nullable: true } }),
      { a: null },
      { a: null },
    ],
    [
      'field below an absent object -> no object is made for it',
      object({ o: object({ a: withDefault }) }),
      {},
      {},
    ],
    [
      'field below a default -> completed',
      object({ o: object({ a: withDefault }, { default: {} }) }),
      {},
      { o: { a: 'x' } },
    ],
    [
      'items and values of maps -> their defaults',
      object({
        l: { type: 'array', items: object({ a: withDefault }) },
        m: { type: 'object', additionalProperties: object({ a: withDefault }) },
      }),
      { l: [{}], m: { k: {} } },
      { l: [{ a: 'x' }], m: { k: { a: 'x' } } },
    ],
  ];
  test.each(cases)('%s', (_, schema, given, wanted) => {
    const value = structuredClone(given);
    applyDefaults(value, schema);
    expect(value).toEqual(wanted);
  });

  test('default put in twice -> two values that share nothing', () => {
    const schema = object({ a: { type: 'object', default: { b: [] } } });
    const values: JsonObject[] = [{}, {}];
    for (const value of values) {
      applyDefaults(value, schema);
    }
    expect(values[0]?.['a']).not.toBe(values[1]?.['a']);
  });
});

describe('validation', () => {
  const cases: readonly (readonly [string, SchemaNode, Json, readonly string[]])[] = [
    ['whole number where a number is due -> fine', { type: 'number' }, 1, []],
    [
      'fraction where an integer is due -> refused',
      { type: 'integer' },
      1.5,
      [
        'a: Invalid value: "number": a in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
      ],
    ],
    ['null, nullable -> fine', { type: 'string', nullable: true }, null, []],
    [
      'null, not nullable -> refused',
      text,
      null,
      ['a: Invalid value: "null": a in body must be of type string: "null"'],
    ],
    [
      'exclusive bounds -> the bound itself is refused',
      { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
      1,
      [
        'a: Invalid value: 1: a in body should be less than 1',
        'a: Invalid value: 1: a in body should be greater than 1',
      ],
    ],
    ['multiple of a fraction -> fine', { type: 'number', multipleOf: 0.1 }, 0.3, []],
    [
      'no multiple -> refused',
      { type: 'integer', multipleOf: 4 },
      6,
      ['a: Invalid value: 6: a in body should be a multiple of 4'],
    ],
    ['length is counted in characters -> fine', { type: 'string', maxLength: 1 }, '😀', []],
    ['pattern in the words of Go -> understood', { type: 'string', pattern: '(?i)^(?P<x>a)\\z' }, 'A', []],
    ['number or text -> both are fine', { 'x-kubernetes-int-or-string': true }, '80%', []],
    [
      'none of anyOf -> refused',
      { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^b' }] },
      'c',
      [
        '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
        'a: Invalid value: "c": a in body should match \'^a\'',
      ],
    ],
    [
      'two of oneOf -> refused',
      { type: 'string', oneOf: [{ pattern: '^a' }, { pattern: 'a$' }] },
      'a',
      [
        '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      'one of not -> refused',
      { type: 'string', not: { pattern: '^a' } },
      'a',
      ['<nil>: Invalid value: "": "a" must not validate the schema (not)'],
    ],
    [
      'too few fields -> refused',
      { type: 'object', minProperties: 1, additionalProperties: true },
      {},
      ['a: Invalid value: 0: a in body should have at least 1 properties'],
    ],
    [
      'field required in an item -> named with its place',
      { type: 'array', items: object({ b: text }, { required: ['b'] }) },
      [{ b: 'x' }, {}],
      ['a[1].b: Required value'],
    ],
  ];
  test.each(cases)('%s', (_, schema, value, found) => {
    expect(validateValue(value, schema, 'a').map(({ field, message }) => `${field}: ${message}`)).toEqual(
      found,
    );
  });

  test.each([
    [{ type: 'array', 'x-kubernetes-list-type': 'set', items: text }, ['a', 'b', 'a', 'a'], ['a[2]']],
    [{ type: 'array', 'x-kubernetes-list-type': 'atomic', items: text }, ['a', 'a'], []],
    [
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'd'],
        items: object({ k: text, d: { type: 'integer', default: 1 } }),
      },
      [{ k: 'a' }, { k: 'a', d: 2 }, { k: 'a', d: 1 }],
      ['a[2]'],
    ],
  ] as const)('list of %j with %j -> found at %j', (schema, value, found) => {
    const errors = validateListTypes(
      structuredClone(value) as unknown as Json,
      schema as unknown as SchemaNode,
      'a',
    );
    expect(errors.map(({ field }) => field)).toEqual(found);
  });

  test.each<[string, JsonObject, string[]]>([
    [
      'a group too many',
      { apiVersion: 'a/b/c' },
      ['t.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [
      'a label that is none',
      { metadata: { labels: { a: 'b c' } } },
      ['t.metadata.labels: Invalid value: "b c": '],
    ],
    [
      'a namespace that is none',
      { metadata: { namespace: 'A' } },
      ['t.metadata.namespace: Invalid value: "A": '],
    ],
    ['a name of two segments', { metadata: { name: 'a/b' } }, ['t.metadata.name: Invalid value: "a/b": ']],
    ['a name that few kinds may have', { metadata: { name: 'A:b' } }, []],
    ['a prefix for its name', { metadata: { generateName: 'a-' } }, []],
  ])('embedded resource with %s -> %j', (_, more, expected) => {
    const schema = object({ t: object({}, { 'x-kubernetes-embedded-resource': true, ...preserving }) });
    const errors = validateEmbedded({ t: { apiVersion: 'v1', kind: 'A', ...more } }, schema, '');
    const shown = errors.map(({ field, message }) => `${field}: ${message}`);
    expect(shown).toEqual(expected.map((start) => expect.stringContaining(start) as unknown));
  });

  test('embedded resource in a map, without a kind -> named by its key', () => {
    const embedded = object({}, { 'x-kubernetes-embedded-resource': true, ...preserving });
    const schema = object({ m: { type: 'object', additionalProperties: embedded } });
    const errors = validateEmbedded({ m: { k: { apiVersion: 'v1' } } }, schema, '');
    expect(errors.map(({ field }) => field)).toEqual(['m[k].kind']);
  });

  test('embedded resource with a kind that is none -> refused', () => {
    const schema = object({ t: object({}, { 'x-kubernetes-embedded-resource': true, ...preserving }) });
    const errors = validateEmbedded({ t: { apiVersion: 'v1', kind: 'a b' } }, schema, '');
    expect(errors.map(({ field }) => field)).toEqual(['t.kind']);
  });
});

test.each([
  ['date-time', '2030-01-02T03:04:05Z', true],
  ['date-time', '2030-01-02', false],
  ['date', '2030-02-30', false],
  ['duration', '1h30m', true],
  ['duration', '1 fortnight', false],
  ['ipv4', '10.0.0.1', true],
  ['ipv4', '10.0.0.256', false],
  ['ipv6', 'fd00::1', true],
  ['cidr', '10.0.0.0/8', true],
  ['cidr', '10.0.0.0/33', false],
  ['byte', 'YQ==', true],
  ['byte', 'a', false],
  ['uuid', '00000000-0000-0000-0000-000000000000', true],
  ['hostname', 'a.example.com', true],
  ['hostname', 'a b', false],
  ['k8s-short-name', 'a.b', false],
  ['k8s-long-name', 'a.b', true],
  ['of-nobody', 'anything', true],
])('format %s, text %s -> %s', (format, value, isFine) => {
  expect(hasFormat(format, value)).toBe(isFine);
});
