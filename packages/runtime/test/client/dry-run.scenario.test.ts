import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { configMaps } from '@holdfast/core';
import { connect, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';

/* What a dry run leaves behind, on whatever control plane is chosen: nothing. */

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const namespace = 'default';

suite('dry run', () => {
  let plane: ControlPlane;
  let client: ApiClient;
  let dry: ApiClient;
  let folder: string;

  beforeAll(async () => {
    plane = await startControlPlane();
    folder = await mkdtemp(join(tmpdir(), 'holdfast-dry-run-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig);
    const open = (dryRun: boolean): ApiClient =>
      connect({
        kubeConfig: () => loadKubeConfig({ kubeconfig }),
        registry: new Registry(),
        program: 'dry-run',
        version: '0',
        dryRun,
      });
    client = open(false);
    dry = open(true);
  }, 90_000);

  afterAll(async () => {
    await client.close();
    await dry.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  test.each([{ how: {} }, { how: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } as const }])(
    'object is deleted with $how -> it stays as it was',
    async ({ how }) => {
      const { metadata } = await client.create(configMaps, namespace, {
        metadata: { generateName: 'dry-run-' },
      });
      await dry.delete(configMaps, { namespace, name: metadata.name }, how);
      const after = await client.get(configMaps, { namespace, name: metadata.name });
      expect(after.metadata).toEqual(metadata);
    },
  );
});
