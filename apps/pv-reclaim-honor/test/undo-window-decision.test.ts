import { describe, expect, test } from '@jest/globals';
import { decide } from '../src/decide.ts';
import { deletionBegunRecord } from '../src/decide/deletion-begun.ts';
import type { Decision } from '../src/decide/decision.ts';
import { keepsForUndo } from '../src/decide/undo-window.ts';
import type { Keeper, Snapshot, UndoFacts } from '../src/decide/snapshot.ts';
import { withUndoFinalizer } from '../src/undo/undo-finalizer.ts';
import { csiFinalizer, volume, type VolumeShape } from './objects.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600_000;
const undoFinalizer = 'holdfast.dev/undo-window';
const csi: Keeper = {
  kind: 'csi',
  name: 'csi.example.com',
  finalizer: csiFinalizer,
  stale: undefined,
  canDelete: true,
};

const mark = (due: number, { uid = 'uid-of-pv', claimUid = 'c' } = {}) => ({
  'holdfast.dev/delete-after': new Date(due).toISOString(),
  'holdfast.dev/delete-after-uid': uid,
  'holdfast.dev/delete-after-claim-uid': claimUid,
});
const meant = { 'holdfast.dev/reclaim-policy': 'Delete' };

interface Facts extends Partial<Omit<Snapshot, 'volume' | 'undo'>> {
  readonly volume?: VolumeShape;
  readonly undo?: Partial<UndoFacts>;
}

function answer({ volume: shape, undo, ...facts }: Facts): Decision {
  const object = volume({ finalizers: [csiFinalizer], claimUid: 'c', phase: 'Released', ...shape });
  return decide({
    volume: object,
    keeper: withUndoFinalizer(csi, object),
    claimUid: undefined,
    attachedTo: [],
    claimBound: false,
    boundElsewhere: undefined,
    unlisted: undefined,
    sharedWith: [],
    freeOver: [],
    source: 'server',
    storageDeleted: false,
    honor: true,
    mode: 'reclaim',
    undo: {
      enabled: true,
      grace: hour,
      askedBack: false,
      now: noon,
      serverNow: noon,
      noneOverBefore: undefined,
      ...undo,
    },
    ...facts,
  });
}

const open = mark(noon + hour);
const over = mark(noon);
const begun = { 'holdfast.dev/deletion-begun': 'uid-of-pv/c' };

test('volume that no claim has had -> the record of a deletion names the volume alone', () => {
  expect(deletionBegunRecord(volume({ uid: 'u' }))).toBe('u/');
});

