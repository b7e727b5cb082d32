import { randomBytes } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';

/*
 * MutatingAdmissionPolicies on whatever control plane is chosen: what they make of deployments and config maps, and
 * what is refused.
 */

const root = '/apis/admissionregistration.k8s.io/v1';
const suffix = randomBytes(4).toString('hex');
const namespace = `mutations-${suffix}`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace, labels: { mutations: suffix } } });
}, 90_000);
afterAll(() => plane.stop());

interface Answer {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  const headers = {
    authorization: `Bearer ${users[0].user.token}`,
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  };
  return new Promise((resolve, reject) => {
    // The certificate is one that nobody signed, on the loopback interface.
    const sent = httpsRequest(
      plane.url + path,
      { method, headers, rejectUnauthorized: false },
      (response) => {
        text(response)
          .then((answer) => {
            resolve({ code: response.statusCode ?? 0, body: JSON.parse(answer) as Answer['body'] });
          })
          .catch(reject);
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Asks until the answer is the one that is looked for: a policy is in force some moments after it was stored. */
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

const applied = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patched = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** For objects with the policy's name as label `policy`. */
async function install(
  name: string,
  [apiGroup, resource]: readonly [string, string],
  spec: object,
  binding: object = {},
): Promise<void> {
  const named = `${name}-${suffix}`;
  const policy = await send('POST', `${root}/mutatingadmissionpolicies`, {
    metadata: { name: named },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: {
        namespaceSelector: { matchLabels: { mutations: suffix } },
        objectSelector: { matchLabels: { policy: name } },
        resourceRules: [
          {
            apiGroups: [apiGroup],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: [resource],
          },
        ],
      },
      ...spec,
    },
  });
  expect(policy.code).toBe(201);
  const bound = await send('POST', `${root}/mutatingadmissionpolicybindings`, {
    metadata: { name: named },
    spec: { policyName: named, ...binding },
  });
  expect(bound.code).toBe(201);
}

const ofMaps = ['', 'configmaps'] as const;
const deployment = (name: string): object => ({
  metadata: { name, labels: { policy: name } },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
    },
  },
});

describe('deployments', () => {
  test('ApplyConfiguration -> merged, with a container beside that of the template', async () => {
    const container = 'Object.spec.template.spec.containers';
    await install('sidecar', ['apps', 'deployments'], {
      mutations: [
        applied(
          `Object{spec: Object.spec{replicas: 3, template: Object.spec.template{spec: Object.spec.template.spec{containers: [${container}{name: "mesh", image: "mesh:1"}]}}}}`,
        ),
      ],
    });
    const { body } = await eventually(
      () => send('POST', `${deployments}?dryRun=All`, deployment('sidecar')),
      (answer) => JSON.stringify(answer.body).includes('mesh:1'),
    );
    expect(body).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          spec: {
            containers: [
              { name: 'app', image: 'app:1' },
              { name: 'mesh', image: 'mesh:1', imagePullPolicy: 'IfNotPresent' },
            ],
          },
        },
      },
    });
  });

  test('patch that leaves no container -> refused as if it was sent so', async () => {
    await install('emptied', ['apps', 'deployments'], {
      mutations: [patched('[JSONPatch{op: "remove", path: "/spec/template/spec/containers/0"}]')],
    });
    const { code } = await eventually(
      () => send('POST', `${deployments}?dryRun=All`, deployment('emptied')),
      (answer) => answer.code !== 201,
    );
    expect(code).toBe(422);
  });
});

