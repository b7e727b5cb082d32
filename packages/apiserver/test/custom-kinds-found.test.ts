import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* What random requests about custom kinds were answered otherwise than on the real server, whose answers stand here. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
});
afterAll(() => server.stop());

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly code: number;
  readonly body: Fields & { readonly message?: string; readonly spec?: Fields; readonly metadata?: Fields };
}

const mediaTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

async function ask(
  method: string,
  path: string,
  body?: Fields,
  patch?: keyof typeof mediaTypes,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = patch === undefined ? undefined : mediaTypes[patch];
  const answer = await server.handle(method, path, text, type);
  return { code: answer.code, body: JSON.parse(answer.body) as Answer['body'] };
}

const property = (more: Fields): Fields => ({ type: 'object', properties: more });
const definition = {
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: property({
            spec: property({
              replicas: { type: 'integer' },
              count: { type: 'integer', format: 'int32' },
              size: { type: 'string', enum: ['S', 'M'] },
              tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
              preset: { type: 'integer', default: 1 },
              any: { 'x-kubernetes-preserve-unknown-fields': true },
            }),
            status: property({ replicas: { type: 'integer' } }),
          }),
        },
      },
    ],
  },
};

const gadgets = '/apis/example.com/v1/namespaces/default/gadgets';
const gadget = (name: string, spec: unknown): Fields => ({
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name },
  spec,
});

const wrong: readonly (readonly [title: string, spec: unknown, message: string])[] = [
  [
    'value of another type where a few are allowed -> both said',
    { size: 1 },
    '[spec.size: Invalid value: "integer": spec.size in body must be of type string: "integer", spec.size: Unsupported value: 1: supported values: "S", "M"]',
  ],
  [
    'integer too large for its format -> refused',
    { count: 3_000_000_000 },
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.count',
  ],
  [
    'fraction where a sized integer is due -> of a wrong format',
    { count: 1.5 },
    '[spec.count: Invalid value: "float64": spec.count in body must be of type int32: "float64", <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.count]',
  ],
  [
    'spec that is a list -> has no replicas',
    [],
    '[spec: Invalid value: "array": spec in body must be of type object: "array", .spec.replicas: Invalid value: 0: .spec.replicas accessor error: [] is of the type []interface {}, expected map[string]interface{}]',
  ],
  [
    'replicas that are a fraction -> no number of replicas',
    { replicas: 1.5 },
    '[spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number", <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.replicas, .spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64]',
  ],
];
test.each(wrong)('%s', async (_, spec, message) => {
  await expect(ask('POST', gadgets, gadget('g', spec))).resolves.toMatchObject({
    code: 422,
    body: { message: `Gadget.example.com "g" is invalid: ${message}` },
  });
});

test('selected by a field that the definition does not name -> 400', async () => {
  await expect(ask('GET', `${gadgets}?fieldSelector=spec.size%3DS`)).resolves.toMatchObject({
    code: 400,
    body: { message: 'field label not supported: spec.size' },
  });
});

test('null applied -> refused, but where there is a default', async () => {
  const apply = (spec: Fields): Promise<Answer> =>
    ask('PATCH', `${gadgets}/n?fieldManager=m&dryRun=All`, gadget('n', spec), 'apply');
  await expect(apply({ count: null })).resolves.toMatchObject({
    code: 422,
    body: {
      message:
        'Gadget.example.com "n" is invalid: spec.count: Invalid value: "null": spec.count in body must be of type integer: "null"',
    },
  });
  await expect(apply({ preset: null })).resolves.toMatchObject({
    code: 201,
    body: { spec: { preset: 1 } },
  });
});

test('null created -> left out', async () => {
  const { body } = await ask('POST', `${gadgets}?dryRun=All`, gadget('n', { count: null }));
  expect(body.spec).toEqual({ preset: 1 });
});

test('another version in the body -> the version that is expected', async () => {
  await expect(ask('POST', gadgets, { ...gadget('v', {}), apiVersion: 'v2' })).resolves.toMatchObject({
    code: 400,
    body: {
      message: 'the API version in the data (v2) does not match the expected API version (example.com/v1)',
    },
  });
});

