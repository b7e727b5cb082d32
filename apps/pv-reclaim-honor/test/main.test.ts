import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { handOf, openStorage, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

describe('command line', () => {
  test('--help -> its own flags and the gate, exit 0', async () => {
    const app = startApp('pv-reclaim-honor', ['--help']);
    expect(await app.exit).toEqual({ code: 0, signal: null });
    for (const flag of [
      'mode',
      'csi-address',
      'csi-timeout',
      'csi-finalizer',
      'migrated-plugins',
      'host-path-root',
      'feature-gates',
      'dry-run',
    ]) {
      expect(app.stdout()).toMatch(new RegExp(`--${flag}\\b`));
    }
    expect(app.stdout()).toContain('HonorPVReclaimPolicy (beta, default true)');
  }, 20_000);

  test('value that can not be taken -> one line that names it, exit 2', async () => {
    const app = startApp('pv-reclaim-honor', ['--mode=both']);
    expect(await app.exit).toEqual({ code: 2, signal: null });
    expect(app.stderr()).toMatch(/^pv-reclaim-honor: --mode: "both" .*\n$/);
  }, 20_000);
});

describe('running', () => {
  const open = useBinderScenes(afterAll);
  let stage: Stage;
  let storage: Storage;
  let folder: string;

  beforeAll(async () => {
    ({ stage, storage } = await open(startEmbeddedControlPlane()));
    folder = await mkdtemp(join(tmpdir(), 'holdfast-main-'));
  }, 30_000);

  afterAll(() => rm(folder, { recursive: true }));

  let app: AppProcess;
  const start = (...args: readonly string[]): void => {
    app = startApp('pv-reclaim-honor', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      '--leader-elect=false',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=0',
      ...args,
    ]);
  };

  afterEach(async () => {
    app.kill('SIGKILL');
    await app.exit;
  });

  test('bundle with its flags in a file -> holds, reclaims, and its metrics count it', async () => {
    const file = join(folder, 'config.yaml');
    await writeFile(file, `csi-address: ${storage.driver.address}\ncsi-timeout: 5s\n`);
    start(`--config=${file}`);
    const hand = handOf(stage, await stage.namespace(), storage.driver);
    await hand.held('v');
    storage.driver.inject({ kind: 'fail', code: 'INTERNAL', message: 'not now' }, 1);
    await hand.deleteVolume('v');
    await hand.deleteClaim('v');
    await eventually('v is gone', () => hand.volumeIsGone('v'));
    expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(false);
    const address = /"purpose":"metrics","address":"([^"]+)"/.exec(app.stderr())?.[1] ?? '';
    let metrics = '';
    await eventually('the end of the reclaim is counted', async () => {
      metrics = await (await fetch(`http://${address}/metrics`)).text();
      return metrics.includes('volume_operation_total_seconds_count');
    });
    const storageClass = hand.nameOf('v').slice(0, -2);
    for (const line of [
      /^kubernetes_feature_enabled\{name="HonorPVReclaimPolicy",stage="BETA"\} 1$/m,
      new RegExp(`^persistentvolume_delete_duration_seconds_count\\{class="${storageClass}"\\} 1$`, 'm'),
      /^volume_operation_total_seconds_count\{plugin_name="csi\.holdfast\.dev",operation_name="delete"\} 1$/m,
      /^volume_operation_errors_total\{plugin_name="csi\.holdfast\.dev",operation_name="delete"\} 1$/m,
      /^pv_reclaim_leak_risk_total 0$/m,
      /^pv_reclaim_finalizer_total\{operation="add",result="success"\} 1$/m,
    ]) {
      expect(metrics).toMatch(line);
    }
    app.kill('SIGTERM');
    expect(await app.exit).toEqual({ code: 0, signal: null });
  }, 60_000);

  test('SIGTERM while the driver is away -> orderly end, exit 0', async () => {
    start(`--csi-address=unix://${folder}/nobody.sock`);
    await eventually('it has tried', () => app.stderr().includes('CSI driver not connected'));
    app.kill('SIGTERM');
    expect(await app.exit).toEqual({ code: 0, signal: null });
    expect(app.stderr()).toContain('"msg":"Stopped"');
  }, 30_000);

  test('driver without CREATE_DELETE_VOLUME -> says so, and holds none of its volumes', async () => {
    const nodeOnly = await openStorage({ name: 'node-only.example.com', canDeleteVolumes: false });
    start(`--csi-address=${nodeOnly.driver.address}`);
    await eventually('it says so', () => app.stderr().includes('CREATE_DELETE_VOLUME'));
    const hand = handOf(stage, await stage.namespace(), nodeOnly.driver);
    await hand.bound('v');
    expect(await hand.finalizersOf('v')).not.toContain(csiFinalizer);
    await nodeOnly.close();
  }, 30_000);
});