describe('undo window of a released volume', () => {
  test.each<{ name: string; facts: Facts; expected: object }>([
    {
      name: 'not marked -> marked for the whole window',
      facts: {},
      expected: { kind: 'mark', due: noon + hour, reason: 'Released' },
    },
    {
      name: 'not marked, attached -> marked: the window begins with the release',
      facts: { attachedTo: ['node-1'] },
      expected: { kind: 'mark' },
    },
    {
      name: 'not marked, terminating -> marked: the storage can still be saved',
      facts: { volume: { deleted: true } },
      expected: { kind: 'mark', due: noon + hour },
    },
    {
      name: 'open -> waits',
      facts: { volume: { annotations: open } },
      expected: { kind: 'wait', delay: hour, reason: 'WindowOpen' },
    },
    {
      name: 'a deletion of its storage was begun, not marked -> marked: what is left can still be saved',
      facts: { volume: { annotations: begun } },
      expected: { kind: 'mark', due: noon + hour },
    },
    {
      name: 'a deletion of its storage was begun, open, asked for -> not given back: nobody knows what is left',
      facts: { volume: { annotations: { ...open, ...begun } }, undo: { askedBack: true } },
      expected: { kind: 'wait', reason: 'WindowOpen' },
    },
    {
      name: 'a deletion of its storage was begun, over, asked for -> goes on',
      facts: { volume: { annotations: { ...over, ...begun } }, undo: { askedBack: true } },
      expected: { kind: 'deleteObject', reason: 'WindowOver' },
    },
    {
      name: 'a deletion was begun before it was bound and released again, asked for -> given back',
      facts: {
        volume: { annotations: { ...open, 'holdfast.dev/deletion-begun': 'uid-of-pv/before' } },
        undo: { askedBack: true },
      },
      expected: { kind: 'giveBack' },
    },
    {
      name: 'the record comes from a backup of another volume, asked for -> given back',
      facts: {
        volume: { annotations: { ...open, 'holdfast.dev/deletion-begun': 'other/c' } },
        undo: { askedBack: true },
      },
      expected: { kind: 'giveBack' },
    },
    {
      name: 'open for a millisecond more -> waits for it',
      facts: { volume: { annotations: mark(noon + 1) } },
      expected: { kind: 'wait', delay: 1, reason: 'WindowOpen' },
    },
    {
      name: 'a deletion was tried and failed, not marked -> marked',
      facts: { volume: { phase: 'Failed' } },
      expected: { kind: 'mark', due: noon + hour },
    },
    {
      name: 'Released by the binder, but its claim lives -> not marked',
      facts: { claimUid: 'c' },
      expected: { kind: 'postpone', reason: 'ClaimLives' },
    },
    {
      name: 'window that can not be had, and a mark that can not be read -> the mark stays as its user left it',
      facts: {
        volume: { annotations: { ...over, 'holdfast.dev/delete-after': 'next week' } },
        undo: { grace: 'unusable' },
      },
      expected: { kind: 'wait', reason: 'WindowUnusable' },
    },
    {
      name: 'free again by hand, marked, a new claim has the name -> the mark goes',
      facts: {
        volume: { annotations: mark(noon, { claimUid: '' }), claimUid: null, phase: 'Bound' },
        claimUid: 'another',
      },
      expected: { kind: 'unmark', reason: 'NotReleased' },
    },
    {
      name: 'open, terminating -> waits all the same',
      facts: { volume: { annotations: open, deleted: true } },
      expected: { kind: 'wait', delay: hour, reason: 'WindowOpen' },
    },
    {
      name: 'open, no window asked for any more, the gate off -> waits: so it was promised',
      facts: { volume: { annotations: open }, undo: { grace: undefined, enabled: false } },
      expected: { kind: 'wait', reason: 'WindowOpen' },
    },
    {
      name: 'over -> the object goes first, so that nobody asks for it in vain',
      facts: { volume: { annotations: over } },
      expected: { kind: 'deleteObject', reason: 'WindowOver' },
    },
    {
      name: 'R1: over, and led again a moment ago after nobody led for long -> waits',
      facts: { volume: { annotations: over }, undo: { noneOverBefore: noon + hour } },
      expected: { kind: 'wait', delay: hour, reason: 'WindowOpen' },
    },
    {
      name: 'R1: the same, deleted by a user -> waits too',
      facts: { volume: { annotations: over, deleted: true }, undo: { noneOverBefore: noon + hour } },
      expected: { kind: 'wait', delay: hour, reason: 'WindowOpen' },
    },
    {
      name: 'R1: over, and so is that time -> the object goes first',
      facts: { volume: { annotations: over }, undo: { noneOverBefore: noon } },
      expected: { kind: 'deleteObject', reason: 'WindowOver' },
    },
    {
      name: 'R1: open for longer than that -> waits for its own end',
      facts: { volume: { annotations: open }, undo: { noneOverBefore: noon + 1 } },
      expected: { kind: 'wait', delay: hour, reason: 'WindowOpen' },
    },
    {
      name: 'over, terminating -> reclaimed',
      facts: { volume: { annotations: over, deleted: true } },
      expected: { kind: 'reclaim' },
    },
    {
      name: 'over, attached -> postponed',
      facts: { volume: { annotations: over }, attachedTo: ['node-1'] },
      expected: { kind: 'postpone', reason: 'Attached' },
    },
    {
      name: 'over, its storage needed by another volume -> postponed',
      facts: { volume: { annotations: over }, sharedWith: ['twin'] },
      expected: { kind: 'postpone', reason: 'StorageShared' },
    },
    {
      name: 'asked back in its window -> given back',
      facts: { volume: { annotations: open }, undo: { askedBack: true } },
      expected: { kind: 'giveBack' },
    },
    {
      name: 'asked back by a claim that is bound to it -> given back to that one',
      facts: {
        ...{ volume: { annotations: open }, undo: { askedBack: true } },
        ...{ claimUid: 'd', claimBound: true },
      },
      expected: { kind: 'giveBack', boundUid: 'd' },
    },
    {
      name: 'over, terminating, a claim of that name is bound to it -> postponed',
      facts: {
        ...{ volume: { annotations: over, deleted: true }, undo: { askedBack: true } },
        ...{ claimUid: 'd', claimBound: true },
      },
      expected: { kind: 'postpone', reason: 'ClaimBound' },
    },
    {
      name: 'asked back after its window, deletion not begun -> given back',
      facts: { volume: { annotations: over }, undo: { askedBack: true } },
      expected: { kind: 'giveBack' },
    },
    {
      name: 'asked back, window taken away meanwhile -> given back as long as its mark lasts',
      facts: { volume: { annotations: open }, undo: { askedBack: true, grace: undefined } },
      expected: { kind: 'giveBack' },
    },
    {
      name: 'asked back, terminating -> waits: it can not come back',
      facts: { volume: { annotations: open, deleted: true }, undo: { askedBack: true } },
      expected: { kind: 'wait' },
    },
    {
      name: 'asked back, terminating, over -> reclaimed',
      facts: { volume: { annotations: over, deleted: true }, undo: { askedBack: true } },
      expected: { kind: 'reclaim' },
    },
    {
      name: 'asked back, no window -> reclaimed as the policy says',
      facts: { undo: { askedBack: true, grace: undefined } },
      expected: { kind: 'reclaim' },
    },
    {
      name: 'window that can not be had, not marked -> nothing is deleted, looked at again in five minutes',
      facts: { undo: { grace: 'unusable' } },
      expected: { kind: 'wait', delay: 300_000, reason: 'WindowUnusable' },
    },
    {
      name: 'window that can not be had any more, mark over -> the mark goes, nothing is deleted',
      facts: { volume: { annotations: over }, undo: { grace: 'unusable' } },
      expected: { kind: 'unmark', reason: 'WindowUnusable' },
    },
    {
      name: 'a mark of this release that can not be read -> nothing is deleted',
      facts: { volume: { annotations: { ...over, 'holdfast.dev/delete-after': 'next week' } } },
      expected: { kind: 'wait', reason: 'WindowUnusable' },
    },
    {
      name: 'a mark that can not be read, no window -> nothing is deleted',
      facts: {
        volume: { annotations: { ...over, 'holdfast.dev/delete-after': '2026' } },
        undo: { grace: undefined },
      },
      expected: { kind: 'wait', reason: 'WindowUnusable' },
    },
    {
      name: 'mark of another volume (a backup), window -> a window of its own',
      facts: { volume: { annotations: mark(noon - hour, { uid: 'before-the-backup' }) } },
      expected: { kind: 'mark', due: noon + hour },
    },
    {
      name: 'mark of an earlier release of this volume -> a window of its own',
      facts: { volume: { annotations: mark(noon - hour, { claimUid: 'the-one-before' }) } },
      expected: { kind: 'mark', due: noon + hour },
    },
    {
      name: 'mark of another volume, no window -> taken away',
      facts: {
        volume: { annotations: mark(noon - hour, { uid: 'before-the-backup' }) },
        undo: { grace: undefined },
      },
      expected: { kind: 'unmark', reason: 'MarkOfAnother' },
    },
    {
      name: 'its claim lives, marked -> the mark goes',
      facts: { volume: { annotations: over, phase: 'Bound' }, claimUid: 'c' },
      expected: { kind: 'unmark', reason: 'NotReleased' },
    },
    {
      name: 'free again by hand, marked -> the mark goes',
      facts: { volume: { annotations: mark(noon, { claimUid: '' }), claimUid: null, phase: 'Available' } },
      expected: { kind: 'unmark', reason: 'NotReleased' },
    },
    {
      name: 'gate HonorPVReclaimPolicy off, marked, let go of -> the mark goes',
      facts: { volume: { annotations: over, finalizers: [] }, honor: false },
      expected: { kind: 'unmark', reason: 'GateOff' },
    },
    {
      name: 'mode guard, marked -> the mark goes',
      facts: { volume: { annotations: over }, mode: 'guard' },
      expected: { kind: 'unmark', reason: 'LeftToProvisioner' },
    },
    {
      name: 'mode guard -> not marked',
      facts: { mode: 'guard' },
      expected: { kind: 'none', reason: 'LeftToProvisioner' },
    },
    {
      name: 'binder has not noticed yet -> not marked yet',
      facts: { volume: { phase: 'Bound' } },
      expected: { kind: 'none', reason: 'NotReleasedYet' },
    },
  ])('$name', ({ facts, expected }) => {
    expect(answer(facts)).toMatchObject(expected);
  });

  test.each<{ name: string; facts: Facts }>([
    { name: 'not marked', facts: {} },
    { name: 'asked back', facts: { volume: { annotations: open }, undo: { askedBack: true } } },
    { name: 'over', facts: { volume: { annotations: over } } },
    {
      name: 'marked, its claim lives',
      facts: { volume: { annotations: over, phase: 'Bound' }, claimUid: 'c' },
    },
  ])('$name, by the cache -> the API server is asked', ({ facts }) => {
    expect(answer({ ...facts, source: 'cache' })).toMatchObject({ kind: 'askServer' });
  });
});