test('long body without a kind -> its beginning said', async () => {
  const { body } = await ask('POST', gadgets, {
    apiVersion: 'example.com/v1',
    metadata: { name: 'kindless' },
  });
  expect(body.message).toMatch(/\(\{"apiVersion":"example\.com\/v1" \.\.\.\)$/);
});

test('Scale of an object without replicas -> written by who says them', async () => {
  await ask('POST', gadgets, gadget('unscaled', {}));
  const scale = `${gadgets}/unscaled/scale`;
  await expect(ask('PATCH', scale, { metadata: {} }, 'merge')).resolves.toMatchObject({
    code: 400,
    body: { message: 'the spec replicas field ".spec.replicas" cannot be empty' },
  });
  const replace = ask('PUT', scale, { metadata: { name: 'unscaled' }, spec: { replicas: 0 } });
  await expect(replace).resolves.toMatchObject({ code: 200, body: { kind: 'Scale', spec: {} } });
  await expect(ask('GET', scale)).resolves.toMatchObject({ code: 200 });
});

const unconverted =
  '(/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1';
test.each([
  ['owned', { replicas: 2 }, `failed to convert new object ${unconverted}`],
  [
    'absent',
    {},
    `failed to create manager for existing fields: failed to convert live object ${unconverted}`,
  ],
])('Scale applied, replicas %s -> 500', async (name, spec, message) => {
  await ask('POST', gadgets, gadget(name, spec));
  const applied = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 6 } };
  await expect(
    ask('PATCH', `${gadgets}/${name}/scale?fieldManager=m&force=true`, applied, 'apply'),
  ).resolves.toMatchObject({ code: 500, body: { message } });
});

const scaleOf = (replicas: number | undefined): Fields => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  spec: { replicas },
});

test.each([
  ['two', 2, 6],
  ['none', 0, 0],
])(
  'Scale applied without force, replicas are %s and others own them -> 409',
  async (name, there, applied) => {
    await ask('POST', `${gadgets}?fieldManager=m`, gadget(`conflict-${name}`, { replicas: there }));
    const path = `${gadgets}/conflict-${name}/scale?fieldManager=one`;
    await expect(ask('PATCH', path, scaleOf(applied), 'apply')).resolves.toMatchObject({
      code: 409,
      body: {
        message: 'Apply failed with 1 conflict: conflict with "m" using autoscaling/v1: .spec.replicas',
      },
    });
  },
);

