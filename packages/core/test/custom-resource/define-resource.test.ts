import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { collectionPath } from '@holdfast/core';
import { defineResource, ResourceDefinitionError, type ObjectOf } from '@holdfast/core/custom-resource';

const defineSites = () =>
  defineResource({
    group: 'example.com',
    version: 'v1',
    kind: 'Site',
    shortNames: ['st'],
    categories: ['all'],
    description: 'A site that is served.',
    spec: z
      .object({
        host: z.string().max(253).describe('Where it is served.'),
        replicas: z.int32().min(0).max(9).default(1),
        port: z.union([z.int(), z.string()]).optional(),
        since: z.string().meta({ format: 'date-time' }).optional(),
        backends: z
          .array(z.object({ name: z.string(), weight: z.int().min(0).max(100).default(1) }))
          .max(8)
          .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
          .prefault([]),
        extra: z.looseObject({}).optional(),
      })
      .refine(({ backends, replicas }) => backends.length >= replicas)
      .meta({
        'x-kubernetes-validations': [
          { rule: 'size(self.backends) >= self.replicas', message: 'give each replica a backend' },
        ],
      }),
    status: z.object({ replicas: z.int32(), selector: z.string().optional() }),
    rules: [{ rule: "self.metadata.name != 'none'" }],
    printerColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }],
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
    selectableFields: ['.spec.host'],
    otherVersions: [
      { version: 'v1alpha1', served: false, deprecated: 'use v1', spec: z.object({ host: z.string() }) },
    ],
  });
const sites = defineSites();
type Site = ObjectOf<typeof sites>;

test('kind -> an ApiResource, with the plural that Kubernetes guesses', () => {
  expect(sites).toMatchObject({
    group: 'example.com',
    version: 'v1',
    kind: 'Site',
    plural: 'sites',
    namespaced: true,
  });
  expect(collectionPath(sites, 'shop')).toBe('/apis/example.com/v1/namespaces/shop/sites');
  expect(
    ['Policy', 'Class', 'Disk'].map(
      (kind) => defineResource({ group: 'example.com', version: 'v1', kind, spec: z.object({}) }).plural,
    ),
  ).toEqual(['policies', 'classes', 'disks']);
});

test('kind -> its definition, whole', () => {
  const { definition } = defineSites();
  const bounds = { type: 'integer', format: 'int64', minimum: 0, maximum: 100 };
  expect(definition).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'sites.example.com' },
    spec: {
      group: 'example.com',
      names: {
        plural: 'sites',
        singular: 'site',
        shortNames: ['st'],
        kind: 'Site',
        listKind: 'SiteList',
        categories: ['all'],
      },
      scope: 'Namespaced',
      conversion: { strategy: 'None' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              description: 'A site that is served.',
              type: 'object',
              required: ['spec'],
              'x-kubernetes-validations': [{ rule: "self.metadata.name != 'none'" }],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: {
                  type: 'object',
                  required: ['host'],
                  'x-kubernetes-validations': [
                    { rule: 'size(self.backends) >= self.replicas', message: 'give each replica a backend' },
                  ],
                  properties: {
                    host: { type: 'string', maxLength: 253, description: 'Where it is served.' },
                    replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 9, default: 1 },
                    port: {
                      'x-kubernetes-int-or-string': true,
                      minimum: Number.MIN_SAFE_INTEGER,
                      maximum: Number.MAX_SAFE_INTEGER,
                    },
                    since: { type: 'string', format: 'date-time' },
                    backends: {
                      type: 'array',
                      maxItems: 8,
                      'x-kubernetes-list-type': 'map',
                      'x-kubernetes-list-map-keys': ['name'],
                      default: [],
                      items: {
                        type: 'object',
                        required: ['name'],
                        properties: { name: { type: 'string' }, weight: { ...bounds, default: 1 } },
                      },
                    },
                    extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  },
                },
                status: {
                  type: 'object',
                  required: ['replicas'],
                  properties: {
                    replicas: { type: 'integer', format: 'int32', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
                    selector: { type: 'string' },
                  },
                },
              },
            },
          },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
          additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }],
          selectableFields: [{ jsonPath: '.spec.host' }],
        },
        {
          name: 'v1alpha1',
          served: false,
          storage: false,
          deprecated: true,
          deprecationWarning: 'use v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: { type: 'object', required: ['host'], properties: { host: { type: 'string' } } },
              },
            },
          },
        },
      ],
    },
  });
});

