import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type FakeClock, createFakeClock, settled } from '../src/fake-clock.ts';
import { convertChanges } from '../src/rest/converted-watch.ts';
import type { ServerState } from '../src/rest/server-state.ts';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { configMaps as resource } from '../src/resources/config-map.ts';
import type { Change } from '../src/storage/storage.ts';
import { type Client, clientOf, configMaps, mergePatch } from './client.ts';
import {
  type ConversionServer,
  definitionOf,
  startConversionServer,
  summary,
  v1,
  v2,
} from './conversion-server.ts';

/*
 * How often a conversion webhook is asked, where it is, and how long it may take: what a real server's caches, or half
 * a minute, keep from the scenario of packages/testing/test/comparison.
 */

const group = 'links.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const linksIn = (version: string): string => `/apis/${group}/${version}/namespaces/default/links`;
const link = (version: string, name: string, spec: object): object => ({
  apiVersion: `${group}/${version}`,
  kind: 'Link',
  metadata: { name },
  spec,
});

let hook: ConversionServer;
let server: ApiServer;
let client: Client;
let clock: FakeClock;

beforeAll(async () => {
  hook = await startConversionServer();
});
afterAll(() => hook.stop());
beforeEach(async () => {
  clock = createFakeClock();
  server = await startApiServer({
    tls: false,
    after: clock.after,
    services: { 'hooks/converter': `127.0.0.1:${hook.port}` },
  });
  client = clientOf(server);
  await define();
  for (const name of ['a', 'b', 'c']) {
    await client.send('POST', linksIn('v2'), link('v2', name, { host: name }));
  }
  hook.take();
});
afterEach(async () => {
  hook.behave(undefined);
  await server.stop();
});

async function define(
  clientConfig: object = { url: `${hook.url}/convert` },
  conversionReviewVersions: readonly string[] = ['v1'],
): Promise<void> {
  const webhook = { clientConfig: { ...clientConfig, caBundle: hook.caBundle }, conversionReviewVersions };
  const definition = definitionOf(group, 'links', { strategy: 'Webhook', webhook });
  const { code } = await client.send('POST', definitions, definition);
  if (code === 409) {
    const spec = { conversion: { strategy: 'Webhook', webhook } };
    await client.send('PATCH', `${definitions}/links.${group}`, { spec: { conversion: null } }, mergePatch);
    await client.send('PATCH', `${definitions}/links.${group}`, { spec }, mergePatch);
  }
}

const asked = (): readonly string[] => hook.take().map(summary);

test('listed in another version -> one call for all, none for what was converted before', async () => {
  await client.send('GET', linksIn('v1'));
  expect(asked()).toEqual(['a@v2 b@v2 c@v2 -> v1']);
  await client.send('PATCH', `${linksIn('v2')}/b`, { spec: { port: '1' } }, mergePatch);
  const { body } = await client.send('GET', linksIn('v1'));
  expect(body.items.map(({ spec }) => spec?.['hostPort'])).toEqual(['a:80', 'b:1', 'c:80']);
  expect(asked()).toEqual(['b@v2 -> v1']);
});

test('listed in the storage version -> no call', async () => {
  await client.send('GET', linksIn('v2'));
  expect(asked()).toStrictEqual([]);
});

test('list of objects of several versions -> call for those of other versions', async () => {
  const versions = [
    { ...v1, storage: true },
    { ...v2, storage: false },
  ];
  await client.send('PATCH', `${definitions}/links.${group}`, { spec: { versions } }, mergePatch);
  await client.send('POST', linksIn('v1'), link('v1', 'b2', { hostPort: 'b2:2' }));
  await client.send('GET', linksIn('v1'));
  expect(asked()).toEqual(['a@v2 b@v2 c@v2 -> v1']);
  const { body } = await client.send('GET', linksIn('v2'));
  expect(body.items.map(({ spec }) => spec?.['host'])).toEqual(['a', 'b', 'b2', 'c']);
  expect(asked()).toEqual(['b2@v1 -> v2']);
});

test('read by name -> webhook is asked each time', async () => {
  await client.send('GET', linksIn('v1'));
  hook.take();
  await client.send('GET', `${linksIn('v1')}/a`);
  await client.send('GET', `${linksIn('v1')}/a`);
  expect(asked()).toEqual(['a@v2 -> v1', 'a@v2 -> v1']);
});

test('conversion of the definition changes -> what the webhook before has made is forgotten', async () => {
  await client.send('GET', linksIn('v1'));
  await define({ url: `${hook.url}/other` });
  hook.take();
  await client.send('GET', linksIn('v1'));
  expect(hook.take().map(({ path }) => path)).toEqual(['/other?timeout=30s']);
});