test('Scale applied that says nothing of owned replicas -> taken, and their owner is another by the next request', async () => {
  await ask('POST', `${gadgets}?fieldManager=m`, gadget('silent', { replicas: 2, count: 1 }));
  const apply = (): Promise<Answer> =>
    ask('PATCH', `${gadgets}/silent/scale?fieldManager=one`, scaleOf(undefined), 'apply');
  await expect(apply()).resolves.toMatchObject({ code: 200, body: { spec: { replicas: 2 } } });
  const { body } = await ask('GET', `${gadgets}/silent`);
  expect(body.metadata?.['managedFields']).toMatchObject([
    { manager: 'm', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    { manager: 'm', fieldsV1: { 'f:spec': { 'f:count': {} } } },
  ]);
  await expect(apply()).resolves.toMatchObject({ code: 500 });
});

test.each([
  ['negative', { spec: { replicas: -1 } }],
  ['negative, of another uid', { metadata: { uid: 'other' }, spec: { replicas: -1 } }],
])('Scale %s merged -> refused as the object that it makes', async (_, scale) => {
  await ask('POST', gadgets, gadget('negative', {}));
  await expect(ask('PATCH', `${gadgets}/negative/scale`, scale, 'merge')).resolves.toMatchObject({
    code: 422,
    body: {
      message:
        'Gadget.example.com "negative" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
    },
  });
});

test.each(['', '/scale'])('strategic merge patch of gadgets/a%s -> 415', async (subresource) => {
  await ask('POST', gadgets, gadget('strategic', { replicas: 1 }));
  const path = `${gadgets}/strategic${subresource}`;
  await expect(ask('PATCH', path, { spec: { replicas: 2 } }, 'strategic')).resolves.toMatchObject({
    code: 415,
    body: {
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    },
  });
});

test('Scale of another version or uid replaced -> 409, whatever its replicas', async () => {
  await ask('POST', gadgets, gadget('replaced', { replicas: 1 }));
  const put = (metadata: Fields): Promise<Answer> =>
    ask('PUT', `${gadgets}/replaced/scale`, {
      metadata: { name: 'replaced', ...metadata },
      spec: { replicas: -1 },
    });
  await expect(put({ resourceVersion: '1' })).resolves.toMatchObject({
    code: 409,
    body: { message: expect.stringContaining('the object has been modified') },
  });
  await expect(put({ uid: 'other' })).resolves.toMatchObject({
    code: 409,
    body: {
      message: expect.stringContaining(
        'Key: /registry/example.com/gadgets/default/replaced, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other',
      ),
    },
  });
});

test('merge patch with nulls in objects of a list -> left out, but where the list replaces an object', async () => {
  await ask('POST', gadgets, gadget('nulls', {}));
  const merge = async (any: unknown): Promise<unknown> =>
    (await ask('PATCH', `${gadgets}/nulls`, { spec: { any } }, 'merge')).body.spec?.['any'];
  await expect(merge([{ a: null, b: 1 }, null, [{ c: null }]])).resolves.toEqual([{ b: 1 }, null, [{}]]);
  await expect(merge({ a: { b: [{ c: null }] } })).resolves.toEqual({ a: { b: [{}] } });
  await expect(merge([{ a: null }])).resolves.toEqual([{ a: null }]);
});

test('text replaced by an object -> who writes owns its fields, too', async () => {
  await ask('POST', `${gadgets}?fieldManager=one`, gadget('mixed', { any: 'x' }));
  const { body } = await ask(
    'PATCH',
    `${gadgets}/mixed?fieldManager=two`,
    { spec: { any: { a: { b: 1 } } } },
    'merge',
  );
  expect(body.metadata?.['managedFields']).toContainEqual(
    expect.objectContaining({
      manager: 'two',
      fieldsV1: { 'f:spec': { 'f:any': { '.': {}, 'f:a': { '.': {}, 'f:b': {} } } } },
    }),
  );
});

test('unknown field merged strictly -> the object shown with all its fields by name', async () => {
  const metadata = { name: 'shown', finalizers: ['e.com/f'] };
  await ask('POST', gadgets, { ...gadget('shown', { replicas: 1, count: 2 }), metadata });
  const { body } = await ask(
    'PATCH',
    `${gadgets}/shown?fieldValidation=Strict`,
    { data: { b: 1, a: 2 } },
    'merge',
  );
  expect(body.message).toMatch(
    /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"example\.com\/v1\\",\\"data\\":\{\\"a\\":2,\\"b\\":1\},\\"kind\\":\\"Gadget\\",\\"metadata\\":\{\\"creationTimestamp\\":[^,]*,\\"finalizers\\":.*,\\"spec\\":\{\\"count\\":2,\\"preset\\":1,\\"replicas\\":1\}\}": strict/,
  );
});

test('body without a version -> the version that is expected', async () => {
  const { apiVersion, ...versionless } = gadget('v', {});
  await expect(ask('POST', gadgets, versionless)).resolves.toMatchObject({
    code: 400,
    body: {
      message: `the API version in the data () does not match the expected API version (${String(apiVersion)})`,
    },
  });
});

test('body without a kind, unknown fields ignored -> refused in other words', async () => {
  const { body } = await ask('POST', `${gadgets}?fieldValidation=Ignore`, { metadata: {} });
  expect(body.message).toBe(
    `Gadget in version "v1" cannot be handled as a Gadget: Object 'Kind' is missing in '{"metadata":{}}'`,
  );
});

test('null in a list of type set applied -> refused', async () => {
  await expect(
    ask('PATCH', `${gadgets}/t?fieldManager=m`, gadget('t', { tags: ['a', null] }), 'apply'),
  ).resolves.toMatchObject({
    code: 500,
    body: {
      message:
        "failed to create typed patch object (/t; example.com/v1, Kind=Gadget): .spec.tags: element 1: associative list without keys has an element that's an explicit null",
    },
  });
});

test.each([
  ['one', 'PUT', undefined],
  ['two', 'PATCH', 'merge'],
] as const)(
  'Scale of %s written by %s -> who owned the replicas is forgotten by PUT alone',
  async (name, method, patch) => {
    await ask('POST', `${gadgets}?fieldManager=m`, gadget(name, { replicas: 2, count: 1 }));
    await ask(method, `${gadgets}/${name}/scale`, { metadata: { name }, spec: { replicas: 2 } }, patch);
    const { body } = await ask('GET', `${gadgets}/${name}`);
    const isOwned = JSON.stringify(body.metadata?.['managedFields']).includes('f:replicas');
    expect(isOwned).toBe(method === 'PATCH');
  },
);

describe('kind with rules and a status', () => {
  const ruled = '/apis/example.com/v1/namespaces/default/ruleds';
  beforeAll(async () => {
    const schema = property({
      spec: property({
        text: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self != "no"', message: 'must not be no' }],
        },
      }),
      status: property({ phase: { type: 'string' } }),
    });
    await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'ruleds.example.com' },
      spec: {
        ...definition.spec,
        names: { plural: 'ruleds', kind: 'Ruled' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: schema },
          },
        ],
      },
    });
  });

  test('created without a name -> rules are not checked', async () => {
    const { code, body } = await ask('POST', ruled, {
      apiVersion: 'example.com/v1',
      kind: 'Ruled',
      spec: { text: 'no' },
    });
    expect(code).toBe(422);
    expect(body['details']).toMatchObject({
      causes: [
        { reason: 'FieldValueRequired', field: 'metadata.name' },
        {
          message:
            'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
          field: '<nil>',
        },
      ],
    });
  });

  test('status replaced with two controllers in its metadata -> the metadata that is there is judged', async () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Ruled', metadata: { name: 'r' } };
    const { body: created } = await ask('POST', ruled, object);
    const controller = (uid: string): Fields => ({
      apiVersion: 'v1',
      kind: 'Node',
      name: 'n',
      uid,
      controller: true,
    });
    const { resourceVersion } = created.metadata ?? {};
    await expect(
      ask('PUT', `${ruled}/r/status`, {
        ...object,
        metadata: { name: 'r', resourceVersion, ownerReferences: [controller('1'), controller('2')] },
        status: { phase: 'Done' },
      }),
    ).resolves.toMatchObject({ code: 200, body: { status: { phase: 'Done' } } });
  });

  test.each(['PUT', 'PATCH'])(
    '%s of a status beside a spec of a wrong type -> nobody owns anything',
    async (verb) => {
      const name = `unowned-${verb.toLowerCase()}`;
      const object = { apiVersion: 'example.com/v1', kind: 'Ruled', metadata: { name, labels: { x: '1' } } };
      const { body: created } = await ask('POST', ruled, object);
      expect(created.metadata).toHaveProperty('managedFields');
      const wrong = { ...created, spec: { text: 5 }, status: { phase: 'Done' } };
      const patch = verb === 'PATCH' ? 'merge' : undefined;
      const { code, body } = await ask(verb, `${ruled}/${name}/status`, wrong, patch);
      expect([code, body.spec, body['status']]).toEqual([200, undefined, { phase: 'Done' }]);
      expect(body.metadata).not.toHaveProperty('managedFields');
    },
  );
});

