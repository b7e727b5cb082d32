import { expect, test } from '@jest/globals';
import { pods, type KubernetesObject } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { databases, openDatabases } from './databases.ts';
import { atRest, collected, judged } from './stage.ts';

/** The hand of a user who changes the templates of databases. */
async function openDatabaseScene() {
  const scene = await openDatabases();
  const { stage, hand } = scene;
  const setTemplates = (database: string, ...names: readonly string[]): Promise<KubernetesObject> =>
    stage.client.patch(databases, { namespace: hand.namespace, name: database }, [
      {
        op: 'replace',
        path: '/spec/volumeClaimTemplates',
        value: names.map((each) => ({ metadata: { name: each } })),
      },
    ]);
  const deleteDatabase = async (database: string): Promise<void> => {
    await stage.client.delete(databases, { namespace: hand.namespace, name: database });
    await collected(hand);
  };
  return { ...scene, setTemplates, deleteDatabase };
}

/** The same, with a database and a claim of its template that it controls. */
async function openScene(name = 'db') {
  const scene = await openDatabaseScene();
  const { hand, start, createDatabase } = scene;
  const first = await start();
  await createDatabase(name, 1);
  const { metadata } = await hand.createClaim(`data-${name}-0`);
  await hand.owned(`data-${name}-0`, `Database ${name}*`);
  return { ...scene, first, uid: metadata.uid };
}

test('template is taken away, its claim is left -> no policy counts for it, it survives the database', async () => {
  const { hand, setTemplates, deleteDatabase, uid } = await openScene();
  await setTemplates('db', 'disk');
  await hand.owned('data-db-0');
  await deleteDatabase('db');
  expect(await hand.dataOf('data-db-0')).toBe(uid);
}, 60_000);

test('the same while none of ours runs -> likewise', async () => {
  const { hand, first, start, setTemplates, deleteDatabase, uid } = await openScene();
  await first.abandon();
  await setTemplates('db', 'disk');
  await start();
  await hand.owned('data-db-0');
  await deleteDatabase('db');
  expect(await hand.dataOf('data-db-0')).toBe(uid);
}, 60_000);

test('template is taken away, and another database has one that makes claims of the name -> its claim survives the first', async () => {
  const { hand, createDatabase, setTemplates, deleteDatabase, uid } = await openScene('x-db');
  await setTemplates('x-db', 'disk');
  await createDatabase('db', 1, {}, 'data-x');
  await hand.owned('data-x-db-0', 'Database db*');
  await deleteDatabase('x-db');
  expect(await hand.dataOf('data-x-db-0')).toBe(uid);
}, 60_000);

test('a second database gets a template that makes claims of the name, and loses it -> the reference goes, and comes again', async () => {
  const { hand, createDatabase, setTemplates } = await openScene('x-db');
  await createDatabase('db', 1);
  await setTemplates('db', 'data', 'data-x');
  await hand.owned('data-x-db-0');
  await setTemplates('db', 'data');
  await hand.owned('data-x-db-0', 'Database x-db*');
}, 60_000);

test('template is taken away in the middle of a scale-down -> the claim survives the pod', async () => {
  const { stage, hand, start, createDatabase, setTemplates } = await openDatabaseScene();
  await start();
  const { uid } = (await createDatabase('db', 0)).metadata;
  const controller = { apiVersion: 'example.com/v1', kind: 'Database', name: 'db', uid, controller: true };
  await stage.client.create(pods, hand.namespace, {
    metadata: { name: 'db-0', ownerReferences: [controller] },
    spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
  });
  const { metadata } = await hand.createClaim('data-db-0');
  await hand.owned('data-db-0', 'Pod db-0*');
  await setTemplates('db', 'disk');
  await hand.owned('data-db-0');
  await hand.deletePod('db-0', 0);
  await collected(hand);
  expect(await hand.dataOf('data-db-0')).toBe(metadata.uid);
}, 60_000);

test('template is taken away, its claim is tied -> untied, and not marked when the database is deleted', async () => {
  const { stage, hand, start, createDatabase, setTemplates, deleteDatabase } = await openDatabaseScene();
  await start();
  await createDatabase('db', 1, { 'holdfast.dev/set-deletion-grace': '1h' });
  await hand.createClaim('data-db-0');
  await hand.tied('data-db-0');
  await setTemplates('db', 'disk');
  await eventually('it is tied no more', async () => {
    const claim = await hand.findClaim('data-db-0');
    return claim?.metadata.annotations?.['holdfast.dev/deleted-with'] === undefined;
  });
  await deleteDatabase('db');
  await judged(hand);
  await atRest(stage);
  expect(await hand.markOf('data-db-0')).toBeUndefined();
}, 60_000);
