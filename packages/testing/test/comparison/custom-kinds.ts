import fc from 'fast-check';
import { type Fields, type Kind, partRequests, scaleRequests } from './random-kind.ts';
import { metadata } from './random-objects.ts';

/* A kind of a random structural schema, and objects that mostly fit it. */

export interface CustomKind {
  readonly definition: Fields;
  readonly kind: Kind;
}

/** A field of the spec: what its schema may be, and values that fit most of these, and few. */
interface Property {
  readonly schemas: readonly Fields[];
  readonly values: readonly unknown[];
}

const rule = (text: string, message: string, more: Fields = {}): Fields => ({
  'x-kubernetes-validations': [{ rule: text, message, ...more }],
});
const anyFields: Fields = { 'x-kubernetes-preserve-unknown-fields': true };

const properties: Readonly<Record<string, Property>> = {
  count: {
    schemas: [
      { type: 'integer' },
      { type: 'integer', format: 'int32', minimum: 0, maximum: 9, default: 1 },
      { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true },
      { type: 'integer', multipleOf: 2 },
      { type: 'integer', ...rule('self >= oldSelf', 'must not shrink') },
    ],
    values: [1, 2, 4, 4, 0, -1, 100, 2 ** 40, '1', null],
  },
  ratio: {
    schemas: [
      { type: 'number', maximum: 1 },
      { type: 'number', default: 0.5 },
    ],
    values: [0.25, 1, 0, 2, '1', true],
  },
  size: {
    schemas: [
      { type: 'string', enum: ['S', 'M', 'L'], default: 'M' },
      { type: 'string', enum: ['S', 'M'], nullable: true },
      { type: 'string', ...rule('self == oldSelf', 'is immutable') },
    ],
    values: ['S', 'M', 'L', 'XL', '', null, 1],
  },
  text: {
    schemas: [
      { type: 'string', minLength: 1, maxLength: 5 },
      { type: 'string', pattern: '^[a-z]+$' },
      { type: 'string', default: '' },
      { type: 'string', maxLength: 20, ...rule('!self.startsWith("x")', 'must not begin with x') },
      { anyOf: [{ maxLength: 2 }, { pattern: '^a' }], type: 'string' },
      { type: 'string', not: { enum: ['no'] } },
    ],
    values: ['a', 'abc', 'abcdefg', 'A', 'xy', 'no', '', 'é', 7, ['a']],
  },
  on: {
    schemas: [{ type: 'boolean' }, { type: 'boolean', default: true }],
    values: [true, false, 'true', null],
  },
  at: {
    schemas: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
      { type: 'string', format: 'duration' },
      { type: 'string', format: 'ipv4' },
      { type: 'string', format: 'uuid' },
      { type: 'string', format: 'byte' },
    ],
    values: ['2026-01-01T00:00:00Z', '2026-01-01', '1h30m', '10.0.0.1', 'YQ==', 'now', '3d', '::1'],
  },
  port: {
    schemas: [{ 'x-kubernetes-int-or-string': true }, { 'x-kubernetes-int-or-string': true, default: 80 }],
    values: [80, 'http', '50%', true, null],
  },
  tags: {
    schemas: [
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic', minItems: 1 },
      { type: 'array', items: { type: 'string', maxLength: 3 }, default: ['d'] },
    ],
    values: [['a'], ['a', 'b'], ['c'], ['a', 'a'], [], [1], 'a', { a: 'b' }, [null]],
  },
  parts: {
    schemas: ['map', 'atomic'].flatMap((type) => {
      const list = {
        type: 'array',
        'x-kubernetes-list-type': type,
        ...(type === 'map' ? { 'x-kubernetes-list-map-keys': ['name'] } : undefined),
      };
      const item = {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          count: { type: 'integer', default: 1 },
          extra: { type: 'string' },
        },
      };
      return [
        { ...list, items: item },
        {
          ...list,
          items: {
            ...item,
            properties: { name: { type: 'string' }, inner: { type: 'object', ...anyFields } },
          },
        },
      ];
    }),
    values: [
      [{ name: 'a' }],
      [
        { name: 'a', count: 2 },
        { name: 'b', extra: 'e' },
      ],
      [{ name: 'b', inner: { x: [1] } }],
      [{ name: 'a' }, { name: 'a' }],
      [{ count: 1 }],
      [{ name: 1 }],
      [],
    ],
  },
  labels: {
    schemas: [
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'integer', minimum: 1 }, maxProperties: 1 },
      { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
    ],
    values: [{ a: 'b' }, { c: 'd' }, { a: 1 }, { a: 1, b: 0 }, {}, [], { a: null }],
  },
  any: {
    schemas: [
      { type: 'object', ...anyFields },
      anyFields,
      { type: 'object', properties: { a: { type: 'string', default: 'x' } }, ...anyFields },
      { type: 'object', 'x-kubernetes-embedded-resource': true, ...anyFields },
    ],
    values: [
      { a: 'b', c: [1, { d: null }] },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', unknown: 1 }, spec: 1 },
      {},
      'x',
      { a: 1 },
    ],
  },
  range: {
    schemas: [
      {
        type: 'object',
        required: ['low'],
        properties: { low: { type: 'integer', default: 1 }, high: { type: 'integer' } },
        ...rule('!has(self.high) || self.low <= self.high', 'low must not exceed high', {
          fieldPath: '.high',
        }),
      },
      {
        type: 'object',
        default: {},
        properties: { low: { type: 'integer', default: 3 }, high: { type: 'integer', nullable: true } },
      },
      {
        type: 'object',
        oneOf: [{ required: ['low'] }, { required: ['high'] }],
        properties: { low: { type: 'integer' }, high: { type: 'integer' } },
      },
    ],
    values: [
      { low: 1, high: 2 },
      { low: 5, high: 2 },
      { high: 7 },
      { low: 2 },
      { other: 1 },
      {},
      { high: null },
    ],
  },
};

