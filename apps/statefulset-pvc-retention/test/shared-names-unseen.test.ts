import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { both, openDatabases } from './databases.ts';
import { atRest, judged } from './stage.ts';

/**
 * A set whose claim is to be deleted, and a database of another name that makes claims of the same, which the watch
 * does not show.
 */
async function openScene(annotations: Readonly<Record<string, string>>) {
  const scene = await openDatabases();
  const { hand, start, stall, createDatabase } = scene;
  await start('DeletionGracePeriod=true,CollectMissedScaleDown=true');
  await createDatabase('followed', 1);
  await hand.createClaim('data-followed-0');
  await hand.owned('data-followed-0', 'Database followed*');
  const { metadata } = await hand.createSet({
    name: 'a-b',
    templates: ['c'],
    replicas: 0,
    policy: both,
    annotations,
  });
  await stall();
  await createDatabase('b', 1, {}, 'c-a');
  return { ...scene, set: metadata.uid };
}

test('R3: window of a scaled-down claim is over -> kept', async () => {
  const { stage, hand, set } = await openScene({ 'holdfast.dev/scale-down-grace': '1h' });
  const { metadata } = await hand.createClaim('c-a-b-0');
  await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'c-a-b-0' }, [
    {
      op: 'add',
      path: '/metadata/annotations',
      value: {
        'holdfast.dev/delete-after': '2025-01-01T00:00:00Z',
        'holdfast.dev/delete-after-uid': metadata.uid,
        'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/a-b/${set}/${metadata.uid}`,
      },
    },
  ]);
  await judged(hand);
  await atRest(stage);
  expect(await hand.dataOf('c-a-b-0')).toBe(metadata.uid);
}, 60_000);

test('R3: scale-down of a claim was missed, and such are collected -> kept', async () => {
  const { stage, hand, set } = await openScene({});
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'a-b', uid: set, controller: true };
  const { metadata } = await hand.createClaim('c-a-b-0', [owner]);
  await judged(hand);
  await atRest(stage);
  expect(await hand.dataOf('c-a-b-0')).toBe(metadata.uid);
}, 60_000);
