import { describe, expect, test } from '@jest/globals';
import type { Fault } from '@holdfast/testing';
import { openDatabases } from './databases.ts';
import { judged } from './stage.ts';

const gone = 'StatefulSet.apps/web/uid-of-web';
const forbidden: Fault = {
  kind: 'status',
  code: 403,
  reason: 'Forbidden',
  message: 'databases is forbidden',
};

describe('claim that is due, whose set was deleted and made again as another kind', () => {
  test('R3: which can not be read -> kept, and its mark cleared once it can', async () => {
    const { plan, hand, hide, start, triedInVain, createLeft, createDatabase } = await openDatabases();
    hide(forbidden);
    const due = await createLeft('data-web-0', 'due', gone);
    await createDatabase('web', 0);
    await start();
    await triedInVain();
    await judged(hand);
    expect(await hand.findClaim('data-web-0')).toEqual(due);
    plan.clear();
    await hand.unmarked('data-web-0');
    expect(await hand.dataOf('data-web-0')).toBe(due.metadata.uid);
  }, 60_000);

  test.each([
    { name: 'under its name', set: 'web', database: 'web', template: 'data' },
    {
      name: 'under another name, with claims of the same',
      set: 'web-b',
      database: 'b',
      template: 'data-web',
    },
  ])(
    'R3: $name, which the watch has not shown -> kept, and its mark cleared',
    async ({ set, database, template }) => {
      const { hand, start, stall, createLeft, createDatabase } = await openDatabases();
      await start();
      await createDatabase('followed', 1);
      await hand.createClaim('data-followed-0');
      await hand.owned('data-followed-0', 'Database followed*');
      await stall();
      await createDatabase(database, 0, {}, template);
      const claim = `data-${set}-0`;
      const { metadata } = await createLeft(claim, 'due', `StatefulSet.apps/${set}/uid-of-set`);
      await hand.unmarked(claim);
      expect(await hand.dataOf(claim)).toBe(metadata.uid);
    },
    60_000,
  );
});