describe('field Retain, annotation Delete', () => {
  const shape = { policy: 'Retain', annotations: meant, finalizers: [undoFinalizer] } as const;
  test.each<{ name: string; facts: Facts; expected: object }>([
    {
      name: 'bound -> held by a finalizer that no provisioner takes off under Retain',
      facts: { volume: { ...shape, finalizers: [], phase: 'Bound' }, claimUid: 'c' },
      expected: { kind: 'changeFinalizers', add: [undoFinalizer], remove: [] },
    },
    {
      name: 'bound, held by the shared finalizer -> one takes the place of the other',
      facts: { volume: { ...shape, finalizers: [csiFinalizer], phase: 'Bound' }, claimUid: 'c' },
      expected: { kind: 'changeFinalizers', add: [undoFinalizer], remove: [csiFinalizer] },
    },
    { name: 'released -> marked', facts: { volume: shape }, expected: { kind: 'mark' } },
    {
      name: 'over -> the object goes first',
      facts: { volume: { ...shape, annotations: { ...meant, ...over } } },
      expected: { kind: 'deleteObject' },
    },
    {
      name: 'over, terminating -> reclaimed',
      facts: { volume: { ...shape, annotations: { ...meant, ...over }, deleted: true } },
      expected: { kind: 'reclaim' },
    },
    {
      name: 'no window -> the field counts: let go of',
      facts: { volume: shape, undo: { grace: undefined } },
      expected: { kind: 'changeFinalizers', remove: [undoFinalizer], reason: 'PolicyNotDelete' },
    },
    {
      name: 'no window any more, marked -> the mark goes, the storage stays',
      facts: {
        volume: { ...shape, finalizers: [], annotations: { ...meant, ...over } },
        undo: { grace: undefined },
      },
      expected: { kind: 'unmark', reason: 'PolicyNotDelete' },
    },
    {
      name: 'gate off -> let go of',
      facts: {
        volume: { ...shape, annotations: { ...meant, ...over } },
        undo: { enabled: false, grace: 'unusable' },
      },
      expected: { kind: 'changeFinalizers', remove: [undoFinalizer] },
    },
    {
      name: 'gate off, let go of -> the mark goes, the storage stays',
      facts: {
        volume: { ...shape, finalizers: [], annotations: { ...meant, ...over } },
        undo: { enabled: false, grace: 'unusable' },
      },
      expected: { kind: 'unmark', reason: 'PolicyNotDelete' },
    },
    {
      name: 'mode guard -> let go of: nobody would delete it',
      facts: { volume: shape, mode: 'guard' },
      expected: { kind: 'changeFinalizers', remove: [undoFinalizer] },
    },
    {
      name: 'field Recycle, annotation Delete -> the field counts',
      facts: { volume: { ...shape, policy: 'Recycle' } },
      expected: { kind: 'changeFinalizers', remove: [undoFinalizer], reason: 'PolicyNotDelete' },
    },
    {
      name: 'no annotation, and a window that the class gives -> the field counts',
      facts: { volume: { policy: 'Retain', finalizers: [csiFinalizer] } },
      expected: { kind: 'changeFinalizers', remove: [csiFinalizer], reason: 'PolicyNotDelete' },
    },
    {
      name: 'annotation gone -> let go of',
      facts: { volume: { ...shape, annotations: {} } },
      expected: { kind: 'changeFinalizers', remove: [undoFinalizer] },
    },
    {
      name: 'annotation spelt otherwise -> the field counts',
      facts: { volume: { ...shape, annotations: { 'holdfast.dev/reclaim-policy': 'delete' } } },
      expected: { kind: 'changeFinalizers', remove: [undoFinalizer] },
    },
  ])('$name', ({ facts, expected }) => {
    expect(answer(facts)).toMatchObject(expected);
  });

  test('field back to Delete -> the shared finalizer takes the place of ours', () => {
    const facts = { volume: { finalizers: [undoFinalizer], phase: 'Bound' }, claimUid: 'c' } as const;
    expect(answer(facts)).toMatchObject({
      kind: 'changeFinalizers',
      add: [csiFinalizer],
      remove: [undoFinalizer],
    });
  });
});

