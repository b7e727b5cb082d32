import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type WebhookServer, startWebhookServer } from './recorded/webhook-server.ts';
import { type Client, type KubeBody, clientOf, configMaps, mergePatch } from './client.ts';

// What recorded/mutation-requests.ts can't ask, where the real server has no order of its own.

const root = '/apis/admissionregistration.k8s.io/v1';
const policies = `${root}/mutatingadmissionpolicies`;
const bindings = `${root}/mutatingadmissionpolicybindings`;

const rule = (...resources: string[]): object => ({
  apiGroups: ['*'],
  apiVersions: ['*'],
  operations: ['*'],
  resources,
});
const applied = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patched = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const trace = (letter: string): object =>
  applied(`Object{data: {"trace": object.?data.?trace.orValue("") + "${letter}"}}`);

interface Given {
  readonly resources?: readonly string[];
  readonly mutations: readonly object[];
  readonly [field: string]: unknown;
}

let server: ApiServer;
let admin: Client;
beforeEach(async () => {
  server = await startApiServer({ tls: false });
  admin = clientOf(server);
});
afterEach(() => server.stop());

async function install(name: string, given: Given): Promise<void> {
  const { resources = ['configmaps'], ...spec } = given;
  const policy = await admin.send('POST', policies, {
    metadata: { name },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [rule(...resources)] },
      ...spec,
    },
  });
  expect(policy.body).toMatchObject({ kind: 'MutatingAdmissionPolicy' });
  await admin.send('POST', bindings, { metadata: { name }, spec: { policyName: name } });
}

const create = async (name: string, more: object = {}): Promise<KubeBody> => {
  const { body } = await admin.send('POST', configMaps, { metadata: { name }, ...more });
  return body;
};

describe('order', () => {
  test('two policies -> by their names, each sees what the first made', async () => {
    await install('b', { mutations: [trace('b')] });
    await install('a', { mutations: [trace('a')] });
    expect(await create('c')).toMatchObject({ data: { trace: 'ab' } });
  });

  test('IfNeeded before another -> called again after it, and in the second round', async () => {
    await install('a', { mutations: [trace('a')], reinvocationPolicy: 'IfNeeded' });
    await install('b', { mutations: [trace('b')] });
    expect(await create('c')).toMatchObject({ data: { trace: 'aba' } });
  });

  test('object of another policy no longer selected -> changed all the same, as what is met is known before', async () => {
    const objectSelector = { matchLabels: { on: 'yes' } };
    const matchConstraints = { resourceRules: [rule('configmaps')], objectSelector };
    await install('a', {
      matchConstraints,
      mutations: [patched('[JSONPatch{op: "remove", path: "/metadata/labels"}]')],
    });
    await install('b', { matchConstraints, mutations: [trace('b')] });
    const made = await create('c', { metadata: { name: 'c', labels: { on: 'yes' } } });
    expect(made).toMatchObject({ data: { trace: 'b' } });
  });
});

