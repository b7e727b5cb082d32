import { expect, test } from '@jest/globals';
import { statefulSets } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { settled, type Hand, type Policy } from './stage.ts';

const window = 'holdfast.dev/scale-down-grace';
const besideStock = { ...faultyApp, standIns: stockControllers };
const openWithGate = useFaultScenes({
  ...besideStock,
  options: { featureGates: 'DeletionGracePeriod=true' },
});
const openWithout = useFaultScenes(besideStock);
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };

async function scaledDown(hand: Hand, value: string): Promise<string | undefined> {
  await hand.createSet({ policy, annotations: { [window]: value } });
  await hand.running('web-0', 'web-1');
  const data = await hand.dataOf('data-web-1');
  await hand.scale(1);
  await hand.running('web-0');
  await settled(hand);
  return data;
}

test.each([
  { value: '1d', open: openWithGate, gate: 'on' },
  { value: '30min', open: openWithGate, gate: 'on' },
  { value: '0s', open: openWithGate, gate: 'on' },
  { value: '87600000h', open: openWithGate, gate: 'on' },
  { value: '99999999999h', open: openWithGate, gate: 'on' },
  { value: '', open: openWithGate, gate: 'on' },
  { value: '1h', open: openWithout, gate: 'off' },
])(
  'S3: window "$value", gate $gate, scaled down -> kept, an Event on the set names the value',
  async ({ value, open }) => {
    const { hand, namespace, stage, start } = await open();
    await start();
    const data = await scaledDown(hand, value);
    expect(await hand.dataOf('data-web-1')).toBe(data);
    expect(await hand.ownersOf('data-web-1')).toStrictEqual([]);
    await eventually('an Event on the set names the value', async () =>
      (await stage.eventsOn(namespace)).some(
        ({ type, reason, note, regarding }) =>
          type === 'Warning' &&
          reason === 'UndoWindowUnusable' &&
          note?.includes(value) === true &&
          regarding?.kind === 'StatefulSet',
      ),
    );
  },
  60_000,
);

test('S3: window that could not be read is taken away after the scale-down -> what it kept stays', async () => {
  const { hand, namespace, stage, start } = await openWithGate();
  await start();
  const data = await scaledDown(hand, '1d');
  await stage.client.patch(statefulSets, { namespace, name: 'web' }, [
    { op: 'remove', path: `/metadata/annotations/${window.replace('/', '~1')}` },
  ]);
  await settled(hand);
  expect(await hand.dataOf('data-web-1')).toBe(data);
}, 60_000);
