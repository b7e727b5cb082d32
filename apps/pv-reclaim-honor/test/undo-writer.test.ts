import { beforeEach, expect, test } from '@jest/globals';
import {
  persistentVolumes,
  type JsonPatch,
  type KubernetesObject,
  type PersistentVolume,
} from '@holdfast/core';
import { systemClock, WriteUndone, type Look } from '@holdfast/runtime';
import { useSuiteStage } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { createDeletionProgress, type DeletionProgress } from '../src/deletion-progress.ts';
import type { Observation, Snapshot } from '../src/decide/snapshot.ts';
import { createSettleUndo } from '../src/settle-undo.ts';
import { createUndoWriter, type UndoWrite } from '../src/undo/undo-writer.ts';
import { openStage } from './stage.ts';

const stage = useSuiteStage({ startPlane: () => startEmbeddedControlPlane({ tls: false }), openStage });
let seen: PersistentVolume;
let counted: string[];
let told: string[];
let beingDeleted: string | undefined;
let progress: DeletionProgress;
const signal = new AbortController().signal;
const due = Date.parse('2026-01-01T12:00:00Z');
const finalizer = 'example.com/hold';

beforeEach(async () => {
  counted = [];
  told = [];
  beingDeleted = undefined;
  progress = createDeletionProgress(systemClock);
  const namespace = await stage().namespace();
  seen = await stage().client.create(persistentVolumes, undefined, {
    metadata: { name: namespace, finalizers: [finalizer], annotations: { 'example.com/other': 'stays' } },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace, name: 'data', uid: 'old', resourceVersion: '1' },
      csi: { driver: 'csi.example.com', volumeHandle: namespace },
    },
  });
});

/** @param answer of the patch, which is not sent. Default: it is sent. */
const write = (decision: UndoWrite, look?: Look, answer?: PersistentVolume) =>
  createUndoWriter({
    client:
      answer === undefined
        ? stage().client
        : {
            ...stage().client,
            patch: <T extends KubernetesObject>() => Promise.resolve(answer as unknown as T),
          },
    logger: { info: () => undefined },
    events: { record: (_resource, _object, { note }) => told.push(note) },
    metrics: { undoWrite: (operation, outcome) => counted.push(`${operation} ${outcome}`) },
    progress,
    isBeingDeleted: ({ metadata }) => metadata.name === beingDeleted,
  })(decision, { signal, ...(look === undefined ? {} : { look }) });
const now = async (): Promise<PersistentVolume> => {
  const found = await stage().find(persistentVolumes, { name: seen.metadata.name });
  if (found === undefined) {
    throw new Error('the volume is gone');
  }
  return found;
};
const change = async (patch: JsonPatch): Promise<void> => {
  await stage().client.patch(persistentVolumes, { name: seen.metadata.name }, patch);
};
const terminate = (): Promise<void> => stage().client.delete(persistentVolumes, { name: seen.metadata.name });
const boundAgain = (): Promise<void> => change([{ op: 'replace', path: '/spec/claimRef/uid', value: 'new' }]);

test('marked, then given back -> claimRef keeps namespace and name, other annotations stay', async () => {
  await write({ kind: 'mark', volume: seen, due, reason: 'Released' });
  const marked = await now();
  expect(marked.metadata.annotations).toEqual({
    'example.com/other': 'stays',
    'holdfast.dev/delete-after': '2026-01-01T12:00:00.000Z',
    'holdfast.dev/delete-after-uid': seen.metadata.uid,
    'holdfast.dev/delete-after-claim-uid': 'old',
  });
  await write({ kind: 'giveBack', volume: marked, boundUid: undefined, reason: 'AskedBack' });
  const free = await now();
  expect(free.spec?.claimRef).toMatchObject({ namespace: seen.metadata.name, name: 'data' });
  expect(free.spec?.claimRef?.uid).toBeUndefined();
  expect(free.spec?.claimRef?.resourceVersion).toBeUndefined();
  expect(free.metadata.annotations).toEqual({ 'example.com/other': 'stays' });
  expect(counted).toEqual(['mark success', 'giveBack success']);
});

test('a deletion of its storage was begun -> marked, and nobody is promised the volume', async () => {
  await change([
    {
      op: 'add',
      path: '/metadata/annotations/holdfast.dev~1deletion-begun',
      value: `${seen.metadata.uid}/old`,
    },
  ]);
  await write({ kind: 'mark', volume: seen, due, reason: 'Released' });
  expect([counted, told]).toStrictEqual([['mark conflict'], []]);
  await write({ kind: 'mark', volume: await now(), due, reason: 'Released' });
  expect(told).toStrictEqual([expect.stringContaining('no claim gets the volume back')]);
});

test.each(['mark', 'unmark', 'giveBack'] as const)(
  '%s, which admission undoes -> thrown, and counted as an error',
  async (kind) => {
    await write({ kind: 'mark', volume: seen, due, reason: 'Released' });
    const volume = kind === 'mark' ? seen : await now();
    const decisions = {
      mark: { kind: 'mark', volume, due, reason: 'Released' },
      unmark: { kind: 'unmark', volume, reason: 'GateOff' },
      giveBack: { kind: 'giveBack', volume, boundUid: undefined, reason: 'AskedBack' },
    } as const satisfies Record<string, UndoWrite>;
    const undone = write(decisions[kind], undefined, volume);
    await expect(undone).rejects.toThrow(WriteUndone);
    expect(counted.at(-1)).toBe(`${kind} error`);
  },
);

test('without annotations -> marked all the same', async () => {
  await change([{ op: 'remove', path: '/metadata/annotations' }]);
  await write({ kind: 'mark', volume: await now(), due, reason: 'Released' });
  expect(Object.keys((await now()).metadata.annotations ?? {})).toHaveLength(3);
});