test('two watchers of a version -> each change is converted once', async () => {
  const watches = [
    await client.watch(`${linksIn('v1')}?watch=1`),
    await client.watch(`${linksIn('v1')}?watch=1`),
  ];
  for (const watch of watches) {
    const events = [await watch.next(), await watch.next(), await watch.next()];
    expect(events.map((event) => event?.type)).toEqual(['ADDED', 'ADDED', 'ADDED']);
  }
  hook.take();
  await client.send('PATCH', `${linksIn('v2')}/a`, { spec: { port: '1' } }, mergePatch);
  for (const watch of watches) {
    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { spec: { hostPort: 'a:1' } } });
    watch.stop();
  }
  expect(asked()).toEqual(['a@v2 -> v1']);
});

test('watch from a version that is over, some changed since -> they come converted', async () => {
  const { body } = await client.send('GET', linksIn('v1'));
  await client.send('PATCH', `${linksIn('v2')}/a`, { spec: { port: '1' } }, mergePatch);
  const since = body.metadata.resourceVersion;
  const watch = await client.watch(`${linksIn('v1')}?watch=1&resourceVersion=${since}`);
  expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { spec: { hostPort: 'a:1' } } });
  watch.stop();
});

test('watched by a selector, object leaves it in that version -> DELETED', async () => {
  const watch = await client.watch(`${linksIn('v1')}?watch=1&fieldSelector=spec.hostPort%3Da:80`);
  expect(await watch.next()).toMatchObject({ type: 'ADDED' });
  await client.send('PATCH', `${linksIn('v2')}/a`, { spec: { port: '1' } }, mergePatch);
  expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { spec: { hostPort: 'a:80' } } });
  watch.stop();
});

test('definition changes while a watch from scratch is converted -> watch ends after that', async () => {
  hook.behave({
    objects(objects) {
      // In process it is done before this answer is there.
      const spec = { names: { shortNames: ['ln'] } };
      const path = `${definitions}/links.${group}`;
      void server.handle('PATCH', path, JSON.stringify({ spec }), mergePatch);
      return objects;
    },
  });
  const watch = await client.watch(`${linksIn('v1')}?watch=1`);
  const events = [await watch.next(), await watch.next(), await watch.next(), await watch.next()];
  expect(events.map((event) => event?.type)).toEqual(['ADDED', 'ADDED', 'ADDED', undefined]);
  expect(await watch.ended).toBe('closed');
});

test('webhook fails, watch from scratch -> 429 with the reason', async () => {
  hook.behave({ result: { status: 'Failure', message: 'no way' } });
  const { code, body } = await client.send('GET', `${linksIn('v1')}?watch=1`);
  expect([code, body.message]).toEqual([
    429,
    `storage is (re)initializing: failed to list ${group}/v1, Kind=Link: conversion webhook for ${group}/v2, Kind=Link failed: no way`,
  ]);
});

test('webhook fails while watched -> no bookmark passes the change that waits', async () => {
  const { body } = await client.send('GET', linksIn('v1'));
  const before = body.metadata.resourceVersion;
  const query = `watch=1&resourceVersion=${before}&allowWatchBookmarks=true`;
  const watch = await client.watch(`${linksIn('v1')}?${query}`);
  hook.behave({ result: { status: 'Failure' } });
  const called = hook.asked();
  await client.send('PATCH', `${linksIn('v2')}/a`, { spec: { port: '1' } }, mergePatch);
  await called;
  // The change waits for the retry, or still for the answer.
  await clock.advance(60_000);
  expect(await watch.next()).toMatchObject({
    type: 'BOOKMARK',
    object: { metadata: { resourceVersion: before } },
  });
  watch.stop();
});

test('metadata asked for in protobuf, webhook changes labels -> they are those of the version', async () => {
  hook.behave({
    object(converted) {
      converted.metadata = { ...(converted.metadata as object), labels: { shown: 'converted' } };
    },
  });
  const { users } = JSON.parse(server.kubeconfig) as { users: [{ user: { token: string } }] };
  const read = async (path: string, kind: string): Promise<string> => {
    const accept = `application/vnd.kubernetes.protobuf;as=${kind};g=meta.k8s.io;v=v1`;
    const headers = { authorization: `Bearer ${users[0].user.token}`, accept };
    const answer = await fetch(server.url + path, { headers });
    const reader = answer.body?.getReader();
    const first = (await reader?.read()) as { readonly value?: Uint8Array } | undefined;
    await reader?.cancel();
    return Buffer.from(first?.value ?? []).toString('latin1');
  };
  const initial = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  expect([
    await read(`${linksIn('v1')}/a`, 'PartialObjectMetadata'),
    await read(linksIn('v1'), 'PartialObjectMetadataList'),
    await read(`${linksIn('v1')}?${initial}`, 'PartialObjectMetadata'),
  ]).toEqual([
    expect.stringContaining('converted'),
    expect.stringContaining('converted'),
    expect.stringContaining('converted'),
  ]);
  expect(await read(`${linksIn('v2')}/a`, 'PartialObjectMetadata')).not.toContain('converted');
});

