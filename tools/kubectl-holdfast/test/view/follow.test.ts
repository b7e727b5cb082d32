import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { connect, loadKubeConfig, systemClock, type ConnectedClient } from '@holdfast/runtime';
import { Registry } from 'prom-client';
import { follow, type Following } from '../../src/view/follow.ts';

let server: Server;
let folder: string;
let client: ConnectedClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-view-'));
  server = createServer((_, response) => {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 };
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(status));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const kubeconfig = join(folder, 'config');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
      clusters: [
        {
          name: 'a',
          cluster: { server: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` },
        },
      ],
      users: [{ name: 'a', user: {} }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    }),
  );
  client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig }),
    registry: new Registry(),
    program: 'kubectl-holdfast',
    version: '0',
  });
});
afterEach(async () => {
  await client.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  await rm(folder, { recursive: true, force: true });
});

/** Follows until it is so. */
async function followUntil(isSo: (following: Following) => boolean): Promise<Following> {
  const ending = new AbortController();
  const reached = Promise.withResolvers<undefined>();
  const following = await follow({
    ...{ client, namespace: 'shop', clock: systemClock },
    changed: () => {
      if (isSo(following)) {
        reached.resolve(undefined);
      }
    },
  });
  const done = following.run(ending.signal);
  await reached.promise;
  ending.abort(new Error('seen'));
  await done;
  return following;
}

test('nothing may be read -> each resource named, with how its permission is asked for; complete all the same', async () => {
  const following = await followUntil((each) => each.isComplete());
  expect(following.troubles()).toContain('pods can not be read: kubectl auth can-i list pods');
  expect(following.troubles()).toHaveLength(6);
  expect(following.seen()).toMatchObject({ claims: [], volumes: undefined, classes: undefined });
});

test('the API server does not answer -> said once, not as permissions that lack', async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  const following = await followUntil((each) => each.isComplete() && each.troubles().length === 1);
  expect(following.troubles()).toEqual([
    expect.stringMatching(
      /^the API server could not be reached, .*ECONNREFUSED.*; see kubectl cluster-info$/,
    ),
  ]);
});
