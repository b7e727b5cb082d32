import { isTerminating, type PersistentVolume } from '@holdfast/core';
import type { UndoDecision, Unmarking } from './decision.ts';
import type { Mode, OurSnapshot, Policy, UndoFacts } from './snapshot.ts';
import { statedPolicyOf } from './stated-policy.ts';
import { undoMarkOf, type UndoMark } from './undo-mark.ts';

/** Annotation of a volume with policy Retain: with an undo window, `Delete` is what is meant. */
export const reclaimPolicyAnnotation = 'holdfast.dev/reclaim-policy';

/** On a volume whose field says Retain and that is to be deleted all the same: other provisioners take theirs off under Retain. */
export const undoFinalizer = 'holdfast.dev/undo-window';

/** When a window that can't be had is looked at again, and when the API server's clock is asked for again, milliseconds. */
const unusableDelay = 300_000;
const serverTimeDelay = 60_000;

/** The volume's field says Retain, and its annotation that Delete is meant. */
export function meansDelete({ metadata, spec }: PersistentVolume): boolean {
  return (
    spec?.persistentVolumeReclaimPolicy === 'Retain' &&
    metadata.annotations?.[reclaimPolicyAnnotation] === 'Delete'
  );
}

/**
 * The policy that counts.
 *
 * | field   | annotation reclaim-policy | gate | mode    | window asked for | policy  |
 * |---------|---------------------------|------|---------|------------------|---------|
 * | Delete  | -                         | -    | -       | -                | Delete  |
 * | Retain  | Delete                    | on   | reclaim | yes              | Delete  |
 * | Retain  | else                      |      |         |                  | other   |
 * | Recycle | -                         | -    | -       | -                | other   |
 * | else    | -                         | -    | -       | -                | unknown |
 *
 * In mode guard nobody would delete it, and without a window the field alone counts: Kubernetes has a word for Delete.
 */
export function policyOf(volume: PersistentVolume, undo: UndoFacts | undefined, mode: Mode): Policy {
  const counts = undo?.enabled === true && undo.grace !== undefined && mode === 'reclaim';
  return counts && meansDelete(volume) ? 'Delete' : statedPolicyOf(volume);
}

/**
 * How far the undo window of a released volume has come. "Valid" is a mark of this volume, for its release from this claim.
 *
 * | window asked for | mark       | both clocks are past it | state    |
 * |------------------|------------|-------------------------|----------|
 * | can't be had     | -          | -                       | unusable |
 * | -                | unreadable | -                       | unusable |
 * | yes              | none       | -                       | unmarked |
 * | -                | valid      | no                      | open     |
 * | -                | valid      | yes                     | over     |
 * | no               | none       | -                       | none     |
 *
 * A valid mark counts also when no window is asked for any more: until that time the storage was promised to stay.
 */
function windowStateOf(
  volume: PersistentVolume,
  undo: UndoFacts | undefined,
): 'none' | 'unusable' | 'unmarked' | 'open' | 'over' {
  if (undo === undefined) {
    return 'none';
  }
  const mark = undoMarkOf(volume);
  if (undo.grace === 'unusable' || mark?.kind === 'unreadable') {
    return 'unusable';
  }
  if (mark?.kind === 'valid') {
    return undo.serverNow !== undefined && timeLeft(mark.due, undo) <= 0 ? 'over' : 'open';
  }
  return undo.grace === undefined ? 'none' : 'unmarked';
}

/** Milliseconds until both clocks are past the time, as far as both are known. */
function timeLeft(due: number, { now, serverNow = now }: UndoFacts): number {
  return due - Math.min(now, serverNow);
}

/** Whether the storage of a volume whose claim is gone must stay for the sake of its undo window. */
export function keepsForUndo(volume: PersistentVolume, undo: UndoFacts | undefined): boolean {
  const state = windowStateOf(volume, undo);
  return state === 'over' ? canGiveBack(volume, undo) : state !== 'none';
}

/** A claim asks for the volume, and it can still be had: what is terminating can't come back. */
function canGiveBack(volume: PersistentVolume, undo: UndoFacts | undefined): boolean {
  return undo?.askedBack === true && !isTerminating(volume);
}

