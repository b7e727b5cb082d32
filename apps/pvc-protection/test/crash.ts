import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, testProcess, type AppProcess } from '@holdfast/scenario';
import { protection } from './objects.ts';
import { handOf, openStage } from './stage.ts';

const count = 120;

/** Declares the stories of processes that are killed, on whatever control plane is chosen. */
export function testCrashes(): void {
  testProcess(
    'pvc-protection killed in the middle of its work',
    {
      app: 'pvc-protection',
      controlPlane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
      openStage,
    },
    (suite) => {
      test('kill -9 while protecting and while releasing -> the next process finishes, nothing is done twice', async () => {
        const { stage } = suite;
        const namespace = await stage.namespace();
        const hand = handOf(stage.client, namespace);
        const claims = async () => (await stage.client.list(persistentVolumeClaims, { namespace })).items;
        const withFinalizer = async (): Promise<number> =>
          (await claims()).filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).length;
        const names = Array.from({ length: count }, (_, index) => `data-${String(index)}`);
        await Promise.all(names.map((name) => hand.createClaim(name)));
        await hand.createPod('web', 'data-0');

        await suite.killWhen('some claims are protected', async () => (await withFinalizer()) >= 10);
        expect(await withFinalizer()).toBeLessThan(count);

        const second = suite.start();
        await eventually('all claims are protected', async () => (await withFinalizer()) === count);
        for (const { metadata } of await claims()) {
          expect(metadata.finalizers).toEqual([protection]);
        }
        await second.end('SIGKILL');

        await Promise.all(names.map((name) => hand.deleteClaim(name)));
        await suite.killWhen('some claims are gone', async () => (await claims()).length <= count - 10);
        expect((await claims()).length).toBeGreaterThan(1);

        const third = suite.start();
        await eventually('all claims are gone but the one in use', async () => (await claims()).length === 1);
        expect(await hand.finalizersOf('data-0')).toEqual([protection]);
        await hand.deletePod('web');
        await eventually('the last claim is gone', () => hand.claimIsGone('data-0'));
        expect(await third.end('SIGTERM')).toEqual({ code: 0, signal: null });
      }, 90_000);

      test('two processes, the leader ends in good order, the next is killed -> work goes on each time', async () => {
        const { stage } = suite;
        const namespace = await stage.namespace();
        const hand = handOf(stage.client, namespace);
        const becomesProtected = async (name: string): Promise<void> => {
          await hand.createClaim(name);
          await eventually(`${name} is protected`, async () =>
            (await hand.finalizersOf(name)).includes(protection),
          );
        };
        const candidate = (): AppProcess =>
          suite.start(
            '--leader-elect',
            `--leader-elect-resource-namespace=${namespace}`,
            // A process that a busy machine holds up for five seconds loses it.
            '--leader-elect-lease-duration=6s',
            '--leader-elect-renew-deadline=5s',
            '--leader-elect-retry-period=500ms',
          );
        const leads = (process: AppProcess): boolean => process.stderr().includes('Became leader');
        const first = candidate();
        await eventually('the first leads', () => leads(first));
        const second = candidate();
        await becomesProtected('one');

        expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
        await eventually('the second leads', () => leads(second));
        await becomesProtected('two');

        await second.end('SIGKILL');
        const third = candidate();
        await becomesProtected('three');
        expect(await third.end('SIGTERM')).toEqual({ code: 0, signal: null });
      }, 60_000);
    },
  );
}