test('an old mark -> replaced', async () => {
  await write({ kind: 'mark', volume: seen, due, reason: 'Released' });
  await write({ kind: 'mark', volume: await now(), due: due + 1_000, reason: 'Released' });
  expect((await now()).metadata.annotations?.['holdfast.dev/delete-after']).toBe('2026-01-01T12:00:01.000Z');
});

test.each<{ kind: UndoWrite['kind']; meanwhile: string; happens: () => Promise<void> }>([
  { kind: 'giveBack', meanwhile: 'deleted', happens: terminate },
  { kind: 'giveBack', meanwhile: 'bound again', happens: boundAgain },
  { kind: 'mark', meanwhile: 'bound again', happens: boundAgain },
  { kind: 'deleteObject', meanwhile: 'bound again', happens: boundAgain },
  {
    kind: 'deleteObject',
    meanwhile: 'given another window',
    happens: () =>
      change([{ op: 'add', path: '/metadata/annotations/holdfast.dev~1reclaim-grace', value: '1h' }]),
  },
  {
    kind: 'unmark',
    meanwhile: 'marked by another',
    happens: () =>
      change([{ op: 'replace', path: '/metadata/annotations/holdfast.dev~1delete-after', value: 'x' }]),
  },
])('$kind, $meanwhile since the look -> not written, looked at again', async ({ kind, happens }) => {
  await write({ kind: 'mark', volume: seen, due, reason: 'Released' });
  const looked = kind === 'mark' ? seen : await now();
  await happens();
  const before = await now();
  const decisions: Readonly<Record<UndoWrite['kind'], UndoWrite>> = {
    mark: { kind: 'mark', volume: looked, due, reason: 'Released' },
    unmark: { kind: 'unmark', volume: looked, reason: 'NotReleased' },
    giveBack: { kind: 'giveBack', volume: looked, boundUid: undefined, reason: 'AskedBack' },
    deleteObject: { kind: 'deleteObject', volume: looked, reason: 'WindowOver' },
  };
  expect(await write(decisions[kind])).toMatchObject({ kind: 'lookAgain' });
  expect(await now()).toEqual(before);
  expect(counted.at(-1)).toBe(`${kind} conflict`);
});

test.each<{ kind: UndoWrite['kind']; result: string }>([
  { kind: 'mark', result: 'lookAgain' },
  { kind: 'giveBack', result: 'lookAgain' },
  { kind: 'unmark', result: 'done' },
  { kind: 'deleteObject', result: 'done' },
])('its storage is being deleted -> $kind: $result', async ({ kind, result }) => {
  await write({ kind: 'mark', volume: seen, due, reason: 'Released' });
  const volume = await now();
  const decisions: Readonly<Record<UndoWrite['kind'], UndoWrite>> = {
    mark: { kind: 'mark', volume, due, reason: 'Released' },
    unmark: { kind: 'unmark', volume, reason: 'NotReleased' },
    giveBack: { kind: 'giveBack', volume, boundUid: undefined, reason: 'AskedBack' },
    deleteObject: { kind: 'deleteObject', volume, reason: 'WindowOver' },
  };
  const look = { lookedAt: systemClock.now(), maxAge: 60_000 };
  beingDeleted = volume.metadata.name;
  expect(await write(decisions[kind], look)).toMatchObject({ kind: result });
  if (result === 'lookAgain') {
    expect(await now()).toEqual(volume);
  }
});

test('its window over -> terminating, and held', async () => {
  await write({ kind: 'deleteObject', volume: seen, reason: 'WindowOver' });
  expect((await now()).metadata.deletionTimestamp).toBeDefined();
  expect((await now()).metadata.finalizers).toContain(finalizer);
});

test('X3: API server answers so slowly that the look is too old at the write -> the next look lasts twice as long, until a write is in time', async () => {
  await change([{ op: 'add', path: '/metadata/annotations/holdfast.dev~1reclaim-policy', value: 'Delete' }]);
  const volume = { ...(await now()), status: { phase: 'Released' } };
  const settle = createSettleUndo({
    observeOnServer: (_name, { look }) => {
      // All that is asked takes three seconds.
      look.lookedAt = systemClock.now() - 3_000;
      ages.push(look.maxAge);
      return Promise.resolve(observed);
    },
    takeSnapshot: () => released,
    writeUndo: (decision, { look }) => write(decision, look),
    progress,
    warnings: { warn: () => ({ kind: 'done' }), goesOn: () => undefined },
  });
  const question = { kind: 'askServer', volume, reason: 'UndoWindowInCache' } as const;
  const ages: number[] = [];
  const observed: Observation = {
    source: 'server',
    volume,
    claimUid: undefined,
    attachedTo: [],
    claimBound: false,
    boundElsewhere: undefined,
    unlisted: undefined,
    sharedWith: [],
    freeOver: [],
  };
  const released: Snapshot = {
    ...observed,
    keeper: {
      kind: 'csi',
      name: 'csi.example.com',
      finalizer,
      stale: undefined,
      canDelete: true,
    },
    storageDeleted: false,
    honor: true,
    mode: 'reclaim',
    undo: {
      enabled: true,
      grace: 3_600_000,
      askedBack: false,
      now: due,
      serverNow: due,
      noneOverBefore: undefined,
    },
  };
  expect(await settle(question, signal)).toMatchObject({ kind: 'lookAgain' });
  expect(await settle(question, signal)).toEqual({ kind: 'done' });
  expect(ages).toEqual([2_000, 4_000]);
  expect(counted).toEqual(['mark conflict', 'mark success']);
  expect(progress.lookAge(volume.metadata.uid)).toBe(2_000);
});