describe('kind of which only what is needed is said', () => {
  const bare = { group: 'example.com', version: 'v1', kind: 'Zone', spec: z.object({}) };
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          required: ['spec'],
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { type: 'object' },
            spec: { type: 'object' },
          },
        },
      },
    },
  ];

  test('nothing else -> namespaced, under the names that Kubernetes guesses', () => {
    const { namespaced, definition } = defineResource(bare);
    expect(namespaced).toBe(true);
    expect(definition).toStrictEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'zones.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'zones', singular: 'zone', kind: 'Zone', listKind: 'ZoneList' },
        scope: 'Namespaced',
        versions,
      },
    });
  });

  test('other names -> these', () => {
    const names = { plural: 'zonen', singular: 'zoneone', listKind: 'Zones' };
    expect(defineResource({ ...bare, ...names }).definition.spec.names).toEqual({ ...names, kind: 'Zone' });
  });

  test('of the cluster -> not namespaced', () => {
    const { namespaced, definition } = defineResource({ ...bare, scope: 'Cluster' });
    expect([namespaced, definition.spec.scope]).toEqual([false, 'Cluster']);
  });

  test('labels and annotations -> those of the definition', () => {
    const said = { labels: { a: 'b' }, annotations: { c: 'd' } };
    expect(defineResource({ ...bare, ...said }).definition.metadata).toEqual({
      name: 'zones.example.com',
      ...said,
    });
  });

  test('another version -> served, not stored, and nothing is converted', () => {
    const { spec } = defineResource({
      ...bare,
      otherVersions: [{ version: 'v2', spec: z.object({}) }],
    }).definition;
    expect(spec.conversion).toEqual({ strategy: 'None' });
    expect(spec.versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([
      ['v1', true, true],
      ['v2', true, false],
    ]);
  });

  test('what is wrong -> an error of its own name, with all of it', () => {
    expect(() => defineResource({ ...bare, group: 'a', plural: '' })).toThrow(
      expect.objectContaining({
        name: 'ResourceDefinitionError',
        message: expect.stringMatching(/^kind Zone can't be defined: group: "a" .*; plural: "" /),
        problems: [
          { path: 'group', message: expect.any(String) },
          { path: 'plural', message: expect.any(String) },
        ],
      }),
    );
  });
});

test.each([
  ['none', undefined],
  ['a plain object', { host: 'string' }],
  ['one of zod 3', { _def: { typeName: 'ZodString' } }],
])('specification from JavaScript: %s -> refused, with what to give', (_, spec) => {
  const define = () =>
    Reflect.apply(defineResource, undefined, [
      { group: 'example.com', version: 'v1', kind: 'Zone', spec },
    ]) as unknown;
  expect(define).toThrow(
    "kind Zone can't be defined: spec: it is no schema of zod 4; give one such as z.string()",
  );
});

test('problem of the whole -> said without a path', () => {
  const problems = [
    { path: '', message: 'a' },
    { path: 'b', message: 'c' },
  ];
  expect(new ResourceDefinitionError('Zone', problems).message).toBe("kind Zone can't be defined: a; b: c");
});

