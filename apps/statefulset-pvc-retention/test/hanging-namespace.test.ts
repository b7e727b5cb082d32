import { test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { eventually, useFaultScenes, useHangingWrites } from '@holdfast/scenario';
import { faultyApp, ours } from './faulty-app.ts';
import { type Policy } from './stage.ts';

const hangWrites = useHangingWrites();
const open = useFaultScenes(faultyApp);
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

test.each([
  { sets: 12, replicas: 1 },
  { sets: 1, replicas: 40 },
  { sets: 12, replicas: 4 },
])(
  'writes of a namespace with $sets sets of $replicas claims hang -> a claim of another gets its owner',
  async ({ sets, replicas }) => {
    const { plan, stage, handOf, start, hand } = await open();
    const slow = await stage.namespace();
    const slowHand = handOf(slow);
    const writes = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;
    const hanging = hangWrites(plan, { ...writes, namespace: slow });
    for (let set = 0; set < sets; set++) {
      const name = `set-${String(set)}`;
      await slowHand.createSet({ name, replicas, policy });
      for (let ordinal = 0; ordinal < replicas; ordinal++) {
        await slowHand.createClaim(`data-${name}-${String(ordinal)}`);
      }
    }
    // By the machine's time, of which a reconcile that hangs has a minute.
    await start({ clock: systemClock });
    const most = Math.min(10 * replicas, sets * replicas, 32);
    await eventually('as many writes hang as one namespace may have', () => hanging.count === most);
    await hand.createSet({ replicas: 1, policy });
    await hand.createClaim('data-web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
  },
);