describe('beside a mutating webhook', () => {
  let webhook: WebhookServer;
  beforeEach(async () => {
    webhook = await startWebhookServer();
    await admin.send('POST', `${root}/mutatingwebhookconfigurations`, {
      metadata: { name: 'w' },
      webhooks: [
        {
          name: 'w.example.com',
          clientConfig: {
            url: `${webhook.url}/once/hooked`,
            caBundle: Buffer.from(webhook.certificate).toString('base64'),
          },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
          ],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    });
  });
  afterEach(() => webhook.stop());
  const seen = applied(
    'Object{data: {"trace": object.?data.?trace.orValue("") + (object.metadata.?labels.?hooked.hasValue() ? "after" : "before")}}',
  );

  test('Never -> called before it, once', async () => {
    await install('a', { mutations: [seen] });
    expect(await create('c')).toMatchObject({
      metadata: { labels: { hooked: '1' } },
      data: { trace: 'before' },
    });
    expect(webhook.take()).toHaveLength(1);
  });

  test('IfNeeded -> called once more after it', async () => {
    await install('a', { mutations: [seen], reinvocationPolicy: 'IfNeeded' });
    expect(await create('c')).toMatchObject({ data: { trace: 'beforeafter' } });
    expect(webhook.take()).toHaveLength(1);
  });

  test('policy for what the webhook makes of the object -> not called, as it was not in the first round', async () => {
    await install('a', {
      matchConstraints: {
        resourceRules: [rule('configmaps')],
        objectSelector: { matchLabels: { hooked: '1' } },
      },
      mutations: [seen],
      reinvocationPolicy: 'IfNeeded',
    });
    expect(await create('c')).not.toHaveProperty('data');
  });
});

describe('what a policy changes', () => {
  test('validating policy -> judges the changed object', async () => {
    await install('a', { mutations: [trace('a')] });
    await admin.send('POST', `${root}/validatingadmissionpolicies`, {
      metadata: { name: 'v' },
      spec: {
        matchConstraints: { resourceRules: [rule('configmaps')] },
        validations: [{ expression: 'object.data.trace != "a"', message: 'is changed' }],
      },
    });
    await admin.send('POST', `${root}/validatingadmissionpolicybindings`, {
      metadata: { name: 'v' },
      spec: { policyName: 'v', validationActions: ['Deny'] },
    });
    const { code, message } = await create('c');
    expect({ code, message }).toEqual({
      code: 422,
      message:
        "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'v' with binding 'v' denied request: is changed",
    });
  });

  test('deletion -> nothing', async () => {
    await install('a', { mutations: [applied('Object{nope: 1}')] });
    const other = await admin.send('POST', configMaps, { metadata: { name: 'c' } });
    expect(other.code).toBe(403);
    await admin.send('DELETE', `${bindings}/a`);
    await create('c');
    await admin.send('POST', bindings, { metadata: { name: 'a' }, spec: { policyName: 'a' } });
    expect(await admin.send('DELETE', `${configMaps}/c`)).toMatchObject({ code: 200 });
  });

  test('policies and bindings -> left alone', async () => {
    await install('a', {
      resources: ['*'],
      mutations: [applied('Object{metadata: Object.metadata{labels: {"x": "y"}}}')],
    });
    await install('b', { mutations: [trace('b')] });
    const { body } = await admin.send('GET', `${policies}/b`);
    expect(body).not.toHaveProperty('metadata.labels');
  });

  test('update of a status -> changed where the policy names it', async () => {
    await install('a', {
      resources: ['persistentvolumeclaims/status'],
      mutations: [applied('Object{status: Object.status{phase: "Lost"}}')],
    });
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const made = await admin.send('POST', claims, {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(made.body).toMatchObject({ status: { phase: 'Pending' } });
    const bound = { status: { phase: 'Bound' } };
    const { body } = await admin.send('PATCH', `${claims}/c/status`, bound, mergePatch);
    expect(body).toMatchObject({ status: { phase: 'Lost' } });
  });

  test('plugin turned off -> nothing', async () => {
    await server.stop();
    server = await startApiServer({ tls: false, disableAdmissionPlugins: ['MutatingAdmissionPolicy'] });
    admin = clientOf(server);
    await install('a', { mutations: [trace('a')] });
    expect(await create('c')).not.toHaveProperty('data');
  });
});

describe('custom kinds', () => {
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  beforeEach(async () => {
    await admin.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
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
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      size: { type: 'integer', maximum: 9 },
                      color: { type: 'string', default: 'red' },
                      tags: { type: 'array', items: { type: 'string' } },
                      parts: {
                        type: 'array',
                        'x-kubernetes-list-type': 'map',
                        'x-kubernetes-list-map-keys': ['name'],
                        items: {
                          type: 'object',
                          required: ['name'],
                          properties: { name: { type: 'string' }, count: { type: 'integer' } },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        ],
      },
    });
  });
  const widget = async (mutation: object, spec?: object): Promise<unknown> => {
    await install('a', { resources: ['widgets'], mutations: [mutation] });
    const { body } = await admin.send('POST', widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec,
    });
    return body;
  };

  test('list that is a map -> merged by its keys', async () => {
    const made = await widget(
      applied(
        'Object{spec: Object.spec{parts: [Object.spec.parts{name: "b", count: 2}, Object.spec.parts{name: "c"}]}}',
      ),
      { parts: [{ name: 'a', count: 1 }, { name: 'b' }] },
    );
    expect(made).toMatchObject({
      spec: { parts: [{ name: 'a', count: 1 }, { name: 'b', count: 2 }, { name: 'c' }] },
    });
  });

  test('object made anew -> defaulted', async () => {
    const made = await widget(patched('[JSONPatch{op: "add", path: "/spec", value: Object.spec{size: 1}}]'));
    expect(made).toMatchObject({ spec: { size: 1, color: 'red' } });
  });

  test('atomic list -> refused', async () => {
    const answer = await widget(applied('Object{spec: Object.spec{tags: ["a"]}}'), {});
    expect(answer).toMatchObject({
      code: 403,
      reason: 'Invalid',
      message:
        "policy 'a' with binding 'a' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tags",
    });
  });

  test('value out of bounds -> refused by the schema', async () => {
    const answer = await widget(applied('Object{spec: Object.spec{size: 10}}'), {});
    expect(answer).toMatchObject({ code: 422 });
  });
});
