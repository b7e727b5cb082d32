import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';
import type { JsonObject } from '../../../apiserver/src/meta/json.ts';
import { openEnvelope, readMessage } from '../../../apiserver/src/schema/protobuf.ts';

/* Answers in protobuf on whatever control plane is chosen: who gets them, of what, and what is in them. */

const protobuf = 'application/vnd.kubernetes.protobuf';
const json = 'application/json';
const metadataForm = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const metadataListForm = ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const tableForm = ';as=Table;g=meta.k8s.io;v=v1';

const suffix = randomBytes(4).toString('hex');
const namespace = `protobuf-${suffix}`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const group = `${suffix}.example.com`;
const things = `/apis/${group}/v1/namespaces/${namespace}/things`;

const partial = 'meta.v1.PartialObjectMetadata';
const statusStruct = 'meta.v1.Status';

let plane: ControlPlane;
let token: string;
beforeAll(async () => {
  plane = await startControlPlane({});
  token = (JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] }).users[0].user.token;
  await send('POST', '/api/v1/namespaces', json, { metadata: { name: namespace } });
  await send('POST', configMaps, json, configMap('kept', { k: 'v' }));
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', json, definition);
  while ((await send('POST', things, json, thing)).code !== 201) {
    // The real server serves a kind some time after its definition.
  }
}, 90_000);
afterAll(() => plane.stop());

const configMap = (name: string, data: Readonly<Record<string, string>> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' }, spec: { replicas: 2 } };
const openObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const definition = {
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: openObject } } },
        subresources: {
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
};

interface Answer {
  readonly code: number;
  readonly type: string | undefined;
  readonly warning: string | string[] | undefined;
  readonly body: Buffer;
}

function open(method: string, path: string, accept: string, body?: object): Promise<IncomingMessage> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    accept,
    authorization: `Bearer ${token}`,
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : json,
    'content-length': Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    // The certificate is one that nobody signed, on the loopback interface.
    const options = { method, headers, rejectUnauthorized: false };
    httpsRequest(plane.url + path, options, resolve)
      .on('error', reject)
      .end(text);
  });
}

async function send(method: string, path: string, accept: string, body?: object): Promise<Answer> {
  const response = await open(method, path, accept, body);
  return {
    code: response.statusCode ?? 0,
    type: response.headers['content-type'],
    warning: response.headers['warning'],
    body: await buffer(response),
  };
}

interface Opened {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
}

/** What is in an envelope. */
function opened(bytes: Buffer, struct: string): Opened {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  return { apiVersion, kind, object: readMessage(raw, struct) };
}

/** The first events of a watch, as they stand in their frames. */
async function watched(
  path: string,
  accept: string,
  count: number,
): Promise<readonly [type: string, object: Buffer][]> {
  const response = await open('GET', path, accept);
  expect(response.headers['content-type']).toBe(`${protobuf};stream=watch`);
  const events: [string, Buffer][] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const frame = rest.subarray(4, 4 + rest.readUInt32BE(0));
      rest = rest.subarray(4 + frame.length);
      const typeLength = frame.readUInt8(1);
      const type = frame.subarray(2, 2 + typeLength).toString();
      events.push([type, frame.subarray(frame.indexOf('k8s\0'))]);
    }
    if (events.length >= count) {
      response.destroy();
      break;
    }
  }
  return events;
}

