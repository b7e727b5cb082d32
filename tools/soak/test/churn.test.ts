import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, pods } from '@holdfast/core';
import { connect, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';
import { createChurn, prepareChurn, type Churn, type ChurnedApp } from '../src/churn.ts';
import { claimBody, podBody } from '../src/cluster-objects.ts';

const namespace = 'soak-0';
let plane: EmbeddedControlPlane;
let client: ApiClient;
let folder: string;

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({
    tls: false,
    disableAdmissionPlugins: ['StorageObjectInUseProtection', 'DefaultStorageClass'],
  });
  folder = await mkdtemp(join(tmpdir(), 'holdfast-soak-test-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig, insecureHttp: true }),
    registry: new Registry(),
    program: 'test',
    version: '0',
  });
  await prepareChurn(client);
});

afterEach(async () => {
  await client.close();
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a churn until it has done enough, or for 20 seconds; nobody does the app's work but `meanwhile`. */
async function churnUntil(
  app: ChurnedApp,
  enough: (churn: Churn) => boolean,
  meanwhile: (churn: Churn) => Promise<void>,
): Promise<Churn> {
  const stop = new AbortController();
  const churn = createChurn(app, client, 400, stop.signal, 0.2);
  const running = churn.run();
  const deadline = performance.now() + 20_000;
  try {
    while (!enough(churn) && performance.now() < deadline) {
      await meanwhile(churn);
      await Promise.race([pause(20), running]);
    }
  } finally {
    stop.abort();
    await running;
  }
  return churn;
}

async function makeClaim(name: string): Promise<void> {
  const style = { isProtected: true, storageClassName: 'none' };
  await client.create(persistentVolumeClaims, namespace, claimBody(name, style));
}

describe('createChurn', () => {
  test('retroactive-default-sc, API server restarted meanwhile -> goes on, claims without a class are what is owed', async () => {
    let restarts = 0;
    const churn = await churnUntil(
      'retroactive-default-sc',
      ({ changes }) => changes > 400,
      async ({ changes }) => {
        if (restarts === 0 && changes > 100) {
          restarts += 1;
          await plane.restartApiServer();
        }
      },
    );
    expect(restarts).toBe(1);
    expect(churn.changes).toBeGreaterThan(400);
    expect(churn.accusations).toStrictEqual([]);
    const { items } = await client.list(persistentVolumeClaims);
    const owed = (await churn.unfinished()).toSorted();
    expect(owed).toHaveLength(items.length);
    expect(owed[0]).toMatch(/^claim soak-\d\/data-\d+ has no storage class$/);
  }, 60_000);

  test('pvc-protection, somebody lets go of claims in use -> accused', async () => {
    const isAccused = ({ accusations }: Churn): boolean => accusations.length > 0;
    const churn = await churnUntil('pvc-protection', isAccused, letGoOfAll);
    expect(churn.accusations[0]).toMatch(/^claim soak-\d\/data-\d+ went while a pod used it$/);
  }, 60_000);

  test('pvc-protection -> terminating claims that no scheduled, unfinished pod names are owed', async () => {
    const names = ['unused', 'used', 'finished', 'kept'];
    await Promise.all(names.map(makeClaim));
    const use = (name: string) => client.create(pods, namespace, podBody(name, { namespace, name }));
    await Promise.all(['used', 'finished'].map(use));
    await client.patch(
      pods,
      { namespace, name: 'finished' },
      [{ op: 'add', path: '/status/phase', value: 'Succeeded' }],
      { subresource: 'status' },
    );
    for (const name of names.filter((each) => each !== 'kept')) {
      await client.delete(persistentVolumeClaims, { namespace, name });
    }
    const churn = createChurn('pvc-protection', client, 1, new AbortController().signal);
    const owed = (await churn.unfinished()).filter((line) => !line.includes('/data-'));
    expect(owed.toSorted()).toEqual([
      'claim soak-0/finished is terminating and unused, but there',
      'claim soak-0/unused is terminating and unused, but there',
    ]);
  });
});

/** What a controller with a grave fault would do. */
async function letGoOfAll(): Promise<void> {
  const { items } = await client.list(persistentVolumeClaims);
  const terminating = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  await Promise.allSettled(
    terminating.map(({ metadata }) =>
      client.patch(
        persistentVolumeClaims,
        {
          name: metadata.name,
          ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        },
        [{ op: 'remove', path: '/metadata/finalizers' }],
      ),
    ),
  );
}
