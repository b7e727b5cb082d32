import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type AppProcess, eventually, startApp } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

const missing = controlPlaneMissing();
const suite = missing === undefined ? describe : describe.skip;

suite('pvc-protection told by its flags', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let app: AppProcess | undefined;

  beforeAll(async () => {
    plane = await startControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    stage = await openStage(plane);
  }, 90_000);

  afterEach(async () => {
    app?.kill('SIGTERM');
    await app?.exit;
  });

  afterAll(async () => {
    await stage.close();
    await plane.stop();
  }, 60_000);

  const start = (...args: readonly string[]): AppProcess =>
    startApp('pvc-protection', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      '--leader-elect=false',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
      ...args,
    ]);
  const address = (process: AppProcess, purpose: string): string =>
    new RegExp(`"purpose":"${purpose}","address":"([^"]+)"`).exec(process.stderr())?.[1] ?? '';

  test('--dry-run -> says what it would do, marked, and nothing is stored', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    const { metadata } = await hand.createClaim('data');
    const running = (app = start('--dry-run'));
    const said = (): string | undefined =>
      running
        .stderr()
        .split('\n')
        .find((line) => line.includes('Finalizer added') && line.includes(metadata.namespace ?? ''));
    await eventually('it says what it would do', () => said() !== undefined);
    expect(said()).toContain('"dryRun":true');
    expect(await hand.finalizersOf('data')).toEqual([]);
  }, 30_000);

  test('--namespaces -> claims elsewhere are left alone', async () => {
    const [watched, elsewhere] = [await stage.namespace(), await stage.namespace()];
    const there = handOf(stage.client, elsewhere);
    await there.createClaim('data');
    const here = handOf(stage.client, watched);
    await here.createClaim('data');
    app = start(`--namespaces=${watched}`);
    await eventually('the claim here is protected', async () =>
      (await here.finalizersOf('data')).includes(protection),
    );
    await here.createClaim('later');
    await eventually('the later one too', async () =>
      (await here.finalizersOf('later')).includes(protection),
    );
    expect(await there.finalizersOf('data')).toEqual([]);
  }, 30_000);

  test('gate off -> no finalizer is added, and what has one is still released', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    await hand.createClaim('bare');
    await hand.createClaim('held', { finalizers: [protection] });
    await hand.deleteClaim('held');
    app = start('--feature-gates=StorageObjectInUseProtection=false');
    await eventually('held is gone', () => hand.claimIsGone('held'));
    expect(await hand.finalizersOf('bare')).toEqual([]);
  }, 30_000);

  test('running -> ready, and its metrics tell of gates, writes, queue and requests', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    const running = (app = start());
    await eventually(
      'it serves',
      () => address(running, 'metrics') !== '' && address(running, 'health-probe') !== '',
    );
    await eventually('it is ready', async () =>
      fetch(`http://${address(running, 'health-probe')}/readyz`).then(({ status }) => status === 200),
    );
    await hand.createClaim('data');
    await eventually('data is protected', async () => (await hand.finalizersOf('data')).includes(protection));
    const metrics = await (await fetch(`http://${address(running, 'metrics')}/metrics`)).text();
    for (const line of [
      /^kubernetes_feature_enabled\{name="StorageObjectInUseProtection",stage=""\} 1$/m,
      /^kubernetes_feature_enabled\{name="WaitForVolumeDetach",stage="BETA"\} 1$/m,
      /^pvc_protection_finalizer_total\{operation="add",result="success"\} [1-9]/m,
      /^workqueue_adds_total\{name="pvc-protection"\} [1-9]/m,
      /^rest_client_requests_total\{code="200",method="PATCH",host="[^"]+"\} [1-9]/m,
      /^controller_runtime_reconcile_total\{controller="pvc-protection",result="success"\} [1-9]/m,
    ]) {
      expect(metrics).toMatch(line);
    }
  }, 30_000);
});
