import { expect, test } from '@jest/globals';
import { configMaps, namespaces, type ConfigMap } from '@holdfast/core';
import { connect, loadKubeConfig, systemClock, type ApiClient } from '@holdfast/runtime';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { uninstallFinalizer } from '../../src/process/uninstall-finalizer.ts';
import { runStep } from '../../src/process/run-step.ts';
import { MustStay, type StepOptions } from '../../src/process/uninstall-step.ts';

const ours = 'example.com/ours';
const step = uninstallFinalizer(configMaps, ours);
const options = {} as StepOptions;

function map(metadata: Partial<ConfigMap['metadata']>): ConfigMap {
  return { metadata: { namespace: 'shop', name: 'a', uid: 'uid-1', resourceVersion: '1', ...metadata } };
}

test('step -> is called by the finalizer, and goes over the kind', () => {
  expect(step).toMatchObject({ what: 'finalizer example.com/ours', resource: configMaps });
});

test('object without it -> left alone', () => {
  expect(step.takeBack(map({}), options)).toBeUndefined();
  expect(step.takeBack(map({ finalizers: ['example.com/theirs'] }), options)).toBeUndefined();
});

test('object that is terminating -> keeps it, since it has still to be cleaned up', () => {
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  expect(() => step.takeBack(map({ finalizers: [ours], deletionTimestamp }), options)).toThrow(
    new MustStay(
      'it is being deleted, and finalizer example.com/ours stands for what has still to be cleaned up: let the controller run until it is gone, and uninstall again',
    ),
  );
  expect(
    step.takeBack(map({ finalizers: ['example.com/theirs'], deletionTimestamp }), options),
  ).toBeUndefined();
});

/** Runs the step on one ConfigMap of an API server. @param beforePatch what happens between look and patch, once. */
async function uninstalled(
  finalizers: readonly string[],
  beforePatch: (client: ApiClient) => Promise<void> = () => Promise.resolve(),
) {
  const plane = await startEmbeddedControlPlane({ tls: false });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-uninstall-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  const client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig, insecureHttp: true }),
    registry: new Registry(),
    program: 'test',
    version: '0',
  });
  try {
    await client.create(namespaces, undefined, { metadata: { name: 'shop' } });
    await client.create(configMaps, 'shop', { metadata: { name: 'a', finalizers } });
    let hasHappened = false;
    const patch: ApiClient['patch'] = async (...request) => {
      if (!hasHappened) {
        hasHappened = true;
        await beforePatch(client);
      }
      return client.patch(...request);
    };
    const tally = { seen: 0, takenBack: 0, outdated: 0, refused: 0 };
    const logger = pino({ level: 'silent' });
    const { signal } = new AbortController();
    const shared = { namespaces: [], concurrency: 1, dryRun: false, clock: systemClock, logger, signal };
    await runStep(step, { ...shared, client: { ...client, patch } }, tally);
    return {
      tally,
      left: await client.get(configMaps, { namespace: 'shop', name: 'a' }).catch(() => undefined),
    };
  } finally {
    await client.close();
    await plane.stop();
    await rm(folder, { recursive: true });
  }
}

test('object with our finalizer -> it is taken off, and no other', async () => {
  const { left, tally } = await uninstalled(['example.com/theirs', ours]);
  expect(left?.metadata.finalizers).toEqual(['example.com/theirs']);
  expect(tally).toMatchObject({ takenBack: 1, refused: 0 });
});

test('object that is deleted between look and patch -> keeps it, since it has still to be cleaned up', async () => {
  const { left, tally } = await uninstalled([ours], (client) =>
    client.delete(configMaps, { namespace: 'shop', name: 'a' }),
  );
  expect(left?.metadata.finalizers).toEqual([ours]);
  expect(tally).toMatchObject({ takenBack: 0, outdated: 1, refused: 1 });
});