describe('meta and checks of schemas that wrap each other', () => {
  const fieldOf = (field: z.ZodType): unknown =>
    defineResource({ group: 'example.com', version: 'v1', kind: 'Site', spec: z.object({ field }) })
      .definition.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec']?.properties?.['field'];
  const rule = { rule: 'self != oldSelf' };

  test('described twice -> what is said further out holds', () => {
    expect(fieldOf(z.string().describe('inner').optional().describe('outer'))).toEqual({
      type: 'string',
      description: 'outer',
    });
  });

  test('rules further in and further out -> all are kept, once', () => {
    const inner = z.string().meta({ 'x-kubernetes-validations': [rule] });
    const outer = inner
      .max(3)
      .optional()
      .meta({ 'x-kubernetes-validations': [{ rule: 'true' }] });
    expect(fieldOf(outer)).toEqual({
      type: 'string',
      maxLength: 3,
      'x-kubernetes-validations': [{ rule: 'true' }, rule],
    });
  });

  test('two patterns -> both must match', () => {
    expect(fieldOf(z.string().regex(/^a/).endsWith('.b').regex(/^a/))).toEqual({
      type: 'string',
      pattern: '^a',
      allOf: [{ pattern: '\\.b$' }],
    });
  });

  test('bounds said twice -> the tighter one, whole for integers', () => {
    expect(fieldOf(z.int().min(1).gt(2.5).max(9).lt(9))).toEqual({
      type: 'integer',
      format: 'int64',
      minimum: 3,
      maximum: 8,
    });
    expect(fieldOf(z.number().gt(1).min(1).max(2))).toEqual({
      type: 'number',
      minimum: 1,
      exclusiveMinimum: true,
      maximum: 2,
    });
  });

  test('keys of meta that are for other readers -> left out', () => {
    expect(fieldOf(z.boolean().meta({ id: 'flag', deprecated: true, title: 'Flag' }))).toEqual({
      type: 'boolean',
      title: 'Flag',
    });
  });

  test('schema of zod/mini -> the same', () => {
    const spec = mini.object({
      field: mini.optional(mini.string().check(mini.maxLength(3), mini.meta({ description: 'short' }))),
    });
    const { definition } = defineResource({ group: 'example.com', version: 'v1', kind: 'Site', spec });
    expect(definition.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec']).toEqual({
      type: 'object',
      properties: { field: { type: 'string', maxLength: 3, description: 'short' } },
    });
  });
});