describe("undo window by this machine's clock and the API server's", () => {
  test.each([
    { name: "this machine's leapt forward", now: noon + 9 * hour, serverNow: noon, expected: 'wait' },
    { name: "the API server's leapt forward", now: noon, serverNow: noon + 9 * hour, expected: 'wait' },
    { name: "the API server's is not known", now: noon + 9 * hour, serverNow: undefined, expected: 'wait' },
    { name: 'both are past it', now: noon + hour, serverNow: noon + hour, expected: 'deleteObject' },
  ])('$name -> $expected', ({ now, serverNow, expected }) => {
    const decision = answer({ volume: { annotations: open }, undo: { now, serverNow } });
    expect(decision.kind).toBe(expected);
    expect(decision).not.toMatchObject({ delay: 0 });
  });

  test('marked while one clock is behind -> the whole window by the one ahead', () => {
    for (const [now, serverNow] of [
      [noon, noon + hour],
      [noon + hour, noon],
    ] as const) {
      expect(answer({ undo: { now, serverNow } })).toMatchObject({ kind: 'mark', due: noon + 2 * hour });
    }
  });
});

describe('storage of a volume whose claim is gone', () => {
  const undo: UndoFacts = {
    enabled: true,
    grace: hour,
    askedBack: false,
    now: noon,
    serverNow: noon,
    noneOverBefore: undefined,
  };

  test.each<{ name: string; shape: VolumeShape; facts: Partial<UndoFacts>; is: boolean }>([
    { name: 'no window, no mark', shape: {}, facts: { grace: undefined }, is: false },
    { name: 'window, not marked yet', shape: {}, facts: {}, is: true },
    { name: 'window open', shape: { annotations: open }, facts: {}, is: true },
    { name: 'window that can not be had', shape: {}, facts: { grace: 'unusable' }, is: true },
    { name: 'window over', shape: { annotations: over }, facts: {}, is: false },
    { name: 'window over, asked back', shape: { annotations: over }, facts: { askedBack: true }, is: true },
    {
      name: 'window over, asked back, but terminating',
      shape: { annotations: over, deleted: true },
      facts: { askedBack: true },
      is: false,
    },
  ])('$name -> needed for undo: $is', ({ shape, facts, is }) => {
    expect(keepsForUndo(volume({ claimUid: 'c', ...shape }), { ...undo, ...facts })).toBe(is);
  });

  test('nothing is known of windows -> not needed for undo', () => {
    expect(keepsForUndo(volume({ claimUid: 'c', annotations: open }), undefined)).toBe(false);
  });
});
