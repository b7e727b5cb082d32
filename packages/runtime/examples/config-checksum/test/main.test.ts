import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { configMaps, parseFeatureGates } from '@holdfast/core';
import { connect, createMetricsRegistry, loadKubeConfig } from '@holdfast/runtime';
import { startControlPlane } from '@holdfast/testing';
import { annotation, checksumOf, label } from '../src/checksum.ts';

await test('ConfigMap that wants a checksum -> has it, and a new one after its data changed', async () => {
  const plane = await startControlPlane();
  const folder = await mkdtemp(join(tmpdir(), 'config-checksum-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  const client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig }),
    registry: createMetricsRegistry('test', '0', parseFeatureGates({}, '')),
    program: 'test',
    version: '0',
  });
  const operator = spawn(process.execPath, [
    fileURLToPath(new URL('../src/main.js', import.meta.url)),
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
  ]);
  const ended = once(operator, 'exit');
  const ref = { namespace: 'default', name: 'settings' };
  const checksumBecomes = async (wanted: string): Promise<void> => {
    const deadline = performance.now() + 20_000;
    while ((await client.get(configMaps, ref)).metadata.annotations?.[annotation] !== wanted) {
      assert.ok(performance.now() < deadline, 'no checksum within 20 s');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  try {
    const data = { color: 'blue' };
    await client.create(configMaps, 'default', { metadata: { ...ref, labels: { [label]: 'yes' } }, data });
    await checksumBecomes(checksumOf({ data }));
    await client.patch(configMaps, ref, [{ op: 'add', path: '/data/color', value: 'red' }]);
    await checksumBecomes(checksumOf({ data: { color: 'red' } }));
  } finally {
    operator.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    await client.close();
    await plane.stop();
    await rm(folder, { recursive: true });
    assert.equal(code, 0);
  }
});
