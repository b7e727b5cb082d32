import { expect } from '@jest/globals';
import { eventually, madeBy, testFaultStories, useFaultScenes } from '@holdfast/scenario';
import { faultyApp } from './faulty-app.ts';
import { settled, type Hand } from './stage.ts';

/** Claims wait for a default; it comes, moves to another class, and each claim keeps what it got. */
async function playStory(hand: Hand, between: () => void): Promise<void> {
  const has = (name: string, className: string): Promise<void> =>
    eventually(`${name} has ${className}`, async () => (await hand.classOf(name)) === className);
  await hand.createClaim('one');
  await hand.createClaim('empty', { className: '' });
  between();
  await hand.createClass('gold');
  await has('one', 'gold');
  between();
  await hand.mark('gold', 'false');
  await hand.createClaim('two');
  between();
  await hand.createClass('silver');
  await has('two', 'silver');
  expect(await hand.classOf('one')).toBe('gold');
  expect(await hand.classOf('empty')).toBe('');
}

/** Declares the story of this app under these faults. */
export function testStoryUnder(faults: 'of requests' | 'of watches'): void {
  const open = useFaultScenes(faultyApp);
  testFaultStories({
    faults,
    open,
    app: faultyApp.name,
    liveRead: { verb: 'list', resource: 'storageclasses' },
    more: [
      {
        name: 'dry run at start answered 500',
        rules: [
          {
            match: madeBy('rehearsal'),
            fault: { kind: 'status', code: 500 },
            schedule: { times: 1 },
          },
        ],
      },
      {
        name: 'dry run at start cut off',
        rules: [
          {
            match: madeBy('rehearsal'),
            fault: { kind: 'reset', when: 'before' },
            schedule: { times: 1 },
          },
        ],
      },
    ],
    settle: async ({ hand }) => {
      await hand.createClass('early');
      await settled(hand);
      await hand.deleteClass('early');
    },
    play: ({ hand }, between) => playStory(hand, between),
  });
}
