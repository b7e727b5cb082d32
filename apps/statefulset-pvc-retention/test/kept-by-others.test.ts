import { expect, test } from '@jest/globals';
import { eventsV1 } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

const open = useFaultScenes({ ...faultyApp, standIns: stockControllers });
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };

test('scaled down, another owner keeps the claim, and the garbage collector takes away the reference to the pod -> not written again, an Event says so', async () => {
  const { hand, namespace, plane, stage, start } = await open();
  await start();
  const { metadata } = await hand.createSet({ name: 'keeper', replicas: 0 });
  const keeper = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'keeper', uid: metadata.uid };
  const claim = await hand.createClaim('data-web-1', [keeper]);
  await hand.createSet({ policy });
  await hand.running('web-0', 'web-1');
  await hand.scale(1);
  await hand.running('web-0');
  const writes = (): number =>
    plane.apiServer.requests.all.filter(
      ({ verb, resource, name }) =>
        verb === 'patch' && resource === 'persistentvolumeclaims' && name === claim.metadata.name,
    ).length;
  await hand.owned('data-web-1', 'StatefulSet keeper');
  await settled(hand);
  const before = writes();
  await settled(hand);
  expect(writes() - before).toBe(0);
  expect(await hand.ownersOf('data-web-1')).toEqual(['StatefulSet keeper']);
  await eventually('an Event says so', async () => {
    const { items } = await stage.client.list(eventsV1, { namespace });
    return items.some(({ reason, regarding }) => reason === 'ClaimKept' && regarding?.name === 'data-web-1');
  });
}, 60_000);
