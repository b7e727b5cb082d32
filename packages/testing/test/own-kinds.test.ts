import { expect, test } from '@jest/globals';
import { dnsSubdomain, nameColumn, startEmbeddedControlPlane } from '@holdfast/testing';

const path = '/apis/example.com/v1/namespaces/default/widgets';

test('kind of the caller given to the embedded control plane -> served, also after the API server was restarted', async () => {
  const plane = await startEmbeddedControlPlane({
    tls: false,
    resources: [
      {
        group: 'example.com',
        version: 'v1',
        kind: 'Widget',
        plural: 'widgets',
        singular: 'widget',
        namespaced: true,
        nameRule: dnsSubdomain,
        columns: [nameColumn],
        cells: ({ metadata }) => [metadata.name ?? ''],
      },
    ],
  });
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 3 } };
  expect((await plane.apiServer.handle('POST', path, JSON.stringify(widget))).code).toBe(201);
  await plane.restartApiServer();
  const { code, body } = await plane.apiServer.handle('GET', `${path}/w`);
  expect({ code, spec: (JSON.parse(body) as { readonly spec: unknown }).spec }).toEqual({
    code: 200,
    spec: { size: 3 },
  });
  await plane.stop();
});
