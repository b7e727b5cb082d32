import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import type { Fault } from '@holdfast/testing';
import { both, databases, kind, openDatabases } from './databases.ts';
import { ours } from './faulty-app.ts';
import { judged } from './stage.ts';

const notServed: Fault = {
  kind: 'status',
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
};
const forbidden: Fault = {
  kind: 'status',
  code: 403,
  reason: 'Forbidden',
  message: 'databases is forbidden',
};

/** By kind, as the metrics have it. */
async function followed({ registry }: StagedController): Promise<Readonly<Record<string, number>>> {
  const metric = await registry.getSingleMetric('statefulset_pvc_retention_workload_kind_followed')?.get();
  return Object.fromEntries(
    (metric?.values ?? []).map(({ labels, value }) => [String(labels['kind']), value]),
  );
}

describe.each([
  { why: 'is not served', fault: notServed },
  { why: 'is forbidden', fault: forbidden },
])('a kind of --workloads $why', ({ fault }) => {
  test.concurrent(
    'S6: at the start -> the other kind is worked on, and this one once it is there',
    async () => {
      await using opened = await openDatabases();
      const { plan, hand, hide, start, createDatabase } = opened;
      hide(fault);
      await createDatabase('db', 1);
      await hand.createClaim('data-db-0');
      const controller = await start();
      await hand.createSet({ replicas: 1, policy: both });
      await hand.createClaim('data-web-0');
      await hand.owned('data-web-0', 'StatefulSet web*');
      expect(await hand.ownersOf('data-db-0')).toStrictEqual([]);
      expect(await followed(controller)).toEqual({ 'apps/v1/StatefulSet': 1, 'example.com/v1/Database': 0 });
      plan.clear();
      await hand.owned('data-db-0', 'Database db*');
      expect(await followed(controller)).toEqual({ 'apps/v1/StatefulSet': 1, 'example.com/v1/Database': 1 });
    },
    120_000,
  );

  test.concurrent(
    'S6: from some time on -> what it owns and what is marked stays so, through a restart of the controller too',
    async () => {
      await using opened = await openDatabases();
      const { plan, stage, hand, hide, start, triedInVain, createDatabase } = opened;
      await createDatabase('db', 1, { 'holdfast.dev/scale-down-grace': '24h' });
      await hand.createClaim('data-db-0');
      const first = await start();
      await hand.owned('data-db-0', 'Database db*');
      const uid = (await stage.client.get(databases, { namespace: hand.namespace, name: 'db' })).metadata.uid;
      const owner = { apiVersion: 'example.com/v1', kind: 'Database', name: 'db', uid, controller: true };
      // Condemned, and seen to be the database's.
      const { metadata } = await hand.createClaim('data-db-1', [owner]);
      const deleteAfter = new Date(Date.parse(metadata.creationTimestamp ?? '') + 3_600_000).toISOString();
      await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'data-db-1' }, [
        {
          op: 'add',
          path: '/metadata/annotations',
          value: {
            'holdfast.dev/delete-after': deleteAfter,
            'holdfast.dev/delete-after-uid': metadata.uid,
            'holdfast.dev/delete-after-scale-down': `Database.example.com/db/${uid}/${metadata.uid}`,
          },
        },
      ]);
      await judged(hand);
      expect(await hand.markOf('data-db-1')).toBe(deleteAfter);
      hide(fault);
      await triedInVain();
      await judged(hand);
      await first.stop();
      await start();
      await triedInVain();
      await judged(hand);
      expect(await hand.ownersOf('data-db-0')).toEqual(['Database db*']);
      expect(await hand.ownersOf('data-db-1')).toEqual(['Database db*']);
      expect(await hand.markOf('data-db-1')).toBe(deleteAfter);
      plan.clear();
      await hand.createClaim('data-db-2', [owner]);
      await judged(hand);
      expect(await hand.markOf('data-db-1')).toBe(deleteAfter);
    },
    120_000,
  );

  test.concurrent(
    'S6: at the start -> claims that one of it left, tied or due, stay so until it is there',
    async () => {
      await using opened = await openDatabases();
      const { plan, hand, hide, start, triedInVain, createLeft } = opened;
      hide(fault);
      const due = await createLeft('data-db-0', 'due');
      const tied = await createLeft('data-db-1', 'tied');
      await start();
      await triedInVain();
      await judged(hand);
      expect(await hand.findClaim('data-db-0')).toEqual(due);
      expect(await hand.findClaim('data-db-1')).toEqual(tied);
      plan.clear();
      await hand.gone('data-db-0');
      expect(await hand.findClaim('data-db-1')).toEqual(tied);
    },
    120_000,
  );

  test.concurrent(
    'S6: which the watch has not shown yet -> a claim that is due is kept until it is there',
    async () => {
      await using opened = await openDatabases();
      const { plan, hand, start, createLeft } = opened;
      const controller = await start();
      await eventually('databases are followed', async () => (await followed(controller))[kind] === 1);
      for (const verb of ['get', 'list'] as const) {
        plan.on({ ...ours, verb, resource: 'databases' }, fault);
      }
      const due = await createLeft('data-db-0', 'due');
      await eventually('the database is looked for in vain', () => plan.injected.length >= 3);
      expect(await hand.findClaim('data-db-0')).toEqual(due);
      plan.clear();
      await hand.gone('data-db-0');
    },
    120_000,
  );

  test.concurrent(
    'S6: gate DeletionGracePeriod off by then -> a tie stays until the kind is there',
    async () => {
      await using opened = await openDatabases();
      const { plan, hand, hide, start, triedInVain, createLeft } = opened;
      hide(fault);
      const tied = await createLeft('data-db-0', 'tied');
      await start('');
      await triedInVain();
      await judged(hand);
      expect(await hand.findClaim('data-db-0')).toEqual(tied);
      plan.clear();
      await eventually(
        'it is untied',
        async () => (await hand.findClaim('data-db-0'))?.metadata.annotations === undefined,
      );
    },
    120_000,
  );
});