describe('which form an answer has', () => {
  test.each([
    ['protobuf alone', protobuf, protobuf],
    ['protobuf before JSON, as clients in Go ask', `${protobuf},${json}`, protobuf],
    ['JSON before protobuf', `${json},${protobuf}`, json],
    ['protobuf by a lower quality', `${protobuf};q=0.5,${json}`, json],
    ['protobuf after what is not known', `application/unknown,${protobuf}`, protobuf],
    ['anything', '*/*', json],
    ['metadata in protobuf', `${protobuf}${metadataForm},${json}`, protobuf],
    ['a Table in protobuf, or JSON', `${protobuf}${tableForm},${json}`, json],
    ['a Table in protobuf, or a Table in JSON', `${protobuf}${tableForm},${json}${tableForm}`, json],
    [
      'a form that there is not, or protobuf',
      `${protobuf};as=Other;g=meta.k8s.io;v=v1,${protobuf}`,
      protobuf,
    ],
  ])('built-in kind, asked for %s -> as the real server chooses', async (_what, accept, type) => {
    expect(await send('GET', `${configMaps}/kept`, accept)).toMatchObject({ code: 200, type });
  });

  test.each([
    ['protobuf before JSON', `${protobuf},${json}`, 200, json],
    ['protobuf alone', protobuf, 406, protobuf],
    ['metadata in protobuf', `${protobuf}${metadataForm}`, 200, protobuf],
    ['a Table in protobuf', `${protobuf}${tableForm}`, 406, json],
    ['what is not known', 'application/unknown', 406, json],
  ])('custom kind, asked for %s -> as the real server chooses', async (_what, accept, code, type) => {
    expect(await send('GET', `${things}/a`, accept)).toMatchObject({ code, type });
  });

  test.each([
    ['list', 'GET', '', undefined],
    ['watch', 'GET', '?watch=1', undefined],
    ['create', 'POST', '?dryRun=All', { ...thing, metadata: { name: 'b' } }],
    ['update', 'PATCH', '/a?dryRun=All', { spec: { replicas: 3 } }],
    ['delete', 'DELETE', '/a?dryRun=All', undefined],
    ['scale', 'GET', '/a/scale', undefined],
  ])('custom kind, %s for protobuf alone -> 406', async (_what, method, path, body) => {
    const { code, body: bytes } = await send(method, things + path, protobuf, body);
    expect(code).toBe(406);
    expect(opened(bytes, statusStruct).object['message']).toBe(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });
});

describe('what is in an answer', () => {
  test('object -> all of it, as in JSON', async () => {
    const { body } = await send('GET', `${configMaps}/kept`, json);
    const shown = JSON.parse(body.toString()) as { readonly metadata: JsonObject; readonly data: JsonObject };
    const { apiVersion, kind, object } = opened(
      (await send('GET', `${configMaps}/kept`, protobuf)).body,
      'core.v1.ConfigMap',
    );
    expect({ apiVersion, kind }).toEqual({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(object).toMatchObject({ metadata: shown.metadata, data: shown.data });
  });

  test('create, patch and delete -> the object as it is then, and a Status', async () => {
    const created = await send('POST', configMaps, protobuf, configMap('brief', { k: 'v' }));
    expect(created).toMatchObject({ code: 201, type: protobuf });
    expect(opened(created.body, 'core.v1.ConfigMap').object['data']).toEqual({ k: 'v' });
    const patched = await send('PATCH', `${configMaps}/brief`, protobuf, { data: { l: 'w' } });
    expect(opened(patched.body, 'core.v1.ConfigMap').object['data']).toEqual({ k: 'v', l: 'w' });
    const deleted = opened((await send('DELETE', `${configMaps}/brief`, protobuf)).body, statusStruct);
    expect(deleted).toMatchObject({
      apiVersion: 'v1',
      kind: 'Status',
      object: { status: 'Success', details: { name: 'brief', kind: 'configmaps' } },
    });
  });

  test('error -> a Status', async () => {
    const { code, body } = await send('GET', `${configMaps}/none`, protobuf);
    expect(code).toBe(404);
    expect(opened(body, statusStruct)).toMatchObject({
      kind: 'Status',
      object: {
        status: 'Failure',
        reason: 'NotFound',
        message: 'configmaps "none" not found',
        details: { name: 'none', kind: 'configmaps' },
        code: 404,
      },
    });
  });

  test('error, a form of objects is asked for -> JSON', async () => {
    expect(await send('GET', `${configMaps}/none`, `${protobuf}${metadataForm}`)).toMatchObject({
      code: 404,
      type: json,
    });
  });

  test('what the client is warned of -> a header, as with JSON', async () => {
    const body = { ...configMap('warned'), unknown: 1 };
    expect(await send('POST', `${configMaps}?dryRun=All`, protobuf, body)).toMatchObject({
      code: 201,
      type: protobuf,
      warning: String.raw`299 - "unknown field \"unknown\""`,
    });
  });

  test('list -> the messages of its items without kinds', async () => {
    const { body } = await send('GET', `${configMaps}?fieldSelector=metadata.name=kept`, protobuf);
    const { apiVersion, kind, raw } = openEnvelope(body);
    expect({ apiVersion, kind }).toEqual({ apiVersion: 'v1', kind: 'ConfigMapList' });
    // The metadata of the list, and an item whose first field is its own metadata, whose first field is its name.
    const item = raw.subarray(2 + raw.readUInt8(1));
    expect([raw.readUInt8(0), item.readUInt8(0)]).toEqual([0x0a, 0x12]);
    const name = item.subarray(item.indexOf('kept') - 2, item.indexOf('kept') + 4);
    expect(name.toString('latin1')).toBe('\n\x04kept');
  });

  test('metadata of a custom object -> PartialObjectMetadata', async () => {
    const { body } = await send('GET', `${things}/a`, `${protobuf}${metadataForm}`);
    expect(opened(body, partial)).toMatchObject({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      object: { metadata: { name: 'a', namespace, generation: 1 } },
    });
  });

  test('metadata of custom objects -> PartialObjectMetadataList', async () => {
    const { body } = await send('GET', things, `${protobuf}${metadataListForm}`);
    const { apiVersion, kind } = openEnvelope(body);
    expect({ apiVersion, kind }).toEqual({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' });
  });

  test('scale of a built-in object, token, discovery -> protobuf too', async () => {
    const answers = [
      await send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, protobuf, {
        metadata: { name: 's' },
      }),
      await send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/s/token`, protobuf, {}),
      await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', protobuf, {}),
      await send('GET', '/api', protobuf),
      await send('GET', '/apis', `${protobuf},${json}`),
      await send('GET', '/apis/apps', protobuf),
      await send('GET', '/apis/apps/v1', protobuf),
      await send('GET', `/apis/${group}/v1`, protobuf),
    ];
    expect(answers.map(({ body }) => openEnvelope(body).kind)).toEqual([
      'ServiceAccount',
      'TokenRequest',
      'SelfSubjectReview',
      'APIVersions',
      'APIGroupList',
      'APIGroup',
      'APIResourceList',
      'APIResourceList',
    ]);
  });

  test.each([
    ['protobuf alone', protobuf, 406, protobuf],
    ['protobuf before JSON', `${protobuf},${json}`, 200, json],
  ])(
    'what there is in JSON only, asked for %s -> as the real server answers',
    async (_what, accept, code, type) => {
      expect(await send('GET', '/version', accept)).toMatchObject({ code, type });
    },
  );

  test('all groups in one document, in protobuf or JSON -> as asked', async () => {
    const form = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const answers = [
      await send('GET', '/apis', protobuf + form),
      await send('GET', '/apis', `${protobuf},${json}${form}`),
    ];
    expect(answers.map(({ type }) => type)).toEqual([protobuf + form, json + form]);
    const { object } = opened(answers[0]?.body ?? Buffer.alloc(0), 'apidiscovery.v2.APIGroupDiscoveryList');
    expect(object['items']).toContainEqual(
      expect.objectContaining({ metadata: expect.objectContaining({ name: 'apps' }) }),
    );
  });
});

describe('watches', () => {
  const selected = `watch=1&fieldSelector=metadata.name=kept`;
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

  test('objects and a bookmark -> frames of envelopes', async () => {
    const events = await watched(`${configMaps}?${selected}&${initial}`, `${protobuf},${json}`, 2);
    expect(events.map(([type]) => type)).toEqual(['ADDED', 'BOOKMARK']);
    const [added, bookmark] = events.map(([, object]) => opened(object, 'core.v1.ConfigMap'));
    expect(added).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', object: { data: { k: 'v' } } });
    expect(bookmark?.object['metadata']).toMatchObject({
      name: '',
      annotations: { 'k8s.io/initial-events-end': 'true' },
    });
  });

  test('metadata of custom objects -> frames of PartialObjectMetadata', async () => {
    const events = await watched(`${things}?watch=1&${initial}`, `${protobuf}${metadataForm}`, 2);
    expect(events.map(([type, object]) => [type, openEnvelope(object).kind])).toEqual([
      ['ADDED', 'PartialObjectMetadata'],
      ['BOOKMARK', 'PartialObjectMetadata'],
    ]);
  });

  test('change while it is watched -> a frame for each event', async () => {
    const { body } = await send('POST', configMaps, json, configMap('changing'));
    const { metadata } = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } };
    const events = watched(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`, protobuf, 2);
    await send('PATCH', `${configMaps}/changing`, json, { data: { a: 'b' } });
    await send('DELETE', `${configMaps}/changing`, json);
    const seen = (await events).map(([type, object]) => [
      type,
      opened(object, 'core.v1.ConfigMap').object['data'],
    ]);
    expect(seen).toEqual([
      ['MODIFIED', { a: 'b' }],
      ['DELETED', { a: 'b' }],
    ]);
  });

  test('version that is none -> a Status instead', async () => {
    const { type, body } = await send('GET', `${configMaps}?watch=1&resourceVersion=none`, protobuf);
    expect(type).toBe(protobuf);
    expect(opened(body, statusStruct).object['status']).toBe('Failure');
  });
});
