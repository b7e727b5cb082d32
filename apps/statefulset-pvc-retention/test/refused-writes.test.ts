import { expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { faultyApp, ours } from './faulty-app.ts';
import { type Policy } from './stage.ts';

const open = useFaultScenes(faultyApp);
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
const writes = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;

test.each([
  { name: 'for want of permission', code: 403, reason: 'Forbidden', message: 'claims is forbidden' },
  { name: 'by a policy', code: 422, reason: 'Invalid', message: 'ValidatingAdmissionPolicy denied request' },
  { name: 'by a webhook', code: 400, reason: 'BadRequest', message: 'admission webhook denied the request' },
])(
  'writes to claims of 12 sets are refused $name -> no worker waits, a claim of the same namespace gets its owner',
  async ({ code, reason, message }) => {
    const { plan, start, hand } = await open();
    for (let set = 0; set < 12; set++) {
      const name = `set-${String(set)}`;
      await hand.createSet({ name, replicas: 1, policy });
      await hand.createClaim(`data-${name}-0`);
      plan.on({ ...writes, name: `data-${name}-0` }, { kind: 'status', code, reason, message });
    }
    // Time stands still: nothing is tried again.
    await start({ clock: createFakeClock() });
    await eventually('all are refused', () => plan.injected.length >= 12);
    await hand.createSet({ replicas: 1, policy });
    await hand.createClaim('data-web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
    expect(plan.injected.length).toBe(12);
  },
  60_000,
);

test("one of a set's claims is not confirmed at the first tries -> the others are not written again for it", async () => {
  const { plan, hand, start, requests } = await open();
  await hand.createSet({ replicas: 3, policy });
  for (const ordinal of ['0', '1', '2']) {
    await hand.createClaim(`data-web-${ordinal}`);
  }
  plan.on({ ...writes, name: 'data-web-1' }, { kind: 'status', code: 500 }, { nth: [2, 3, 4] });
  await start();
  for (const ordinal of ['0', '1', '2']) {
    await hand.owned(`data-web-${ordinal}`, 'StatefulSet web*');
  }
  const written = requests().filter(({ verb }) => verb === 'patch');
  expect(written.map(({ name }) => name).sort()).toEqual(
    [0, 0, 1, 1, 1, 1, 1, 2, 2].map((ordinal) => `data-web-${String(ordinal)}`),
  );
}, 60_000);
