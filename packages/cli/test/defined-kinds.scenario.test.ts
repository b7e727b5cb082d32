import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CORE_SCHEMA, load } from 'js-yaml';
import { z } from 'zod';
import { parseFeatureGates, type ApiResource, type KubernetesObject, type Stored } from '@holdfast/core';
import { defineResource } from '@holdfast/core/custom-resource';
import { connect, createMetricsRegistry, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { yamlOf } from '../src/definition-file.ts';

/*
 * The promise of defineResource on whatever control plane is chosen: the definition, read from its YAML, is taken; an
 * object is if and only if zod takes it, and becomes the same.
 */

const group = `${randomBytes(4).toString('hex')}.example.com`;
const definitions: ApiResource<
  Stored<{ status?: { conditions?: readonly { type: string; status: string; message: string }[] } }>
> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** Each field with values of which zod takes some. */
const fields: Readonly<Record<string, readonly [schema: z.ZodType, ...values: readonly unknown[]]>> = {
  text: [z.string().min(2).max(3), 'ab', 'a', 'abcd', '\u{1f600}', '\u{1f600}\u{1f600}\u{1f600}', 1, null],
  nullable: [z.string().nullable(), 'a', null, 1],
  dot: [z.string().regex(/^a.b$/), 'a-b', 'a\nb', 'a\u2028b', 'a\rb'],
  dotAll: [z.string().regex(/^a.b$/s), 'a\nb', 'a\u2028b', 'ab'],
  space: [z.string().regex(/^\s$/), ' ', '\u00a0', '\v', '\ufeff', 'a'],
  noSpace: [z.string().regex(/^\S+$/u), 'a', '\u00a0', 'a b', '\u{1f600}'],
  inClass: [z.string().regex(/^[\s\d-]+$/), '1-\u2003', 'a', '-'],
  named: [z.string().regex(/^(?<a>x|\u00e9)\/(?:y){1,2}$/), 'x/y', '\u00e9/yy', 'x/yyy', 'xy'],
  property: [z.string().regex(/^\p{Lu}+$/u), '\u00c9A', 'a', '1'],
  both: [z.string().regex(/^a/).endsWith('.b'), 'a.b', 'axb', 'b.b'],
  uuid: [z.uuid(), '8c6d3d8e-9f0b-4c52-8a39-1d5b2f7f0c11', '8c6d3d8e', 'G'],
  ipv4: [z.ipv4(), '10.0.0.1', '10.0.0.256'],
  email: [z.email(), 'a@example.com', 'a@b', 'a..b@example.com'],
  date: [z.iso.date(), '2024-02-29', '2023-02-29'],
  time: [z.iso.datetime(), '2024-02-29T12:00:00Z', '2024-02-29T12:00:00+01:00', '2024-02-29'],
  template: [z.templateLiteral(['v', z.int()]), 'v1', 'v', 'w1'],
  choice: [z.enum(['on', 'off']), 'on', 'yes', true, null],
  numberChoice: [z.literal([1, 2.5]), 1, 2.5, 2],
  integer: [z.int(), 1, 1.5, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 62, '1'],
  int32: [z.int32(), 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1],
  fractions: [z.int().min(1.5).lt(3.5), 1, 2, 3, 4],
  from: [z.number().gt(1.5), 1, 1.5, 1.6, 2],
  to: [z.number().max(1.5), 1, 1.5, 1.6, 2],
  below: [z.number().lt(-1.5), -1, -1.5, -1.6, -2],
  above: [z.number().min(-1.5), -1, -1.5, -1.6, -2],
  open: [z.number().gt(1).lt(3), 1, 1.5, 3, 2],
  even: [z.int().multipleOf(2), 2, 3, 0, -4],
  flag: [z.boolean(), true, 'true', null],
  port: [z.union([z.int().min(1).max(9), z.string().min(2)]), 1, 10, 'ab', 'a', 1.5, true],
  anything: [z.unknown(), null, 1, { a: [null, { b: null }] }, []],
  loose: [z.looseObject({ a: z.int() }), { a: 1, b: null, c: { d: 1 } }, { b: 1 }, { a: null }, []],
  list: [z.array(z.int32()).min(1).max(2), [1], [], [1, 2, 3], [null], {}],
  record: [z.record(z.string(), z.int32()), { a: 1 }, { a: 'b' }, { a: null }, {}, []],
  nested: [
    z.object({ a: z.int32().default(1), b: z.array(z.object({ c: z.string().default('d') })).optional() }),
    {},
    { a: null, b: [{}, { c: 'e', x: 1 }] },
    { a: 'b' },
  ],
  both2: [
    z.intersection(z.object({ a: z.string() }), z.object({ b: z.int32().default(1) })),
    { a: 'x', c: 1 },
    { b: 2 },
  ],
  filled: [
    z.object({ a: z.int32().default(1), b: z.string().optional() }).prefault({ b: 'c' }),
    { a: 2 },
    {},
    null,
    'x',
  ],
};
const spec = z.object(
  Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema.optional()])),
);
const gauges = defineResource({
  group,
  version: 'v1',
  kind: 'Gauge',
  shortNames: ['gg'],
  categories: ['all'],
  description: 'Of a test.',
  spec,
  status: z.object({ phase: z.enum(['Ready', 'Failed']) }),
  printerColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
  selectableFields: ['.spec.text'],
});

