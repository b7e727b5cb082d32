import { describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { databases, openDatabases } from './databases.ts';
import { ours } from './faulty-app.ts';
import { atRest, judged } from './stage.ts';

const forUndo = { 'holdfast.dev/set-deletion-grace': '1h' };

/** A set that turns into what the caches leave out; nothing checks a custom resource whose definition has no schema. */
async function openUnreadable() {
  const scene = await openDatabases();
  const { stage, hand, createDatabase } = scene;
  const ref = { namespace: hand.namespace, name: 'db' };
  return {
    ...scene,
    ref,
    createTied: async () => {
      await createDatabase('db', 1, forUndo);
      await hand.createClaim('data-db-0');
      await eventually('the claim is tied', async () => {
        const claim = await hand.findClaim('data-db-0');
        return claim?.metadata.annotations?.['holdfast.dev/deleted-with'] !== undefined;
      });
      return hand.findClaim('data-db-0');
    },
    makeUnreadable: () =>
      stage.client.patch(databases, ref, [
        { op: 'replace', path: '/spec/volumeClaimTemplates', value: 'no list' },
      ]),
  };
}

describe('set that can not be read any more', () => {
  test('S2: its claim is tied -> neither marked nor untied, also once the set is deleted', async () => {
    const { stage, hand, ref, start, createTied, makeUnreadable } = await openUnreadable();
    await start();
    const tied = await createTied();
    await makeUnreadable();
    await judged(hand);
    await atRest(stage);
    expect(await hand.findClaim('data-db-0')).toEqual(tied);
    await stage.client.delete(databases, ref, { propagationPolicy: 'Background' });
    await judged(hand);
    await atRest(stage);
    expect(await hand.findClaim('data-db-0')).toEqual(tied);
  }, 60_000);

  test('S2: missing in a list after the watch broke off -> its claim is not marked', async () => {
    const { plan, stage, hand, hide, ref, start, createDatabase, createTied, triedInVain } =
      await openUnreadable();
    await start();
    const tied = await createTied();
    hide({ kind: 'status', code: 410, reason: 'Expired', message: 'too old resource version' });
    await triedInVain();
    await stage.client.delete(databases, ref, { propagationPolicy: 'Orphan' });
    await eventually('it is gone', async () => (await stage.find(databases, ref)) === undefined);
    await createDatabase('other', 1);
    await hand.createClaim('data-other-0');
    plan.clear();
    await hand.owned('data-other-0', 'Database other*');
    await judged(hand);
    await atRest(stage);
    expect(await hand.findClaim('data-db-0')).toEqual(tied);
  }, 60_000);

  test('S2: its claim is marked with it and due -> kept', async () => {
    const { plan, hand, start, createDatabase, createLeft, makeUnreadable } = await openUnreadable();
    await createDatabase('db', 1, forUndo);
    await makeUnreadable();
    const due = await createLeft('data-db-0', 'due');
    plan.on({ ...ours, verb: ['get', 'list'], resource: 'databases' }, { kind: 'delay', milliseconds: 0 });
    await start();
    await eventually('the set is looked for twice', () => plan.injected.length >= 2);
    expect(await hand.findClaim('data-db-0')).toEqual(due);
  }, 60_000);
});
