import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, testProcess } from '@holdfast/scenario';
import { markAnnotations } from '../src/decide/mark.ts';
import { handOf, openStage } from './stage.ts';

testProcess(
  'dry run of statefulset-pvc-retention',
  {
    app: 'statefulset-pvc-retention',
    controlPlane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
    openStage,
    flags: ['--yield-to-stock-controller=false', '--feature-gates=DeletionGracePeriod=true'],
  },
  (suite) => {
    test('undo window over -> the deletion is logged as a dry run, and the claim stays; without --dry-run it goes', async () => {
      const { stage } = suite;
      const hand = handOf(stage, await stage.namespace());
      const set = await hand.createSet({
        replicas: 1,
        policy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
        annotations: { 'holdfast.dev/scale-down-grace': '1m' },
      });
      const claim = await hand.createClaim('data-web-1');
      const mark = markAnnotations({
        claim,
        deleteAfter: '2020-01-01T00:00:00Z',
        workload: { kind: 'StatefulSet.apps', name: 'web', uid: set.metadata.uid },
        reason: 'ScaledDown',
      });
      await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'data-web-1' }, [
        { op: 'add', path: '/metadata/annotations', value: mark },
      ]);

      // With leader election, as it is deployed: the Lease of a dry run is never stored.
      const rehearsed = suite.start(
        '--dry-run',
        '--leader-elect',
        `--leader-elect-resource-namespace=${hand.namespace}`,
      );
      const deleted = (stderr: string): string | undefined =>
        stderr.split('\n').find((line) => line.includes('Claim deleted') && line.includes(hand.namespace));
      await eventually('it logs what it would do', () => deleted(rehearsed.stderr()) !== undefined);
      expect(deleted(rehearsed.stderr())).toContain('"dryRun":true');
      expect((await hand.findClaim('data-web-1'))?.metadata).toMatchObject({ uid: claim.metadata.uid });
      expect((await hand.findClaim('data-web-1'))?.metadata.deletionTimestamp).toBeUndefined();
      await rehearsed.end('SIGKILL');

      suite.start();
      await hand.gone('data-web-1');
    });
  },
);