/** What the server alone checks, and what two versions do. */
const limits = defineResource({
  group,
  version: 'v1',
  kind: 'Limit',
  scope: 'Cluster',
  rules: [{ rule: "self.metadata.name.startsWith('limit-')" }],
  spec: z
    .object({
      min: z.int32(),
      max: z.int32(),
      replicas: z.int32().default(1),
      until: z.string().meta({ format: 'date-time' }).optional(),
      tags: z.array(z.string().max(9)).max(9).meta({ 'x-kubernetes-list-type': 'set' }).optional(),
      parts: z
        .array(z.object({ name: z.string().max(9), count: z.int32().default(1) }))
        .max(9)
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
        .optional(),
      selector: z
        .record(z.string(), z.string())
        .meta({ 'x-kubernetes-map-type': 'atomic', maxProperties: 1 })
        .optional(),
      template: z.looseObject({}).meta({ 'x-kubernetes-embedded-resource': true }).optional(),
    })
    .refine(({ min, max }) => min <= max)
    .meta({ 'x-kubernetes-validations': [{ rule: 'self.min <= self.max', message: 'min is above max' }] }),
  status: z.object({ replicas: z.int32(), selector: z.string().optional() }),
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  otherVersions: [{ version: 'v1alpha1', spec: z.object({ min: z.int32() }), deprecated: 'use v1' }],
});