/**
 * A mark that has no meaning, or has lost it, is taken away:
 *
 * | volume                                                  | mark    |
 * |---------------------------------------------------------|---------|
 * | gate HonorPVReclaimPolicy off                           | any     |
 * | policy that counts is Retain or Recycle                 | any     |
 * | its claim lives, or it has none                         | any     |
 * | mode guard                                              | any     |
 * | released, the window can't be had                       | valid   |
 * | released, no window asked for                           | foreign |
 *
 * So a window that can be had again later begins anew.
 */
export function strayMark(snapshot: OurSnapshot): UndoDecision | undefined {
  const { volume, source } = snapshot;
  const mark = undoMarkOf(volume);
  const reason = mark === undefined ? undefined : whyStray(snapshot, mark);
  if (reason === undefined) {
    return undefined;
  }
  return source === 'cache'
    ? { kind: 'askServer', volume, reason: 'MarkInCache' }
    : { kind: 'unmark', volume, reason };
}

function whyStray(
  { volume, honor, policy, claimUid, mode, undo }: OurSnapshot,
  { kind }: UndoMark,
): Unmarking['reason'] | undefined {
  if (!honor) {
    return 'GateOff';
  }
  if (policy === 'other') {
    return 'PolicyNotDelete';
  }
  const uid = volume.spec?.claimRef?.uid ?? '';
  if (uid === '' || uid === claimUid) {
    return 'NotReleased';
  }
  if (mode === 'guard') {
    return 'LeftToProvisioner';
  }
  if (kind === 'valid' && undo?.grace === 'unusable') {
    return 'WindowUnusable';
  }
  return kind === 'foreign' && undo?.grace === undefined ? 'MarkOfAnother' : undefined;
}

/**
 * What an undo window makes of a volume that is held, under policy Delete, and released; undefined: it does not stand in the way.
 *
 * | window   | asked back | terminating | by the cache | by the API server |
 * |----------|------------|-------------|--------------|-------------------|
 * | none     | -          | -           | -            | -                 |
 * | unusable | -          | -           | wait         | wait              |
 * | unmarked | -          | -           | askServer    | mark              |
 * | open     | yes        | no          | askServer    | giveBack          |
 * | open     | -          | -           | wait         | wait              |
 * | over     | yes        | no          | askServer    | giveBack          |
 * | over     | -          | -           | -            | -                 |
 *
 * "Asked back": a claim of the namespace and name that the volume was released from names the volume in `spec.volumeName`. It is
 * given back after its time, too, as long as its deletion has not begun.
 */
export function decideUndoWindow(snapshot: OurSnapshot): UndoDecision | undefined {
  const { volume, undo, claimUid, mode, source } = snapshot;
  const { phase } = volume.status ?? {};
  if (
    undo === undefined ||
    mode === 'guard' ||
    claimUid === volume.spec?.claimRef?.uid ||
    (phase !== 'Released' && phase !== 'Failed')
  ) {
    return undefined;
  }
  const ask = { kind: 'askServer', volume, reason: 'UndoWindowInCache' } as const;
  const state = windowStateOf(volume, undo);
  switch (state) {
    case 'none':
      return undefined;
    case 'unusable':
      return { kind: 'wait', delay: unusableDelay, reason: 'WindowUnusable' };
    case 'unmarked': {
      const { grace, now, serverNow = now } = undo;
      return source === 'cache' || typeof grace !== 'number'
        ? ask
        : { kind: 'mark', volume, due: Math.max(now, serverNow) + grace, reason: 'Released' };
    }
    case 'open':
    case 'over': {
      if (canGiveBack(volume, undo)) {
        return source === 'cache' ? ask : { kind: 'giveBack', volume, reason: 'AskedBack' };
      }
      const mark = undoMarkOf(volume);
      return state === 'over' || mark?.kind !== 'valid'
        ? undefined
        : {
            kind: 'wait',
            delay: Math.max(timeLeft(mark.due, undo), undo.serverNow === undefined ? serverTimeDelay : 0),
            reason: 'WindowOpen',
          };
    }
  }
}

/**
 * Whether the object is to be deleted before its storage: its window is over, and it is not terminating. From then on it can't be given
 * back any more, whoever asks for it while the driver works, or after this process has ended.
 */
export function goesFirst({ volume, undo }: OurSnapshot): boolean {
  return !isTerminating(volume) && windowStateOf(volume, undo) === 'over';
}