const status: Fields = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    selector: { type: 'string' },
    phase: { type: 'string', enum: ['New', 'Done'] },
  },
};

const columns: readonly Fields[] = [
  { name: 'Count', type: 'integer', jsonPath: '.spec.count' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
  { name: 'Tags', type: 'string', jsonPath: '.spec.tags[*]' },
  { name: 'At', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

const type = { apiVersion: '$NS.example.net/v1', kind: 'Gadget' };

interface Traits {
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly required: readonly string[];
  readonly columns: readonly Fields[];
  readonly versions: number;
}

const traits: fc.Arbitrary<Traits> = fc.record({
  isNamespaced: fc.constantFrom(true, true, true, false),
  hasStatus: fc.boolean(),
  hasScale: fc.boolean(),
  required: fc.constantFrom<string[]>([], [], ['count'], ['text']),
  columns: fc.subarray([...columns]),
  versions: fc.constantFrom(1, 2),
});

const chosen: fc.Arbitrary<Readonly<Record<string, Fields>>> = fc
  .tuple(
    fc.subarray(Object.keys(properties), { minLength: 1 }),
    fc.array(fc.nat(11), { minLength: 12, maxLength: 12 }),
  )
  .map(([names, choices]) =>
    Object.fromEntries(
      names.map((name, index) => {
        const schemas = properties[name]?.schemas ?? [];
        return [name, schemas[(choices[index] ?? 0) % schemas.length] ?? {}];
      }),
    ),
  );

/** A definition, and requests about its kind. */
export const customKinds: fc.Arbitrary<CustomKind> = fc.tuple(chosen, traits).map(([schemas, given]) => ({
  definition: definitionOf(schemas, given),
  kind: kindOf(Object.keys(schemas), given),
}));

function definitionOf(schemas: Readonly<Record<string, Fields>>, given: Traits): Fields {
  const required = given.required.filter((name) => schemas[name] !== undefined);
  const spec = { type: 'object', properties: schemas, ...(required.length > 0 ? { required } : undefined) };
  const replicas = { type: 'integer' };
  const schema = {
    type: 'object',
    properties: { spec: { ...spec, properties: { ...schemas, replicas } }, status },
  };
  const version = (name: string, storage: boolean): Fields => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: schema },
    subresources: {
      ...(given.hasStatus ? { status: {} } : undefined),
      ...(given.hasScale
        ? {
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          }
        : undefined),
    },
    ...(given.columns.length > 0 ? { additionalPrinterColumns: given.columns } : undefined),
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.$NS.example.net' },
    spec: {
      group: '$NS.example.net',
      scope: given.isNamespaced ? 'Namespaced' : 'Cluster',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [version('v1', true), ...(given.versions > 1 ? [version('v2', false)] : [])],
    },
  };
}

function kindOf(names: readonly string[], given: Traits): Kind {
  const root = '/apis/$NS.example.net/v1';
  const path = given.isNamespaced ? `${root}/namespaces/$NS/gadgets` : `${root}/gadgets`;
  const v2 = (line: string): string => line.replace('/v1/', '/v2/');
  const statuses = [
    { status: { replicas: 2, selector: 'a=b' } },
    { status: { phase: 'Done', unknown: 1 }, spec: { replicas: 9 } },
    { status: { phase: 'Odd' } },
    { status: { replicas: '2' } },
  ];
  return {
    ...type,
    plural: 'gadgets',
    path,
    struct: undefined,
    isInNoNamespace: !given.isNamespaced,
    nameOf: (letter) => letter,
    body: (name) =>
      fc
        .tuple(metadata(name), specs(names))
        .map(([meta, spec]) => ({ ...type, metadata: withoutEmpty(meta), spec })),
    least: type,
    changes: names.flatMap((name) =>
      (properties[name]?.values ?? []).slice(0, 5).map((value) => ({ spec: { [name]: value } })),
    ),
    statuses: given.hasStatus ? statuses : [],
    own: (one) => [
      ...(given.hasScale ? scaleRequests(one) : partRequests(one, 'scale', [{ spec: { replicas: 1 } }])),
      {
        weight: given.versions > 1 ? 4 : 0,
        arbitrary: fc.constantFrom(
          v2(`GET ${one}`),
          v2(`GET:table ${path}`),
          v2(`PATCH:merge ${one} {"spec":{"replicas":8}}`),
          v2(
            `PATCH:apply ${one}?fieldManager=two {"apiVersion":"$NS.example.net/v2","kind":"Gadget","spec":{"replicas":5}}`,
          ),
        ),
      },
    ],
    isNeverStored: false,
    hasDeleteCollection: true,
  };
}

/**
 * The real server keeps what is applied empty until the next write, which then is an event even if it changes nothing.
 */
function withoutEmpty(meta: object): object {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([, value]: [string, unknown]) =>
        typeof value !== 'object' || value === null || Object.keys(value).length > 0,
    ),
  );
}

/** Few are wrong: the first values of a property fit it mostly. */
function specs(names: readonly string[]): fc.Arbitrary<Fields> {
  const one = (name: string): fc.Arbitrary<unknown> => {
    const values = properties[name]?.values ?? [];
    const [first, second] = values;
    return fc.constantFrom(
      undefined,
      undefined,
      undefined,
      first,
      first,
      first,
      first,
      second,
      second,
      ...values,
    );
  };
  return fc.record({
    replicas: fc.constantFrom(undefined, undefined, 2, 3, '1'),
    ...Object.fromEntries(names.map((name) => [name, one(name)])),
  });
}