test('kind that has its replicas elsewhere -> Scale finds their owners there', async () => {
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'sizeds.example.com' },
    spec: {
      ...definition.spec,
      names: { plural: 'sizeds', kind: 'Sized' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            scale: { specReplicasPath: '.spec.deep.size', statusReplicasPath: '.status.replicas' },
          },
          schema: {
            openAPIV3Schema: property({
              spec: property({ deep: property({ size: { type: 'integer' } }) }),
              status: property({ replicas: { type: 'integer' } }),
            }),
          },
        },
      ],
    },
  });
  const sized = '/apis/example.com/v1/namespaces/default/sizeds';
  await ask('POST', `${sized}?fieldManager=m`, {
    apiVersion: 'example.com/v1',
    kind: 'Sized',
    metadata: { name: 's' },
    spec: { deep: { size: 1 } },
  });
  await expect(ask('PATCH', `${sized}/s/scale?fieldManager=one`, scaleOf(6), 'apply')).resolves.toMatchObject(
    {
      code: 409,
      body: {
        message: 'Apply failed with 1 conflict: conflict with "m" using autoscaling/v1: .spec.replicas',
      },
    },
  );
  await ask('PATCH', `${sized}/s/scale?fieldManager=two`, { spec: { replicas: 2 } }, 'merge');
  const { body } = await ask('GET', `${sized}/s`);
  const entries = body.metadata?.['managedFields'] as readonly Fields[];
  expect(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
    ['two', { 'f:spec': { 'f:deep': { 'f:size': {} } } }],
    ['m', { 'f:spec': { '.': {}, 'f:deep': {} } }],
  ]);
});
