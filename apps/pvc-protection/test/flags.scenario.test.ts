import { expect, test } from '@jest/globals';
import { eventually, testProcess } from '@holdfast/scenario';
import { protection } from './objects.ts';
import { handOf, openStage } from './stage.ts';

testProcess(
  'flags of pvc-protection',
  {
    app: 'pvc-protection',
    controlPlane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
    openStage,
  },
  (suite) => {
    test('--dry-run -> logs what it would do, marked, and nothing is stored', async () => {
      const hand = handOf(suite.stage.client, await suite.stage.namespace());
      const { metadata } = await hand.createClaim('data');
      const process = suite.start('--dry-run');
      const logged = (): string | undefined =>
        process
          .stderr()
          .split('\n')
          .find((line) => line.includes('Finalizer added') && line.includes(metadata.namespace ?? ''));
      await eventually('it logs what it would do', () => logged() !== undefined);
      expect(logged()).toContain('"dryRun":true');
      expect(await hand.finalizersOf('data')).toStrictEqual([]);
    });

    test('--namespaces -> claims elsewhere are left alone', async () => {
      const { stage } = suite;
      const [watched, elsewhere] = [await stage.namespace(), await stage.namespace()];
      const there = handOf(stage.client, elsewhere);
      await there.createClaim('data');
      const here = handOf(stage.client, watched);
      await here.createClaim('data');
      suite.start(`--namespaces=${watched}`);
      await eventually('the claim here is protected', async () =>
        (await here.finalizersOf('data')).includes(protection),
      );
      await here.createClaim('later');
      await eventually('the later one too', async () =>
        (await here.finalizersOf('later')).includes(protection),
      );
      expect(await there.finalizersOf('data')).toStrictEqual([]);
    });

    test('gate off -> no finalizer is added, and what has one is still released', async () => {
      const hand = handOf(suite.stage.client, await suite.stage.namespace());
      await hand.createClaim('bare');
      await hand.createClaim('held', { finalizers: [protection] });
      await hand.deleteClaim('held');
      suite.start('--feature-gates=StorageObjectInUseProtection=false');
      await eventually('held is gone', () => hand.claimIsGone('held'));
      expect(await hand.finalizersOf('bare')).toStrictEqual([]);
    });

    test('running -> ready, and its metrics show gates, writes, queue and requests', async () => {
      const hand = handOf(suite.stage.client, await suite.stage.namespace());
      const process = suite.start(
        '--metrics-bind-address=127.0.0.1:0',
        '--health-probe-bind-address=127.0.0.1:0',
      );
      const probes = await process.address('health-probe');
      await eventually('it is ready', async () =>
        fetch(`http://${probes}/readyz`).then(({ status }) => status === 200),
      );
      await hand.createClaim('data');
      await eventually('data is protected', async () =>
        (await hand.finalizersOf('data')).includes(protection),
      );
      const metrics = await process.metrics();
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
    });
  },
);