test('webhook never answers -> 500 after half a minute', async () => {
  hook.behave({ isSilent: true });
  const called = hook.asked();
  const answer = client.send('GET', `${linksIn('v1')}/a`);
  await called;
  await clock.advance(30_000);
  const { code, body } = await answer;
  expect([code, body.message]).toEqual([
    500,
    `conversion webhook for ${group}/v2, Kind=Link failed: Post "${hook.url}/convert?timeout=30s": context deadline exceeded`,
  ]);
});

test('webhook is a service -> called where it is said to be', async () => {
  await define({ service: { namespace: 'hooks', name: 'converter', path: '/here' } });
  const { body } = await client.send('GET', `${linksIn('v1')}/a`);
  expect(body.spec).toEqual({ hostPort: 'a:80' });
  expect(hook.take().map(({ path }) => path)).toEqual(['/here?timeout=30s']);
});

test('webhook is a service that is not there -> 500 with its name', async () => {
  await define({ service: { namespace: 'hooks', name: 'nobody' } });
  const { body } = await client.send('GET', `${linksIn('v1')}/a`);
  expect(body.message).toBe(
    `conversion webhook for ${group}/v2, Kind=Link failed: Post "https://nobody.hooks.svc:443/?timeout=30s": service "nobody" not found`,
  );
});

test('webhook knows v1beta1 alone -> asked in that, and need not say the uid', async () => {
  await define({ url: `${hook.url}/convert` }, ['v2', 'v1beta1']);
  hook.behave({ uid: '' });
  const { code } = await client.send('GET', `${linksIn('v1')}/a`);
  expect([code, hook.take().map(({ review }) => review.apiVersion)]).toEqual([
    200,
    ['apiextensions.k8s.io/v1beta1'],
  ]);
});

/** Refuses config maps, with what `a` says in v1 as its params. */
async function denyByParams(): Promise<void> {
  const admission = '/apis/admissionregistration.k8s.io/v1';
  await client.send('POST', `${admission}/validatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: {
      paramKind: { apiVersion: `${group}/v1`, kind: 'Link' },
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
        ],
      },
      validations: [{ expression: 'false', messageExpression: "'not while ' + params.spec.hostPort" }],
    },
  });
  await client.send('POST', `${admission}/validatingadmissionpolicybindings`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'p' },
    spec: {
      policyName: 'p',
      paramRef: { name: 'a', parameterNotFoundAction: 'Deny' },
      validationActions: ['Deny'],
    },
  });
}
const createMap = async (): Promise<string | undefined> =>
  (await client.send('POST', configMaps, { metadata: { name: 'x' } })).body.message;
const denied = "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request";

test('params of a policy are of another version -> converted; webhook fails -> not synced', async () => {
  await denyByParams();
  hook.behave({ result: { status: 'Failure' } });
  expect(await createMap()).toBe(
    `${denied}: failed to configure binding: paramKind kind \`${group}/v1, Kind=Link\` not yet synced to use for admission`,
  );
  hook.behave(undefined);
  expect(await createMap()).toBe(`${denied}: not while a:80`);
});

test('params change while they are converted -> policy sees what they are then', async () => {
  await denyByParams();
  hook.behave({
    object() {
      hook.behave(undefined);
      const body = JSON.stringify({ spec: { port: '81' } });
      void server.handle('PATCH', `${linksIn('v2')}/a`, body, mergePatch);
    },
  });
  expect(await createMap()).toBe(`${denied}: not while a:81`);
});

test('webhook is silent, more changes than may wait -> watch ends', async () => {
  let ends = 0;
  const silent = {
    ...resource,
    askedConversion: {
      fromStored: () => new Promise<never>(() => undefined),
      toStored: () => new Promise<never>(() => undefined),
      inVersion: () => new Promise<never>(() => undefined),
      definitionOf: () => undefined,
    },
  };
  const state = { after: clock.after } as ServerState;
  const changes = convertChanges(
    state,
    silent,
    false,
    () => undefined,
    () => ends++,
  );
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
  const change = (revision: number): Change => ({
    type: 'MODIFIED',
    entry: { namespace: '', name: 'a', object, revision },
    previous: undefined,
    revision,
  });
  for (let revision = 5; revision < 10_005; revision++) {
    changes.add(change(revision));
  }
  expect([ends, changes.reached(20_000)]).toEqual([0, 4]);
  changes.add(change(10_005));
  changes.add(change(10_006));
  await settled();
  expect(ends).toBe(1);
});
