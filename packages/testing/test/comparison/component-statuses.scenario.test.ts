import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';

/*
 * ComponentStatuses on whatever control plane is chosen. What scheduler and controller manager say depends on what else
 * runs on the machine.
 */

const collection = '/api/v1/componentstatuses';
const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const asMetadata = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const etcd = { type: 'Healthy', status: 'True', message: 'ok' };

interface Answer {
  readonly code: number;
  readonly warning: string | undefined;
  readonly body: {
    readonly metadata?: object;
    readonly message?: string;
    readonly details?: object;
    readonly items?: readonly {
      readonly metadata: { readonly name: string };
      readonly conditions: readonly object[];
    }[];
    readonly columnDefinitions?: readonly { readonly name: string }[];
    readonly rows?: readonly { readonly cells: readonly string[] }[];
  };
}

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
}, 90_000);
afterAll(() => plane.stop());

function get(path: string, accept = 'application/json'): Promise<Answer> {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  const headers = { authorization: `Bearer ${users[0].user.token}`, accept };
  return new Promise((resolve, reject) => {
    // The certificate is one that nobody signed, on the loopback interface.
    const sent = httpsRequest(plane.url + path, { headers, rejectUnauthorized: false }, (response) => {
      text(response)
        .then((answer) => {
          const body = JSON.parse(answer) as Answer['body'];
          const { warning } = response.headers;
          resolve({ code: response.statusCode ?? 0, warning, body });
        })
        .catch(reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('all of them -> the three components, without a version, and that the kind is deprecated', async () => {
  const { code, warning, body } = await get(collection);
  expect({ code, warning, metadata: body.metadata }).toEqual({
    code: 200,
    warning: '299 - "v1 ComponentStatus is deprecated in v1.19+"',
    metadata: {},
  });
  expect(body.items?.map(({ metadata }) => metadata.name).sort()).toEqual([
    'controller-manager',
    'etcd-0',
    'scheduler',
  ]);
});

test('storage -> healthy', async () => {
  const { body } = await get(`${collection}/etcd-0`);
  expect(body).toEqual({
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name: 'etcd-0' },
    conditions: [etcd],
  });
});

test('component that there is not -> 404', async () => {
  const { code, warning, body } = await get(`${collection}/nosuch`);
  expect({ code, warning, message: body.message, details: body.details }).toEqual({
    code: 404,
    warning: '299 - "v1 ComponentStatus is deprecated in v1.19+"',
    message: 'componentstatus "nosuch" not found',
    details: { name: 'nosuch', kind: 'componentstatus' },
  });
});

test('selected by name -> that one; by label -> none, as they have no labels; pages -> all', async () => {
  const itemsOf = async (query: string): Promise<object[] | undefined> =>
    (await get(`${collection}?${query}`)).body.items?.map(({ metadata }) => metadata);
  expect(await itemsOf('fieldSelector=metadata.name%3Detcd-0')).toEqual([{ name: 'etcd-0' }]);
  expect(await itemsOf('labelSelector=a%3Db')).toStrictEqual([]);
  expect(await itemsOf('limit=1')).toHaveLength(3);
});

test('as a Table, one or all -> its columns, and no version', async () => {
  const one = (await get(`${collection}/etcd-0`, asTable)).body;
  expect(one.columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Status', 'Message', 'Error']);
  expect({ metadata: one.metadata, rows: one.rows }).toMatchObject({
    metadata: {},
    rows: [{ cells: ['etcd-0', 'Healthy', 'ok', ''] }],
  });
  expect(one.metadata).toEqual({});
  const { metadata, rows } = (await get(collection, asTable)).body;
  expect(metadata).toEqual({});
  expect(rows?.map(({ cells }) => cells).find(([name]) => name === 'etcd-0')).toEqual([
    'etcd-0',
    'Healthy',
    'ok',
    '',
  ]);
});

test('metadata alone -> names', async () => {
  const { body } = await get(`${collection}?fieldSelector=metadata.name%3Detcd-0`, asMetadata);
  expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', metadata: {} });
  expect(body.items).toMatchObject([{ metadata: { name: 'etcd-0' } }]);
});

test('watched -> 405', async () => {
  expect((await get(`${collection}?watch=true`)).code).toBe(405);
});
