import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import {
  startControlPlane,
  startRequestRecorder,
  type ControlPlane,
  type RequestRecorder,
} from '@holdfast/testing';

let plane: ControlPlane | undefined;
let recorder: RequestRecorder | undefined;
afterEach(async () => {
  await recorder?.close();
  await plane?.stop();
});

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

async function open(
  method: string,
  path: string,
  body?: unknown,
  contentType = 'application/json',
): Promise<IncomingMessage> {
  const { clusters, users } = JSON.parse(recorder?.kubeconfig ?? '') as Kubeconfig;
  const sent = request(clusters[0].cluster.server + path, {
    method,
    headers: { authorization: `Bearer ${users[0].user.token}`, 'content-type': contentType },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

async function ask(...sent: Parameters<typeof open>): Promise<number | undefined> {
  const answer = await open(...sent);
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
}

const maps = '/api/v1/namespaces/default/configmaps';
const sets = '/apis/apps/v1/namespaces/default/statefulsets';

test.each([true, false])(
  'requests over a recorder, upstream with tls %s -> answered as ever, and kept as authorization names them',
  async (tls) => {
    plane = await startControlPlane({ backend: 'embedded', tls });
    const heard: string[] = [];
    recorder = await startRequestRecorder(plane.kubeconfig, {
      answered: ({ verb }) => void heard.push(verb),
    });
    expect(await ask('POST', maps, { metadata: { name: 'a' } })).toBe(201);
    expect(await ask('GET', `${maps}/b?pretty=true`)).toBe(404);
    expect(await ask('DELETE', sets)).toBe(200);
    expect(await ask('GET', '/version')).toBe(200);
    const watch = await open('GET', `${maps}?watch=1`);
    const [event] = (await once(watch, 'data')) as [Buffer];
    expect(event.toString()).toContain('ADDED');
    const none = { group: '', subresource: '', namespace: '', name: '', isApply: false };
    const ofMaps = { ...none, resource: 'configmaps', namespace: 'default' };
    const ofSets = { ...ofMaps, group: 'apps', resource: 'statefulsets' };
    expect(recorder.requests).toStrictEqual([
      { ...ofMaps, verb: 'create', path: maps, code: 201 },
      { ...ofMaps, verb: 'get', name: 'b', path: `${maps}/b`, code: 404 },
      { ...ofSets, verb: 'deletecollection', path: sets, code: 200 },
      { ...none, resource: '', verb: 'get', path: '/version', code: 200 },
      { ...ofMaps, verb: 'watch', path: maps, code: 200 },
    ]);
    expect(heard).toEqual(['create', 'get', 'deletecollection', 'get', 'watch']);
    const cut = once(watch, 'error');
    await recorder.close();
    expect(await cut).toMatchObject([{ message: 'aborted' }]);
  },
);

test('server-side apply, another patch -> told apart', async () => {
  plane = await startControlPlane({ backend: 'embedded', tls: false });
  recorder = await startRequestRecorder(plane.kubeconfig);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };
  expect(await ask('PATCH', `${maps}/a?fieldManager=me`, object, 'application/apply-patch+yaml')).toBe(201);
  expect(await ask('PATCH', `${maps}/a`, { data: { a: 'c' } }, 'application/merge-patch+json')).toBe(200);
  expect(recorder.requests.map(({ verb, isApply }) => [verb, isApply])).toEqual([
    ['patch', true],
    ['patch', false],
  ]);
});

test('API server gone -> the connection breaks, kept with code 0; closed twice -> closed', async () => {
  plane = await startControlPlane({ backend: 'embedded', tls: false });
  recorder = await startRequestRecorder(plane.kubeconfig);
  await plane.stop();
  await expect(ask('GET', '/version')).rejects.toThrow('socket hang up');
  expect(recorder.requests.map(({ code }) => code)).toEqual([0]);
  await recorder.close();
  await recorder.close();
});

test('kubeconfig without a bearer token -> refused, naming the user', async () => {
  const kubeconfig = JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'alice' } }],
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'alice', user: {} }],
  });
  await expect(startRequestRecorder(kubeconfig)).rejects.toThrow('user "alice"');
});