const missing = controlPlaneMissing();
(missing === undefined ? describe : describe.skip)(`defined kinds ${missing ?? ''}`, () => {
  let plane: ControlPlane;
  let folder: string;
  let client: ApiClient;

  beforeAll(async () => {
    plane = await startControlPlane();
    folder = await mkdtemp(join(tmpdir(), 'holdfast-kinds-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig);
    client = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig }),
      registry: createMetricsRegistry('defined-kinds', '0', parseFeatureGates({}, '')),
      program: 'defined-kinds',
      version: '0',
    });
    for (const { definition } of [gauges, limits]) {
      // As kubectl would read the file.
      const manifest = load(yamlOf(definition), { schema: CORE_SCHEMA }) as { readonly metadata: object };
      const created = await client.create(definitions, undefined, manifest);
      await eventually(async () => {
        const { status } = await client.get(definitions, { name: created.metadata.name });
        return (
          status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true
        );
      });
      expect(
        JSON.stringify((await client.get(definitions, { name: created.metadata.name })).status),
      ).not.toContain('NonStructuralSchema');
    }
    const served: readonly ApiResource<KubernetesObject>[] = [
      gauges,
      limits,
      { ...limits, version: 'v1alpha1' },
    ];
    for (const resource of served) {
      await eventually(() =>
        client.list(resource, {}).then(
          () => true,
          () => false,
        ),
      );
    }
  }, 90_000);
  afterAll(async () => {
    await client.close();
    await plane.stop();
    await rm(folder, { recursive: true });
  }, 30_000);

  async function eventually(holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (!(await holds())) {
      expect(performance.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** What the server made of the spec, or that it refused it as invalid. */
  async function verdictOf(given: unknown): Promise<unknown> {
    const metadata = { generateName: 'a-' };
    try {
      const { spec: stored } = await client.create(gauges, 'default', {
        metadata,
        spec: given as Readonly<Record<string, unknown>>,
      });
      return { spec: stored };
    } catch (error) {
      expect(error).toMatchObject({ code: 422 });
      return 'refused';
    }
  }

  test.each(Object.entries(fields))(
    'field %s -> the server takes what zod takes, and makes the same of it',
    async (name, [, ...values]) => {
      const verdicts = { taken: 0, refused: 0 };
      for (const value of values) {
        const given = { [name]: value };
        const checked = gauges.check({ metadata: {}, spec: given });
        const ours = checked.kind === 'valid' ? { spec: checked.object.spec } : 'refused';
        expect([value, await verdictOf(given)]).toEqual([value, ours]);
        verdicts[ours === 'refused' ? 'refused' : 'taken']++;
      }
      // A field that is always taken, or never, shows nothing.
      expect(verdicts.taken).toBeGreaterThan(0);
      expect(verdicts.refused > 0).toBe(name !== 'anything');
    },
  );

  const limit = { min: 1, max: 2 };
  test.each<readonly [string, object, string | undefined]>([
    [
      'as it should be',
      { ...limit, until: '2030-01-01T00:00:00Z', tags: ['a'], parts: [{ name: 'a' }] },
      undefined,
    ],
    ['rule that does not hold', { min: 2, max: 1 }, 'min is above max'],
    ['format that it has not', { ...limit, until: 'soon' }, 'date-time'],
    ['item of a set twice', { ...limit, tags: ['a', 'a'] }, 'Duplicate value'],
    ['key of a map twice', { ...limit, parts: [{ name: 'a' }, { name: 'a' }] }, 'Duplicate value'],
    ['too many fields', { ...limit, selector: { a: 'b', c: 'd' } }, 'Too many'],
    ['template without a kind', { ...limit, template: { apiVersion: 'v1' } }, 'kind'],
  ])('meta for the server, %s -> taken or refused by the server alone', async (_, given, problem) => {
    const object = { metadata: { generateName: 'limit-' }, spec: given as typeof limit };
    const created = client.create(limits, undefined, object);
    if (problem === undefined) {
      expect((await created).spec.parts?.[0]).toEqual({ name: 'a', count: 1 });
    } else {
      await expect(created).rejects.toThrow(problem);
    }
  });

  test('rule about the whole object does not hold -> refused', async () => {
    const object = { metadata: { generateName: 'other-' }, spec: limit };
    await expect(client.create(limits, undefined, object)).rejects.toThrow('startsWith');
  });

  test('object, read by another version -> without the fields that it does not know', async () => {
    const metadata = { name: `limit-${randomBytes(4).toString('hex')}` };
    await client.create(limits, undefined, { metadata, spec: limit });
    const older = await client.get({ ...limits, version: 'v1alpha1' }, metadata);
    expect(older).toMatchObject({ apiVersion: `${group}/v1alpha1`, spec: { min: 1 } });
    expect(older.spec).not.toHaveProperty('max');
  });

  test('subresources status and scale -> served, and the spec is left alone', async () => {
    const metadata = { name: `limit-${randomBytes(4).toString('hex')}` };
    const created = await client.create(limits, undefined, {
      metadata,
      spec: limit,
      status: { replicas: 3 },
    });
    expect(created.status).toBeUndefined();
    const patch = [{ op: 'add', path: '/status', value: { replicas: 3, selector: 'a=b' } }] as const;
    const patched = await client.patch(limits, metadata, patch, { subresource: 'status' });
    expect(patched.status).toEqual({ replicas: 3, selector: 'a=b' });
    const scale = await client.patch(
      limits,
      metadata,
      [{ op: 'replace', path: '/spec/replicas', value: 5 }],
      { subresource: 'scale' },
    );
    expect(scale).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 5 },
      status: { replicas: 3, selector: 'a=b' },
    });
    expect((await client.get(limits, metadata)).spec.replicas).toBe(5);
  });
});
