import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { useFaultScenes } from '@holdfast/scenario';
import { faultyApp } from './faulty-app.ts';
import { judged, type Policy } from './stage.ts';

const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };

/** Declares the test of a cluster in which there is nothing to do. */
export function testSettledSets(count: number): void {
  const open = useFaultScenes(faultyApp);

  test(`${String(count)} settled sets of 3, controller started and watches cut -> not one write, nor a live look`, async () => {
    const { plane, stage, namespace, hand, start, requests } = await open();
    for (let index = 0; index < count; index++) {
      const name = `set-${String(index)}`;
      const { uid } = (await hand.createSet({ name, replicas: 3, policy: both })).metadata;
      const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
      for (const ordinal of ['0', '1', '2']) {
        await hand.createClaim(`data-${name}-${ordinal}`, [owner]);
      }
    }
    plane.apiServer.requests.clear();
    await start();
    await judged(hand);
    plane.apiServer.cutWatches();
    await judged(hand);
    const made = requests().filter(
      ({ verb, resource }) => !['list', 'watch'].includes(verb) && resource !== 'events',
    );
    expect(made.filter(({ name }) => !name.includes('marker-'))).toStrictEqual([]);
    expect(made.length).toBeGreaterThan(0);
    const { items } = await stage.client.list(persistentVolumeClaims, { namespace });
    expect(items.filter(({ metadata }) => metadata.name.startsWith('data-set-'))).toHaveLength(3 * count);
  }, 120_000);
}
