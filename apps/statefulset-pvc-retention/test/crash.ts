import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, testProcess } from '@holdfast/scenario';
import { garbageCollector, startController, type RunningController } from '@holdfast/testing';
import { handOf, openStage, type Policy } from './stage.ts';

const count = 120;

/** Declares the stories of processes that are killed, on whatever control plane is chosen. */
export function testCrashes(): void {
  testProcess(
    'statefulset-pvc-retention killed in the middle of its work',
    {
      app: 'statefulset-pvc-retention',
      controlPlane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
      openStage,
      flags: ['--yield-to-stock-controller=false'],
    },
    (suite) => {
      let collector: RunningController;

      beforeAll(async () => {
        collector = await startController(suite.plane, garbageCollector);
      });

      afterAll(() => collector.stop());

      test('kill -9 while adding and while taking back -> the next process finishes, no claim is lost', async () => {
        const { stage } = suite;
        const hand = handOf(stage, await stage.namespace());
        const names = Array.from({ length: count }, (_, ordinal) => `data-web-${String(ordinal)}`);
        const created = await Promise.all(names.map((name) => hand.createClaim(name)));
        const owned = async (): Promise<number> => {
          const { items } = await stage.client.list(persistentVolumeClaims, { namespace: hand.namespace });
          return items.filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0).length;
        };
        const retain: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
        await hand.createSet({ replicas: count, policy: { ...retain, whenDeleted: 'Delete' } });

        await suite.killWhen('some are owned', async () => (await owned()) >= 10);
        expect(await owned()).toBeLessThan(count);
        const next = suite.start();
        await eventually('all are owned', async () => (await owned()) === count);
        await next.end('SIGKILL');

        await hand.setPolicy(retain);
        await suite.killWhen('some are let go', async () => (await owned()) <= count - 10);
        expect(await owned()).toBeGreaterThan(0);
        const last = suite.start();
        await eventually('all are let go', async () => (await owned()) === 0);
        await hand.deleteSet('Background');
        expect(await last.end('SIGTERM')).toEqual({ code: 0, signal: null });
        for (const { metadata } of created) {
          expect(await hand.dataOf(metadata.name)).toBe(metadata.uid);
        }
      }, 120_000);
    },
  );
}
