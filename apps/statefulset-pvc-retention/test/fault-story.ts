import { expect } from '@jest/globals';
import { testFaultStories, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { settled, type Hand, type Policy } from './stage.ts';

const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };

/** Owned, scaled down: one goes; up again: a new one; turned to Retain and the set deleted: they stay. */
async function playStory(hand: Hand, between: () => void): Promise<void> {
  await hand.createSet({ replicas: 2, policy: both });
  await hand.running('web-0', 'web-1');
  await hand.owned('data-web-0', 'StatefulSet web*');
  await hand.owned('data-web-1', 'StatefulSet web*');
  const first = await hand.dataOf('data-web-0');
  between();
  await hand.scale(1);
  await hand.gone('data-web-1');
  between();
  await hand.scale(2);
  await hand.running('web-0', 'web-1');
  await hand.owned('data-web-1', 'StatefulSet web*');
  const second = await hand.dataOf('data-web-1');
  between();
  await hand.setPolicy({ whenDeleted: 'Retain', whenScaled: 'Retain' });
  await hand.owned('data-web-0');
  await hand.owned('data-web-1');
  await hand.deleteSet('Background');
  await hand.running();
  await settled(hand);
  expect([await hand.dataOf('data-web-0'), await hand.dataOf('data-web-1')]).toEqual([first, second]);
}

/** Declares the story of this app under these faults. */
export function testStoryUnder(faults: 'of requests' | 'of watches'): void {
  const open = useFaultScenes({ ...faultyApp, standIns: stockControllers });
  testFaultStories({
    faults,
    open,
    app: faultyApp.name,
    liveRead: { verb: 'get', resource: 'statefulsets' },
    settle: ({ hand }) => settled(hand),
    play: ({ hand }, between) => playStory(hand, between),
  });
}
