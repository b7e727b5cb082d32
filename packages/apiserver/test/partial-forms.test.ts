import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/*
 * Objects asked for in other forms than whole, and who owns what a Scale is applied to, as kube-apiserver 1.36.3
 * answers.
 */

let server: ApiServer;
const apps = '/apis/apps/v1/namespaces/default';
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  await send('POST', `${apps}/deployments`, 'object', { metadata: { name: 'd' }, spec });
  await send('POST', `${apps}/daemonsets`, 'object', { metadata: { name: 'd' }, spec });
});
afterAll(() => server.stop());

interface Sent {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  method: string,
  path: string,
  as: string,
  body?: object,
  type = 'application/json',
): Promise<Sent> {
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const form = as === 'object' ? '' : `;as=${as};g=meta.k8s.io;v=v1`;
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${users[0]?.user.token ?? ''}`,
      accept: `application/json${form}`,
      'content-type': type,
    },
    ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
  });
  return { code: answer.status, body: (await answer.json()) as Sent['body'] };
}

const merge = 'application/merge-patch+json';

describe('Scale', () => {
  const path = `${apps}/deployments/d/scale`;

  test('metadata alone -> no spec', async () => {
    const { body } = await send('GET', path, 'PartialObjectMetadata');
    expect(body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'd' } });
    expect(body).not.toHaveProperty('spec');
  });

  test('Table -> what is wanted, and what there is', async () => {
    const { body } = await send('GET', path, 'Table');
    expect(body).toMatchObject({ kind: 'Table', rows: [{ cells: ['d', 1, 0, expect.any(String)] }] });
    expect((body['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'Name',
      'Desired',
      'Available',
      'Age',
    ]);
  });

  test.each(['GET', 'PATCH'])('%s, the form of a list -> 406', async (method) => {
    const body = method === 'GET' ? undefined : { spec: { replicas: 1 } };
    await expect(send(method, path, 'PartialObjectMetadataList', body, merge)).resolves.toMatchObject({
      code: 406,
      body: {
        message:
          'you requested PartialObjectMetadataList, but the requested object is not a list (*autoscaling.Scale)',
      },
    });
  });

  test('an empty spec is applied by who owns the replicas -> they stay owned; no spec at all -> not', async () => {
    const apply = async (scale: object): Promise<unknown> => {
      const config = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, ...scale };
      await send(
        'PATCH',
        `${path}?fieldManager=s&force=true`,
        'object',
        config,
        'application/apply-patch+yaml',
      );
      const { body } = await send('GET', `${apps}/deployments/d`, 'object');
      const { managedFields } = body['metadata'] as {
        managedFields: { manager: string; fieldsV1: object }[];
      };
      return managedFields.find(({ manager }) => manager === 's')?.fieldsV1;
    };
    const owned = { 'f:spec': { 'f:replicas': {} } };
    await expect(apply({ spec: { replicas: 3 } })).resolves.toEqual(owned);
    await expect(apply({ spec: {} })).resolves.toEqual(owned);
    await expect(apply({})).resolves.toBeUndefined();
  });
});

test('object asked for in the form of a list -> 406 that names its group', async () => {
  await expect(send('GET', `${apps}/deployments/d`, 'PartialObjectMetadataList')).resolves.toMatchObject({
    code: 406,
    body: { message: expect.stringMatching(/is not a list \(\*apps\.Deployment\)$/) },
  });
});

test.each(['', '?limit=500'])('daemonset%s, metadata alone -> no annotation for a field', async (query) => {
  const path = query === '' ? `${apps}/daemonsets/d` : `${apps}/daemonsets${query}`;
  const whole = await send('GET', path, 'object');
  expect(JSON.stringify(whole.body)).toContain('deprecated.daemonset.template.generation":"');
  const { code, body } = await send(
    'GET',
    path,
    query === '' ? 'PartialObjectMetadata' : 'PartialObjectMetadataList',
  );
  expect(code).toBe(200);
  expect(JSON.stringify(body)).not.toContain('deprecated.daemonset.template.generation":"');
});

test('review -> who asks owns its fields', async () => {
  const { body } = await send(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?fieldManager=me',
    'object',
    { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
  );
  expect(body['metadata']).toMatchObject({
    managedFields: [
      {
        manager: 'me',
        operation: 'Update',
        apiVersion: 'authorization.k8s.io/v1',
        fieldsV1: { 'f:spec': { 'f:resourceAttributes': { '.': {}, 'f:resource': {}, 'f:verb': {} } } },
      },
    ],
  });
});

test('review, metadata alone -> given', async () => {
  await expect(
    send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', 'PartialObjectMetadata', {}),
  ).resolves.toMatchObject({ code: 201, body: { kind: 'PartialObjectMetadata' } });
});