describe('bindings of pods', () => {
  test('annotation that a policy gives -> is on the pod, which is bound where a patch says', async () => {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await install('bound', ['', 'pods/binding'], {
      mutations: [
        applied('Object{metadata: Object.metadata{annotations: {"a.example/bound": request.name}}}'),
        patched('[JSONPatch{op: "replace", path: "/target/name", value: object.target.name + "-1"}]'),
      ],
    });
    await install('awaited', ['', 'pods/binding'], { mutations: [applied('Object{nope: "x"}')] });
    await send('POST', pods, {
      metadata: { name: 'p' },
      spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
    });
    const binding = (label: string): object => ({
      metadata: { name: 'p', labels: { policy: label } },
      target: { kind: 'Node', name: 'node' },
    });
    const refused = await eventually(
      () => send('POST', `${pods}/p/binding?dryRun=All`, binding('awaited')),
      ({ code }) => code !== 201,
    );
    expect(refused).toMatchObject({
      code: 403,
      body: {
        message: `policy 'awaited-${suffix}' with binding 'awaited-${suffix}' denied request: error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema`,
      },
    });
    expect((await send('POST', `${pods}/p/binding`, binding('bound'))).code).toBe(201);
    const { body } = await send('GET', `${pods}/p`);
    expect(body).toMatchObject({
      metadata: { annotations: { 'a.example/bound': 'p' } },
      spec: { nodeName: 'node-1' },
    });
    await send('DELETE', `${pods}/p?gracePeriodSeconds=0`);
  });
});

describe('config maps', () => {
  const map = (name: string, data: object): object => ({
    metadata: { name, labels: { policy: name } },
    data,
  });

  test('params changed -> changed by them', async () => {
    await send('POST', configMaps, { metadata: { name: 'defaults' }, data: { region: 'north' } });
    await install(
      'params',
      ofMaps,
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        mutations: [applied('Object{data: {"region": params.data.region}}')],
      },
      { paramRef: { name: 'defaults', parameterNotFoundAction: 'Deny' } },
    );
    const region = async (wanted: string): Promise<Answer> =>
      eventually(
        () => send('POST', `${configMaps}?dryRun=All`, map('params', {})),
        ({ body }) => JSON.stringify(body['data'] ?? '').includes(wanted),
      );
    expect((await region('north')).body).toMatchObject({ data: { region: 'north' } });
    await send('PATCH', `${configMaps}/defaults`, { data: { region: 'south' } });
    expect((await region('south')).body).toMatchObject({ data: { region: 'south' } });
  });

  test('field that a policy set -> nobody owns it', async () => {
    await install('unowned', ofMaps, { mutations: [applied('Object{data: {"set": "yes"}}')] });
    const { body } = await eventually(
      () => send('POST', `${configMaps}?dryRun=All&fieldManager=writer`, map('unowned', { own: 'x' })),
      (answer) => JSON.stringify(answer.body).includes('"set":"yes"'),
    );
    const { managedFields } = body['metadata'] as { managedFields: readonly { fieldsV1: object }[] };
    const owned = managedFields.map(({ fieldsV1 }) => fieldsV1);
    expect(owned).toMatchObject([{ 'f:data': { 'f:own': {} } }]);
    expect(JSON.stringify(owned)).not.toContain('f:set');
  });

  test('failing expression -> refused with 403, or let pass where failures are ignored', async () => {
    const mutations = [applied('Object{data: {"a": object.nope}}')];
    await install('failing', ofMaps, { mutations });
    await install('ignored', ofMaps, { failurePolicy: 'Ignore', mutations });
    const { code, body } = await eventually(
      () => send('POST', `${configMaps}?dryRun=All`, map('failing', {})),
      (answer) => answer.code !== 201,
    );
    expect({ code, reason: body['reason'], message: body['message'] }).toEqual({
      code: 403,
      reason: 'Invalid',
      message: `policy 'failing-${suffix}' with binding 'failing-${suffix}' denied request: expression 'Object{data: {"a": object.nope}}' resulted in error: no such key: nope`,
    });
    expect((await send('POST', `${configMaps}?dryRun=All`, map('ignored', {}))).code).toBe(201);
  });

  test('policy with another type of result -> refused when it is written', async () => {
    const answer = await send('POST', `${root}/mutatingadmissionpolicies?dryRun=All`, {
      metadata: { name: `typed-${suffix}` },
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
          ],
        },
        mutations: [applied('Object.spec{}')],
      },
    });
    expect(answer).toMatchObject({
      code: 422,
      body: {
        details: {
          causes: [
            {
              field: 'spec.mutations[0].applyConfiguration.expression',
              message: 'Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec',
            },
          ],
        },
      },
    });
  });
});
