import { expect, test } from '@jest/globals';
import { useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'CollectMissedScaleDown=true' },
  standIns: stockControllers,
});

/** KEP-1847, story 2: the set is deleted for a while, and made again over its claims. */
const onScaleDown: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };
const claims = ['data-web-0', 'data-web-1', 'data-web-2'];

test('S7: gate CollectMissedScaleDown, set deleted and made anew with fewer replicas -> its claims are kept, and used when it is scaled up', async () => {
  const { hand, start } = await open();
  await start();
  await hand.createSet({ replicas: 3, policy: onScaleDown });
  await hand.running('web-0', 'web-1', 'web-2');
  const data = await Promise.all(claims.map((name) => hand.dataOf(name)));
  await hand.deleteSet('Background');
  await hand.setGone();
  await hand.running();
  await hand.createSet({ replicas: 1, policy: onScaleDown });
  await hand.running('web-0');
  await settled(hand);
  await hand.scale(3);
  await hand.running('web-0', 'web-1', 'web-2');
  expect(await Promise.all(claims.map((name) => hand.dataOf(name)))).toEqual(data);
}, 60_000);
