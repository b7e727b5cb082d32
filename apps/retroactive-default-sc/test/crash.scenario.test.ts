import { expect, test } from '@jest/globals';
import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { eventually, testProcess } from '@holdfast/scenario';
import { handOf, openStage } from './stage.ts';

const count = 120;

testProcess(
  'retroactive-default-sc killed in the middle of its work',
  {
    app: 'retroactive-default-sc',
    controlPlane: { disableAdmissionPlugins: ['DefaultStorageClass'] },
    openStage,
  },
  (suite) => {
    test('kill -9, and another default by then -> the next process serves the rest, and changes none', async () => {
      const { stage } = suite;
      const namespace = await stage.namespace();
      const hand = handOf(stage.client, namespace);
      const claims = async (): Promise<readonly PersistentVolumeClaim[]> =>
        (await stage.client.list(persistentVolumeClaims, { namespace })).items;
      const having = (className: string, all: readonly PersistentVolumeClaim[]): readonly string[] =>
        all.filter(({ spec }) => spec?.storageClassName === className).map(({ metadata }) => metadata.name);
      const names = Array.from({ length: count }, (_, index) => `data-${String(index)}`);
      await Promise.all(names.map((name) => hand.createClaim(name)));
      await hand.createClass('gold');

      await suite.killWhen('some have a class', async () => having('gold', await claims()).length >= 10);
      const first = having('gold', await claims());
      expect(first.length).toBeLessThan(count);
      await hand.deleteClass('gold');
      await hand.createClass('silver');

      const next = suite.start();
      await eventually('all have a class', async () =>
        (await claims()).every(({ spec }) => spec?.storageClassName !== undefined),
      );
      const all = await claims();
      expect(having('gold', all)).toEqual(first);
      expect(having('silver', all)).toHaveLength(count - first.length);
      expect(await next.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }, 90_000);

    test('--dry-run -> logs what it would do, marked, and nothing is stored', async () => {
      const hand = handOf(suite.stage.client, await suite.stage.namespace());
      await hand.deleteAllClasses();
      await hand.createClass('gold');
      const { metadata } = await hand.createClaim('data');
      const process = suite.start('--dry-run');
      const logged = (): string | undefined =>
        process
          .stderr()
          .split('\n')
          .find((line) => line.includes('Storage class assigned') && line.includes(metadata.namespace ?? ''));
      await eventually('it logs what it would do', () => logged() !== undefined);
      expect(logged()).toContain('"dryRun":true');
      expect(await hand.classOf('data')).toBeUndefined();
      await process.end('SIGTERM');
    }, 60_000);
  },
);
