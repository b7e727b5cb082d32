import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* What others who asked the real server and this one the same were told otherwise. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

const priorityClasses = '/apis/scheduling.k8s.io/v1/priorityclasses';
const configMaps = '/api/v1/namespaces/default/configmaps';

async function ask(method: string, path: string, body?: object | string, type?: string): Promise<unknown> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await server.handle(method, path, text, type);
  return JSON.parse(answer.body);
}

test('system priority class deleted -> forbidden, and kept', async () => {
  await expect(ask('DELETE', `${priorityClasses}/system-node-critical`)).resolves.toMatchObject({
    code: 403,
    message:
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  });
  await expect(ask('GET', `${priorityClasses}/system-node-critical`)).resolves.toMatchObject({
    kind: 'PriorityClass',
  });
});

test('priority class of a user deleted -> gone', async () => {
  await ask('POST', priorityClasses, { metadata: { name: 'high' }, value: 10 });
  await expect(ask('DELETE', `${priorityClasses}/high`)).resolves.toMatchObject({ status: 'Success' });
});

test('label selector with a set that is none -> the words of the real server', async () => {
  await expect(ask('GET', `${configMaps}?labelSelector=app+in+shop`)).resolves.toMatchObject({
    code: 400,
    message: expect.stringMatching(/unable to parse requirement: found 'shop' expected: '\('$/),
  });
});

test('merge patch that ends too early -> the words of the real server', async () => {
  await ask('POST', configMaps, { metadata: { name: 'settings' } });
  await expect(
    ask('PATCH', `${configMaps}/settings`, '{"data":', 'application/merge-patch+json'),
  ).resolves.toMatchObject({ code: 400, message: 'error decoding patch: unexpected end of JSON input' });
});

test('strategic merge patch of a custom kind -> 415 that names what it takes', async () => {
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  await ask('POST', widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' } });
  await expect(
    ask('PATCH', `${widgets}/one`, '{}', 'application/strategic-merge-patch+json'),
  ).resolves.toMatchObject({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  });
});

test('spec of a pod changed, quantities not in order -> no difference', async () => {
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } };
  const pods = '/api/v1/namespaces/default/pods';
  await ask('POST', pods, {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'nginx', resources }] },
  });
  const type = 'application/strategic-merge-patch+json';
  await ask('PATCH', `${pods}/web`, { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } }, type);
  const patch = { spec: { nodeName: 'node-9' } };
  const { message } = (await ask('PATCH', `${pods}/web`, patch, type)) as {
    message: string;
  };
  expect(message).toContain('node-9');
  expect(message).not.toMatch(/[-+] *"memory"/);
});