describe('definition that API servers would refuse -> ResourceDefinitionError that names the field', () => {
  const valid = { group: 'example.com', version: 'v1', kind: 'Site', spec: z.object({ a: z.string() }) };
  test.each([
    [{ group: 'example' }, 'group: "example"'],
    [{ version: '1' }, 'version: "1"'],
    [{ kind: 'site' }, 'kind: "site"'],
    [{ plural: 'Sites' }, 'plural: "Sites"'],
    [{ singular: '' }, 'singular: ""'],
    [{ listKind: 'Site' }, 'listKind: "Site"'],
    [{ shortNames: ['a_b'] }, 'shortNames: "a_b"'],
    [{ categories: ['All'] }, 'categories: "All"'],
    [{ otherVersions: [{ version: 'v1', spec: z.object({}) }] }, 'version: "v1"'],
    [{ otherVersions: [{ version: 'v2', spec: z.date() }] }, 'v2: spec: z.date()'],
    [
      { printerColumns: [{ name: 'B', type: 'string', jsonPath: '.spec.b' } as const] },
      'printerColumns[B]: .spec.b',
    ],
    [
      { scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.b' } },
      'scale.specReplicasPath: .spec.a is no field of type integer',
    ],
    [{ selectableFields: ['.spec.c'] }, 'selectableFields: .spec.c'],
  ])('%j', (change, message) => {
    expect(() => defineResource({ ...valid, ...change })).toThrow(message);
    expect(() => defineResource({ ...valid, ...change })).toThrow(ResourceDefinitionError);
  });

  test('column of a condition, of metadata or of unknown fields -> taken', () => {
    const printerColumns = [
      '.status.conditions[?(@.type=="Ready")].status',
      '.metadata.creationTimestamp',
      '.spec.more.any',
    ].map((jsonPath) => ({ name: jsonPath, type: 'string', jsonPath }) as const);
    expect(() => defineResource({ ...valid, printerColumns, spec: z.looseObject({}) })).not.toThrow();
  });
});

describe('check', () => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1' };
  const object = {
    apiVersion: 'example.com/v1',
    kind: 'Site',
    metadata,
    spec: { host: 'a.example.com', replicas: 0 },
  };

  test('valid object -> typed, with defaults, without unknown fields and nulls', () => {
    const checked = sites.check({
      ...object,
      spec: { host: 'a', replicas: null, backends: [{ name: 'b', old: 1 }], extra: { any: null } },
    });
    const site: Site | undefined = checked.kind === 'valid' ? checked.object : undefined;
    expect(site).toEqual({
      ...object,
      spec: { host: 'a', replicas: 1, backends: [{ name: 'b', weight: 1 }], extra: { any: null } },
    });
    expect(site?.spec.backends[0]?.weight).toBe(1);
  });

  test('item of a list, without kind -> valid', () => {
    expect(sites.check({ metadata, spec: object.spec }).kind).toBe('valid');
  });

  test('what is wrong -> each with its path', () => {
    const checked = sites.check({ ...object, kind: 'Page', spec: { backends: [{ name: 1 }] }, status: {} });
    expect(checked.kind === 'invalid' ? checked.problems.map(({ path }) => path) : []).toEqual([
      'kind',
      'spec.host',
      'spec.backends[0].name',
      'status.replicas',
    ]);
  });

  test('hundreds of thousands of items that do not fit -> each with its path', () => {
    const spec = z.object({ hosts: z.array(z.string().max(9)).max(500_000) });
    const zones = defineResource({ group: 'example.com', version: 'v1', kind: 'Zone', spec });
    const hosts = new Array<number>(200_000).fill(0);
    const checked = zones.check({ metadata, spec: { hosts } });
    const problems = checked.kind === 'invalid' ? checked.problems : [];
    expect(problems).toHaveLength(hosts.length);
    expect(problems.at(-1)?.path).toBe('spec.hosts[199999]');
  });

  test('thousands of problems below a very long key -> each has only the beginning of it', () => {
    const spec = z.object({ hosts: z.record(z.string(), z.array(z.string().max(9))) });
    const zones = defineResource({ group: 'example.com', version: 'v1', kind: 'Zone', spec });
    const hosts = { ['k'.repeat(500_000)]: new Array<number>(2_000).fill(0) };
    const checked = zones.check({ metadata, spec: { hosts } });
    const problems = checked.kind === 'invalid' ? checked.problems : [];
    expect(problems).toHaveLength(2_000);
    expect(problems.at(-1)?.path).toBe(`spec.hosts.${'k'.repeat(256)}...[1999]`);
  });

  test('of another kind -> said with what was asked for', () => {
    expect(sites.check({ ...object, kind: 'Page' })).toEqual({
      kind: 'invalid',
      problems: [{ path: 'kind', message: 'it is "Page", and Site was asked for' }],
    });
  });

  test('spec is missing -> named, and nothing within it', () => {
    expect(sites.check({ metadata })).toEqual({
      kind: 'invalid',
      problems: [{ path: 'spec', message: expect.any(String) }],
    });
  });

  test.each([
    ['optional', z.object({}).optional()],
    ['exactly optional', z.object({}).exactOptional()],
  ])('spec is %s, and missing -> not there either', (_, spec) => {
    const zones = defineResource({ group: 'example.com', version: 'v1', kind: 'Zone', spec });
    expect(zones.check({ metadata })).toStrictEqual({ kind: 'valid', object: { metadata } });
  });

  test('status is missing -> not there, or its default', () => {
    const kind = { group: 'example.com', version: 'v1', kind: 'Zone', spec: z.object({}) };
    const state = z.object({ ready: z.boolean() });
    const given = { metadata, spec: {} };
    expect(defineResource({ ...kind, status: state }).check(given)).toStrictEqual({
      kind: 'valid',
      object: given,
    });
    const withDefault = defineResource({ ...kind, status: state.default({ ready: false }) });
    expect(withDefault.check(given)).toEqual({
      kind: 'valid',
      object: { ...given, status: { ready: false } },
    });
  });

  test('refinement that does not hold -> invalid', () => {
    expect(sites.check({ ...object, spec: { host: 'a', replicas: 2 } })).toEqual({
      kind: 'invalid',
      problems: [{ path: 'spec', message: expect.any(String) }],
    });
  });

  test.each([undefined, null, 'a', [], {}, { metadata: 1 }])('%j -> no object', (value) => {
    expect(sites.check(value)).toEqual({
      kind: 'invalid',
      problems: [{ path: '', message: 'it is no object with metadata' }],
    });
  });
});
