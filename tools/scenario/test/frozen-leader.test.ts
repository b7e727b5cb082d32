import { describe, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { expectNoWrite, useLeaders } from './frozen-leader.ts';

const { client, placeOf, hold, lead } = useLeaders();

describe('leader that was frozen beyond its lease', () => {
  test.concurrent(
    'pvc-protection: a claim is made meanwhile -> not protected by it',
    async () => {
      const { namespace, createClaim, finalizersOf } = await placeOf();
      await createClaim('first');
      await using leader = await lead('pvc-protection', namespace);
      await eventually('it works', async () => (await finalizersOf('first')).length > 0);
      await leader.freeze();
      await createClaim('second');
      await expectNoWrite(leader);
    },
    60_000,
  );

  test.concurrent(
    'pvc-protection: the look that shows a claim unused is answered meanwhile -> not released by it',
    async () => {
      const { namespace, createClaim, finalizersOf } = await placeOf();
      await createClaim('data');
      await using leader = await lead('pvc-protection', namespace);
      await eventually('it works', async () => (await finalizersOf('data')).length > 0);
      const look = hold({ verb: 'list', resource: 'pods', namespace });
      await client().delete(persistentVolumeClaims, { namespace, name: 'data' });
      await eventually('the look is under way', () => look.held() > 0);
      await leader.freeze();
      look.release();
      await expectNoWrite(leader);
    },
    60_000,
  );
});
