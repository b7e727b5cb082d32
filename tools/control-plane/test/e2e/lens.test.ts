import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { startLens, type LensedApi } from '../../src/e2e/lens.ts';

const path = '/api/v1/namespaces/default/configmaps';
const bodyOf = (name: string, water: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { water } });

describe('lens', () => {
  let plane: EmbeddedControlPlane;
  let lensed: LensedApi;
  let server: string;

  const send = (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server}${url}`, {
      ...init,
      headers: { 'content-type': 'application/json', connection: 'close' },
    });

  beforeAll(async () => {
    plane = await startEmbeddedControlPlane();
    lensed = await startLens(plane.kubeconfig, {
      title: 'cold read as warm',
      resource: 'configmaps',
      apply: (body) => body.replaceAll('"water":"cold"', '"water":"warmer"'),
    });
    const { clusters } = JSON.parse(lensed.kubeconfig) as { clusters: [{ cluster: { server: string } }] };
    server = clusters[0].cluster.server;
    await plane.apiServer.handle('POST', path, bodyOf('pond', 'cold'));
  });

  afterAll(async () => {
    await lensed.close();
    await plane.stop();
  });

  test('its kubeconfig -> no token in it', () => {
    expect(lensed.kubeconfig).not.toContain('token');
  });

  test('object and list read -> changed, whole', async () => {
    expect(await (await send(`${path}/pond`)).json()).toMatchObject({ data: { water: 'warmer' } });
    expect(await (await send(path)).json()).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ data: { water: 'warmer' } }],
    });
  });

  test('object written -> stored as it was sent', async () => {
    const { status } = await send(path, { method: 'POST', body: bodyOf('well', 'cold') });
    expect(status).toBe(201);
    const { body } = await plane.apiServer.handle('GET', `${path}/well`);
    expect(JSON.parse(body)).toMatchObject({ data: { water: 'cold' } });
    await send(`${path}/well`, { method: 'DELETE' });
    expect((await plane.apiServer.handle('GET', `${path}/well`)).code).toBe(404);
  });

  test('watch -> events come while it is open', async () => {
    const abort = new AbortController();
    const answer = await send(`${path}?watch=true`, { signal: abort.signal });
    const read = await answer.body?.getReader().read();
    expect(Buffer.from(read?.value ?? []).toString()).toMatch(/^{"type":"ADDED".*"water":"cold"/);
    abort.abort();
  });

  test('another resource that says the same -> as it is', async () => {
    const secret = { metadata: { name: 'jug', annotations: { water: 'cold' } } };
    await plane.apiServer.handle('POST', '/api/v1/namespaces/default/secrets', JSON.stringify(secret));
    expect(await (await send('/api/v1/namespaces/default/secrets/jug')).json()).toMatchObject(secret);
  });
});
