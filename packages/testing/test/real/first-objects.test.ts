import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { firstObjects, type FirstObjects } from '../../src/real/first-objects.ts';
import { temporaryFolders } from './temporary-folder.ts';

const temporaryFolder = temporaryFolders();
const segment = join('etcd', 'member', 'wal', '0000000000000000-0000000000000000.wal');

async function binaries(): Promise<string> {
  const folder = await temporaryFolder();
  await Promise.all(['etcd', 'kube-apiserver'].map((name) => writeFile(join(folder, name), name)));
  return folder;
}

async function keptIn(
  store: string,
  programs: string,
  featureGates: Readonly<Record<string, boolean>> = {},
): Promise<FirstObjects> {
  const objects = await firstObjects(programs, featureGates, { HOLDFAST_FIRST_OBJECTS: store });
  if (objects === undefined) {
    throw new Error('HOLDFAST_FIRST_OBJECTS is set, and no objects were returned');
  }
  return objects;
}

/** Returns the folder of a control plane whose etcd has written this. */
async function readyPlane(written: string): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'etcd', 'member', 'wal'), { recursive: true });
  await writeFile(join(folder, segment), written);
  return folder;
}

/** Returns what the etcd of a new control plane finds; undefined for nothing. */
async function foundBy(objects: FirstObjects): Promise<string | undefined> {
  const folder = await temporaryFolder();
  await objects.putInto(folder);
  return readFile(join(folder, segment), 'utf8').catch(() => undefined);
}

test('HOLDFAST_FIRST_OBJECTS not set, or empty -> nothing is kept', async () => {
  expect(await firstObjects(await binaries(), {}, {})).toBeUndefined();
  expect(await firstObjects(await binaries(), {}, { HOLDFAST_FIRST_OBJECTS: '' })).toBeUndefined();
});

test('HOLDFAST_FIRST_OBJECTS is a relative path -> an error that says so', async () => {
  await expect(firstObjects(await binaries(), {}, { HOLDFAST_FIRST_OBJECTS: 'kept' })).rejects.toThrow(
    'HOLDFAST_FIRST_OBJECTS is "kept", a relative path: give an absolute one',
  );
});

test('nothing kept yet -> etcd begins empty', async () => {
  expect(await foundBy(await keptIn(await temporaryFolder(), await binaries()))).toBeUndefined();
});

test('the folder does not exist yet -> it is made, and the next etcd finds what was kept', async () => {
  const objects = await keptIn(join(await temporaryFolder(), 'deep', 'down'), await binaries());
  await objects.keepFrom(await readyPlane('roles'));
  expect(await foundBy(objects)).toBe('roles');
});

test('kept already -> the first stay', async () => {
  const objects = await keptIn(await temporaryFolder(), await binaries());
  await objects.keepFrom(await readyPlane('roles'));
  await objects.keepFrom(await readyPlane('roles and more'));
  expect(await foundBy(objects)).toBe('roles');
});

test('twenty keep them at once -> whole ones are kept once, and no copy is left beside them', async () => {
  const store = await temporaryFolder();
  const objects = await keptIn(store, await binaries());
  const planes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => readyPlane(String(index % 10).repeat(100_000))),
  );
  await Promise.all(planes.map((plane) => objects.keepFrom(plane)));
  expect(await foundBy(objects)).toMatch(/^(\d)\1{99999}$/);
  expect(await readdir(store)).toHaveLength(1);
});

test('etcd writes all the time -> nothing, or the log as it was between two writes', async () => {
  const objects = await keptIn(await temporaryFolder(), await binaries());
  const plane = await readyPlane('.'.repeat(1_000_000));
  const log = await open(join(plane, segment), 'r+');
  let isKept = false as boolean;
  const keeping = objects.keepFrom(plane).finally(() => (isKept = true));
  for (let offset = 0; !isKept && offset < 1_000_000; offset += 1_000) {
    await log.write('x'.repeat(1_000), offset);
  }
  await log.close();
  await keeping;
  const found = await foundBy(objects);
  expect(found === undefined || /^(x{1000})*(\.{1000})*$/.test(found)).toBe(true);
});

test('other feature gates -> nothing of the first; the same in another order -> the first', async () => {
  const store = await temporaryFolder();
  const programs = await binaries();
  await (await keptIn(store, programs, { A: true, B: false })).keepFrom(await readyPlane('roles'));
  expect(await foundBy(await keptIn(store, programs, { A: true, B: true }))).toBeUndefined();
  expect(await foundBy(await keptIn(store, programs))).toBeUndefined();
  expect(await foundBy(await keptIn(store, programs, { B: false, A: true }))).toBe('roles');
});

test.each(['etcd', 'kube-apiserver'])('%s was built again -> nothing of the old one', async (name) => {
  const store = await temporaryFolder();
  const programs = await binaries();
  await (await keptIn(store, programs)).keepFrom(await readyPlane('roles'));
  await writeFile(join(programs, name), 'built again');
  expect(await foundBy(await keptIn(store, programs))).toBeUndefined();
});
