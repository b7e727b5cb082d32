import { expect, test } from '@jest/globals';
import type { KubernetesObject } from '@holdfast/core';
import { databases, openDatabases } from './databases.ts';
import { collected } from './stage.ts';

/** A database, a claim of its template that it controls, and the hand of a user who changes its templates. */
async function openScene(name = 'db') {
  const scene = await openDatabases();
  const { stage, hand, start, createDatabase } = scene;
  const first = await start();
  await createDatabase(name, 1);
  const { metadata } = await hand.createClaim(`data-${name}-0`);
  await hand.owned(`data-${name}-0`, `Database ${name}*`);
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
  return { ...scene, first, setTemplates, deleteDatabase, uid: metadata.uid };
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
