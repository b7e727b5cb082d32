import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';
import { replay } from '../../../apiserver/test/recorded/replay.ts';

/*
 * The life of a custom kind, on whatever control plane is chosen: defined, explained, created, refused, defaulted,
 * pruned, changed, scaled, watched, converted and deleted. What is expected was seen of kube-apiserver 1.36.
 */

const group = `${randomBytes(4).toString('hex')}.example.com`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = `${definitions}/gadgets.${group}`;
const namespace = `gadgets-${randomBytes(4).toString('hex')}`;
const gadgets = `/apis/${group}/v1/namespaces/${namespace}/gadgets`;

const specSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 9, description: 'How large it is.' },
    colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    label: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
    when: { type: 'string', format: 'date-time' },
    replicas: { type: 'integer' },
    port: { 'x-kubernetes-int-or-string': true },
    note: { type: 'string', nullable: true },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 2, items: { type: 'string' } },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
};
const schema = {
  openAPIV3Schema: {
    type: 'object',
    description: 'A gadget of a test.',
    properties: {
      spec: specSchema,
      status: {
        type: 'object',
        properties: {
          replicas: { type: 'integer' },
          selector: { type: 'string' },
          phase: { type: 'string' },
        },
      },
    },
  },
};
const version = {
  name: 'v1',
  served: true,
  storage: true,
  schema,
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    {
      name: 'First',
      type: 'string',
      jsonPath: '.spec.parts[0].name',
      description: 'The first part.',
      priority: 1,
    },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  ],
  selectableFields: [{ jsonPath: '.spec.colour' }],
};
const narrow = {
  name: 'v1beta1',
  served: true,
  storage: false,
  deprecated: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  },
};
const gadgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `gadgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['gd'], categories: ['toys'] },
    versions: [version, narrow],
  },
};

const nameDescription = expect.stringMatching(/^Name must be unique within a namespace\. /) as unknown;
const timeDescription = expect.stringMatching(/^CreationTimestamp is a timestamp representing /) as unknown;

interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly text: string;
  readonly warning?: string;
}

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
}, 90_000);
afterAll(() => plane.stop());

/** `METHOD[:patch type or form]` as replay.ts has it. */
async function send(verb: string, path: string, body?: unknown): Promise<Answer> {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  const endpoint = { url: plane.url, token: users[0].user.token };
  let text = '';
  const line = [verb, path, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' ');
  const { code, warning } = await replay(line, endpoint, namespace, (read) => (text = read));
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : text;
  return { code, text, body: parsed, ...(warning === undefined ? undefined : { warning }) };
}

/** Asks until the answer is one that is looked for. */
async function eventually(ask: () => Promise<Answer>, isIt: (answer: Answer) => boolean): Promise<Answer> {
  const until = performance.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (isIt(answer) || performance.now() > until) {
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const gadget = (name: string, spec: object): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Gadget',
  metadata: { name },
  spec,
});
/** What is refused, by field. */
function causesOf({ body }: Answer): readonly string[] {
  const { details } = body as {
    details?: { causes?: readonly { reason: string; message: string; field: string }[] };
  };
  return (details?.causes ?? []).map(({ reason, message, field }) => `${field} ${reason}: ${message}`).sort();
}

describe('custom kind', () => {
  test('defined -> established, and its names accepted', async () => {
    await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const made = await send('POST', definitions, gadgetDefinition);
    expect([made.code, made.text.length > 0 && made.body]).toMatchObject([
      201,
      {
        spec: {
          names: { singular: 'gadget', listKind: 'GadgetList' },
          conversion: { strategy: 'None' },
        },
        status: { acceptedNames: { plural: '', kind: '' }, conditions: null, storedVersions: ['v1'] },
      },
    ]);
    const isEstablished = ({ text }: Answer): boolean => text.includes('InitialNamesAccepted');
    const established = await eventually(() => send('GET', definition), isEstablished);
    expect(established.body).toMatchObject({
      status: {
        acceptedNames: {
          plural: 'gadgets',
          singular: 'gadget',
          kind: 'Gadget',
          listKind: 'GadgetList',
          shortNames: ['gd'],
        },
        conditions: [
          { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
          { type: 'Established', status: 'True', message: 'the initial names have been accepted' },
        ],
        storedVersions: ['v1'],
      },
    });
  });

  test('established -> in discovery, with its versions, names and subresources', async () => {
    const found = await eventually(
      () => send('GET', `/apis/${group}/v1`),
      ({ code }) => code === 200,
    );
    const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'].sort();
    const { resources } = found.body as { resources: readonly { name: string; verbs: string[] }[] };
    expect(resources.map(({ name, ...rest }) => ({ name, ...rest, verbs: [...rest.verbs].sort() }))).toEqual(
      expect.arrayContaining([
        {
          name: 'gadgets',
          singularName: 'gadget',
          namespaced: true,
          kind: 'Gadget',
          verbs,
          shortNames: ['gd'],
          categories: ['toys'],
          storageVersionHash: expect.any(String) as unknown,
        },
        {
          name: 'gadgets/status',
          singularName: '',
          namespaced: true,
          kind: 'Gadget',
          verbs: ['get', 'patch', 'update'],
        },
        {
          name: 'gadgets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        },
      ]),
    );
    const groups = await eventually(
      () => send('GET', `/apis/${group}`),
      ({ text }) => text.includes('v1beta1'),
    );
    expect(groups.body).toMatchObject({
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
      preferredVersion: { version: 'v1' },
    });
  });

  test('object created -> defaulted, pruned, generation 1, status dropped', async () => {
    const sent = gadget('a', {
      size: 3,
      unknown: 1,
      parts: [{ name: 'x', extra: true }],
      free: { anything: { goes: 1 } },
      labels: { k: 'v' },
      note: null,
      port: 'http',
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 't', odd: 1 }, spec: { any: 1 } },
    });
    const made = await eventually(
      () => send('POST', gadgets, { ...sent, status: { phase: 'Lost' } }),
      ({ code }) => code === 201,
    );
    expect(made.body).toMatchObject({ metadata: { generation: 1 } });
    expect((made.body as { spec: unknown }).spec).toEqual({
      size: 3,
      colour: 'red',
      parts: [{ name: 'x', count: 1 }],
      free: { anything: { goes: 1 } },
      labels: { k: 'v' },
      note: null,
      port: 'http',
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 't' }, spec: { any: 1 } },
    });
    expect(made.body).not.toHaveProperty('status');
  });

  test('unknown field, strict validation -> refused with its path', async () => {
    const strict = await send(
      'POST',
      `${gadgets}?fieldValidation=Strict`,
      gadget('s', { size: 1, odd: { a: 1 }, parts: [{ name: 'a', z: 1 }] }),
    );
    expect(strict.code).toBe(400);
    expect(strict.body).toMatchObject({
      message:
        'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "spec.odd", unknown field "spec.parts[0].z"',
    });
  });

  test.each([
    ['absent', {}, ['spec.size FieldValueRequired: Required value']],
    [
      'of another type',
      { size: 'x' },
      [
        'spec.size FieldValueTypeInvalid: Invalid value: "string": spec.size in body must be of type integer: "string"',
      ],
    ],
    [
      'too small',
      { size: 0 },
      [
        'spec.size FieldValueInvalid: Invalid value: 0: spec.size in body should be greater than or equal to 1',
      ],
    ],
    [
      'too great',
      { size: 10 },
      ['spec.size FieldValueInvalid: Invalid value: 10: spec.size in body should be less than or equal to 9'],
    ],
    [
      'not in the enumeration',
      { size: 1, colour: 'green' },
      ['spec.colour FieldValueNotSupported: Unsupported value: "green": supported values: "red", "blue"'],
    ],
    [
      'too long',
      { size: 1, label: 'abcde' },
      ['spec.label FieldValueTooLong: Too long: may not be more than 4 bytes'],
    ],
    [
      'too short',
      { size: 1, label: 'a' },
      [
        'spec.label FieldValueInvalid: Invalid value: "a": spec.label in body should be at least 2 chars long',
      ],
    ],
    [
      'against its pattern',
      { size: 1, label: 'A1' },
      [`spec.label FieldValueInvalid: Invalid value: "A1": spec.label in body should match '^[a-z]+$'`],
    ],
    [
      'without its format',
      { size: 1, when: 'soon' },
      [
        'spec.when FieldValueTypeInvalid: Invalid value: "soon": spec.when in body must be of type date-time: "soon"',
      ],
    ],
    [
      'neither a number nor a text',
      { size: 1, port: true },
      [
        'spec.port FieldValueTypeInvalid: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
      ],
    ],
    [
      'a set with one item twice',
      { size: 1, tags: ['a', 'a'] },
      ['spec.tags[1] FieldValueDuplicate: Duplicate value: "a"'],
    ],
    [
      'a list that is too long',
      { size: 1, tags: ['a', 'b', 'c'] },
      ['spec.tags FieldValueTooMany: Too many: 3: must have at most 2 items'],
    ],
    [
      'a map with one key twice',
      { size: 1, parts: [{ name: 'a' }, { name: 'a' }] },
      ['spec.parts[1] FieldValueDuplicate: Duplicate value: {"name":"a"}'],
    ],
    [
      'an embedded resource without a kind',
      { size: 1, template: { apiVersion: 'v1' } },
      ['spec.template.kind FieldValueRequired: Required value'],
    ],
    [
      'a map of other values',
      { size: 1, labels: { k: 1 } },
      [
        'spec.labels.k FieldValueTypeInvalid: Invalid value: "integer": spec.labels.k in body must be of type string: "integer"',
      ],
    ],
  ])('field is %s -> 422', async (_, spec, causes) => {
    const answer = await send('POST', gadgets, gadget('bad', spec));
    expect([answer.code, causesOf(answer)]).toEqual([422, causes]);
  });

  test('object patched and replaced -> generation follows what it says; without a version refused', async () => {
    const patched = await send('PATCH:merge', `${gadgets}/a`, { spec: { size: 4, colour: null } });
    expect(patched.body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 4, colour: 'red' } });
    const labelled = await send('PATCH:merge', `${gadgets}/a`, { metadata: { labels: { a: 'b' } } });
    expect(labelled.body).toMatchObject({ metadata: { generation: 2 } });
    const strategic = await send('PATCH:strategic', `${gadgets}/a`, { spec: { size: 5 } });
    expect(strategic.code).toBe(415);
    const unversioned = await send('PUT', `${gadgets}/a`, gadget('a', { size: 5 }));
    expect([unversioned.code, causesOf(unversioned)]).toEqual([
      422,
      ['metadata.resourceVersion FieldValueInvalid: Invalid value: 0: must be specified for an update'],
    ]);
  });

  test('status written -> it alone changes, and no generation', async () => {
    const status = { replicas: 2, selector: 'app=a', phase: 'Ready' };
    const written = await send('PATCH:merge', `${gadgets}/a/status`, {
      status,
      spec: { size: 9 },
      metadata: { labels: { x: 'y' } },
    });
    expect(written.body).toMatchObject({
      metadata: { generation: 2, labels: { a: 'b' } },
      spec: { size: 4 },
      status,
    });
    expect(written.text).not.toContain('"x":"y"');
    const main = await send('PATCH:merge', `${gadgets}/a`, { status: { phase: 'Gone' } });
    expect(main.body).toMatchObject({ status: { phase: 'Ready' } });
    const bad = await send('PATCH:merge', `${gadgets}/a/status`, { status: { replicas: 'x' } });
    expect([bad.code, causesOf(bad)]).toEqual([
      422,
      [
        '.status.replicas FieldValueInvalid: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64',
        'status.replicas FieldValueTypeInvalid: Invalid value: "string": replicas in body must be of type integer: "string"',
      ],
    ]);
  });

  test('scaled -> its replicas change', async () => {
    const none = await send('GET', `${gadgets}/a/scale`);
    expect([none.code, (none.body as { message: string }).message]).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    ]);
    await send('PATCH:merge', `${gadgets}/a`, { spec: { replicas: 1 } });
    const scaled = await send('PATCH:merge', `${gadgets}/a/scale`, { spec: { replicas: 5 } });
    expect(scaled.body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 5 },
      status: { replicas: 2, selector: 'app=a' },
    });
    expect((await send('GET', `${gadgets}/a`)).body).toMatchObject({ spec: { replicas: 5 } });
  });

  test('listed as Table -> its columns', async () => {
    const { body } = await send('GET:table', gadgets);
    expect(body).toMatchObject({
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', priority: 0 },
        {
          name: 'Size',
          type: 'integer',
          description: 'Custom resource definition column (in JSONPath format): .spec.size',
          priority: 0,
        },
        { name: 'First', type: 'string', description: 'The first part.', priority: 1 },
        { name: 'Phase', type: 'string', priority: 0 },
      ],
      rows: [{ cells: ['a', 4, 'x', 'Ready'] }],
    });
  });

  test('version without columns, and definitions, listed as Table -> age, and time of creation', async () => {
    const { body } = await send('GET:table', gadgets.replace('/v1/', '/v1beta1/'));
    const columns = ({ columnDefinitions }: { columnDefinitions: readonly object[] }): readonly object[] =>
      columnDefinitions;
    const [name, age, ...more] = columns(body as { columnDefinitions: readonly object[] });
    expect([name, age, more]).toMatchObject([
      { name: 'Name', type: 'string', format: 'name', description: nameDescription },
      { name: 'Age', type: 'date', format: '', description: timeDescription, priority: 0 },
      [],
    ]);
    const table = await send('GET:table', definition);
    expect(columns(table.body as { columnDefinitions: readonly object[] })).toEqual([
      { name: 'Name', type: 'string', format: 'name', description: nameDescription, priority: 0 },
      { name: 'Created At', type: 'date', format: '', description: timeDescription, priority: 0 },
    ]);
  });

  test('watched from a version -> changes after it, as objects of the version that is watched', async () => {
    const { body } = await send('GET', gadgets);
    const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
    const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
    const endpoint = { url: plane.url, token: users[0].user.token };
    let text = '';
    const path = `${gadgets.replace('/v1/', '/v1beta1/')}?watch=true&resourceVersion=${resourceVersion}`;
    const isWhole = (read: string): boolean => read.endsWith('\n') && read.includes('DELETED');
    const watched = replay(`GET ${path}`, endpoint, namespace, (read) => (text = read), '', isWhole);
    await send('POST', gadgets, gadget('w', { size: 1, colour: 'blue' }));
    await send('PATCH:merge', `${gadgets}/w`, { spec: { size: 2 } });
    await send('DELETE', `${gadgets}/w`);
    await watched;
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; object: { apiVersion: string; spec: unknown } });
    expect(events.map(({ type, object: { apiVersion, spec } }) => ({ type, apiVersion, spec }))).toEqual([
      { type: 'ADDED', apiVersion: `${group}/v1beta1`, spec: { size: 1 } },
      { type: 'MODIFIED', apiVersion: `${group}/v1beta1`, spec: { size: 2 } },
      { type: 'DELETED', apiVersion: `${group}/v1beta1`, spec: { size: 2 } },
    ]);
  });

  test('listed and selected -> items with their type; by a field that the definition names', async () => {
    const all = await send('GET', gadgets);
    expect(all.body).toMatchObject({
      kind: 'GadgetList',
      items: [{ kind: 'Gadget', apiVersion: `${group}/v1` }],
    });
    const red = await send('GET', `${gadgets}?fieldSelector=spec.colour%3Dred`);
    expect((red.body as { items: unknown[] }).items).toHaveLength(1);
    const blue = await send('GET', `${gadgets}?fieldSelector=spec.colour%3Dblue`);
    expect((blue.body as { items: unknown[] }).items).toHaveLength(0);
    expect((await send('GET', `${gadgets}?fieldSelector=spec.size%3D4`)).code).toBe(400);
  });

  test('applied by two -> lists of type map are owned by item, and conflicts name the field', async () => {
    const mine = gadget('b', { size: 1, parts: [{ name: 'x', count: 1 }] });
    const made = await send('PATCH:apply', `${gadgets}/b?fieldManager=one`, mine);
    expect(made.code).toBe(201);
    const others = gadget('b', { size: 2, parts: [{ name: 'y', count: 2 }] });
    const refused = await send('PATCH:apply', `${gadgets}/b?fieldManager=two`, others);
    expect([refused.code, causesOf(refused)]).toEqual([
      409,
      ['.spec.size FieldManagerConflict: conflict with "one"'],
    ]);
    const forced = await send('PATCH:apply', `${gadgets}/b?fieldManager=two&force=true`, others);
    expect(forced.body).toMatchObject({ spec: { size: 2, parts: [{ name: 'x' }, { name: 'y' }] } });
    const odd = await send(
      'PATCH:apply',
      `${gadgets}/b?fieldManager=two&force=true`,
      gadget('b', { odd: 1 }),
    );
    expect((odd.body as { message: string }).message).toContain('.spec.odd: field not declared in schema');
  });

  test('read in another version -> converted by its name, pruned, and with a warning that it is deprecated', async () => {
    const path = gadgets.replace('/v1/', '/v1beta1/');
    const old = await send('GET', `${path}/a`);
    expect(old.body).toMatchObject({ apiVersion: `${group}/v1beta1` });
    expect((old.body as { spec: unknown }).spec).toEqual({ size: 4 });
    expect(old.warning).toContain(`${group}/v1beta1 Gadget is deprecated; use ${group}/v1 Gadget`);
    const untyped = await send('POST', path, { metadata: { name: 'old' } });
    expect([untyped.code, (untyped.body as { message: string }).message]).toEqual([
      400,
      `the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in '{"metadata":{"name":"old"}}' ({"metadata":{"name":"old"}})`,
    ]);
    const sent = { ...gadget('old', { size: 7 }), apiVersion: `${group}/v1beta1` };
    const made = await send('POST', path, sent);
    expect([made.code, made.body]).toMatchObject([
      201,
      { apiVersion: `${group}/v1beta1`, spec: { size: 7 } },
    ]);
    expect((await send('GET', `${gadgets}/old`)).body).toMatchObject({
      apiVersion: `${group}/v1`,
      spec: { size: 7, colour: 'red' },
    });
  });

  test('published -> OpenAPI says what the definition does', async () => {
    const { body } = await eventually(
      () => send('GET', `/openapi/v3/apis/${group}/v1`),
      ({ text }) => text.includes('How large it is.'),
    );
    const name = [...group.split('.').toReversed(), 'v1', 'Gadget'].join('.');
    const { components } = body as { components: { schemas: Record<string, unknown> } };
    expect(components.schemas[name]).toMatchObject({
      description: 'A gadget of a test.',
      type: 'object',
      properties: { spec: { properties: { colour: { enum: ['red', 'blue'] } } } },
      'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind: 'Gadget' }],
    });
  });

  test('another kind of the group with its names -> not accepted until they are free', async () => {
    const other = {
      ...gadgetDefinition,
      metadata: { name: `gizmos.${group}` },
      spec: {
        ...gadgetDefinition.spec,
        names: { plural: 'gizmos', kind: 'Gadget', shortNames: ['gz'] },
      },
    };
    expect((await send('POST', definitions, other)).code).toBe(201);
    const path = `${definitions}/gizmos.${group}`;
    const waiting = await eventually(
      () => send('GET', path),
      ({ text }) => text.includes('Conflict'),
    );
    expect(waiting.body).toMatchObject({
      status: {
        acceptedNames: { plural: 'gizmos', kind: '', shortNames: ['gz'] },
        conditions: [
          {
            type: 'NamesAccepted',
            status: 'False',
            reason: 'ListKindConflict',
            message: '"GadgetList" is already in use',
          },
          {
            type: 'Established',
            status: 'False',
            reason: 'NotAccepted',
            message: 'not all names are accepted',
          },
        ],
      },
    });
    expect((await send('GET', `/apis/${group}/v1/gizmos`)).code).toBe(404);
    await send('DELETE', path);
    expect(
      (
        await eventually(
          () => send('GET', path),
          ({ code }) => code === 404,
        )
      ).code,
    ).toBe(404);
  });

  test.each([
    [
      'its name is not its plural and group',
      { metadata: { name: `other.${group}` } },
      [
        'metadata.name FieldValueInvalid: Invalid value: "other.GROUP": must be spec.names.plural+"."+spec.group',
      ],
    ],
    [
      'two versions are stored',
      { spec: { versions: [version, { ...narrow, storage: true }] } },
      expect.arrayContaining([
        expect.stringContaining('must have exactly one version marked as storage version'),
      ]) as unknown,
    ],
    [
      'a field has no type',
      {
        spec: {
          versions: [
            {
              ...version,
              subresources: {},
              additionalPrinterColumns: [],
              selectableFields: [],
              schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } },
            },
          ],
        },
      },
      [
        'spec.validation.openAPIV3Schema.properties[a].type FieldValueRequired: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'a version has no schema',
      { spec: { versions: [{ name: 'v1', served: true, storage: true }] } },
      ['spec.versions[0].schema.openAPIV3Schema FieldValueRequired: Required value'],
    ],
  ])('definition, %s -> 422', async (_, change: { metadata?: object; spec?: object }, causes) => {
    const names = { plural: 'others', kind: 'Other' };
    const sent = {
      ...gadgetDefinition,
      metadata: { name: `others.${group}`, ...change.metadata },
      spec: { ...gadgetDefinition.spec, names, ...change.spec },
    };
    const answer = await send('POST', definitions, sent);
    expect([answer.code, causesOf(answer).map((cause) => cause.replace(group, 'GROUP'))]).toEqual([
      422,
      causes,
    ]);
  });

  test('definition changed -> objects are read by the new schema, watches end', async () => {
    const wider = {
      ...version,
      schema: {
        openAPIV3Schema: {
          ...schema.openAPIV3Schema,
          properties: {
            ...schema.openAPIV3Schema.properties,
            spec: {
              ...specSchema,
              properties: { ...specSchema.properties, shape: { type: 'string', default: 'round' } },
            },
          },
        },
      },
    };
    const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
    const endpoint = { url: plane.url, token: users[0].user.token };
    const watch = `GET ${gadgets}?watch=true&timeoutSeconds=300`;
    let isOpen: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (isOpen = resolve));
    const watched = replay(watch, endpoint, namespace, undefined, '', () => {
      isOpen();
      return false;
    });
    await opened;
    const changed = await send('PATCH:merge', definition, { spec: { versions: [wider, narrow] } });
    expect(changed.body).toMatchObject({ metadata: { generation: 2 } });
    const read = await eventually(
      () => send('GET', `${gadgets}/a`),
      ({ text }) => text.includes('round'),
    );
    expect(read.body).toMatchObject({ spec: { size: 4, shape: 'round' } });
    // A watch of the kind as it was ends, as if its time were over.
    expect((await watched).code).toBe(200);
  });

  test('definition deleted -> kept until its objects are gone, which may have finalizers', async () => {
    await send('PATCH:merge', `${gadgets}/b`, { metadata: { finalizers: ['example.com/hold'] } });
    const marked = await send('DELETE', definition);
    expect([marked.code, marked.body]).toMatchObject([
      200,
      {
        metadata: {
          finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
          deletionTimestamp: expect.any(String) as unknown,
        },
      },
    ]);
    const left = await eventually(
      () => send('GET', gadgets),
      ({ body }) => (body as { items: unknown[] }).items.length === 1,
    );
    expect(left.body).toMatchObject({
      items: [{ metadata: { name: 'b', deletionTimestamp: expect.any(String) as unknown } }],
    });
    expect((await send('GET', definition)).body).toMatchObject({
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({
            type: 'Terminating',
            status: 'True',
            reason: 'InstanceDeletionInProgress',
          }),
        ]) as unknown,
      },
    });
    const refused = await send('POST', gadgets, gadget('late', { size: 1 }));
    expect([refused.code, (refused.body as { message: string }).message]).toEqual([
      403,
      `gadgets.${group} "late" is forbidden: create not allowed while custom resource definition is terminating`,
    ]);
    await send('PATCH:merge', `${gadgets}/b`, { metadata: { finalizers: null } });
    const gone = await eventually(
      () => send('GET', definition),
      ({ code }) => code === 404,
    );
    expect(gone.code).toBe(404);
    expect(
      (
        await eventually(
          () => send('GET', gadgets),
          ({ code }) => code === 404,
        )
      ).code,
    ).toBe(404);
  });
});
