import { isTerminating, type PersistentVolume } from '@holdfast/core';
import { isDeletionBegun } from './deletion-begun.ts';
import type { UndoDecision, Unmarking } from './decision.ts';
import type { Mode, OurSnapshot, Policy, UndoFacts } from './snapshot.ts';
import { statedPolicyOf } from './stated-policy.ts';
import { undoMarkOf, type UndoMark } from './undo-mark.ts';

/** Annotation of a volume with policy Retain: with an undo window, `Delete` is the intended policy. */
export const reclaimPolicyAnnotation = 'holdfast.dev/reclaim-policy';

/**
 * On a volume whose field says Retain and that is to be deleted nevertheless: other provisioners remove their
 * finalizers under Retain.
 */
export const undoFinalizer = 'holdfast.dev/undo-window';

/**
 * When an unusable window is looked at again, and when the API server's clock is asked for again, in
 * milliseconds.
 */
const unusableDelay = 300_000;
const serverTimeDelay = 60_000;

/** Returns whether the volume's field says Retain, and its annotation that Delete is intended. */
export function meansDelete({ metadata, spec }: PersistentVolume): boolean {
  return (
    spec?.persistentVolumeReclaimPolicy === 'Retain' &&
    metadata.annotations?.[reclaimPolicyAnnotation] === 'Delete'
  );
}

/**
 * Returns the effective policy.
 *
 * | field   | annotation reclaim-policy | gate | mode    | window asked for | policy  |
 * |---------|---------------------------|------|---------|------------------|---------|
 * | Delete  | -                         | -    | -       | -                | Delete  |
 * | Retain  | Delete                    | on   | reclaim | yes              | Delete  |
 * | Retain  | else                      |      |         |                  | other   |
 * | Recycle | -                         | -    | -       | -                | other   |
 * | else    | -                         | -    | -       | -                | unknown |
 *
 * In mode guard nobody would delete the volume. Without a window the annotation is ignored: the field itself
 * can say Delete.
 */
export function policyOf(volume: PersistentVolume, undo: UndoFacts | undefined, mode: Mode): Policy {
  const counts = undo?.enabled === true && undo.grace !== undefined && mode === 'reclaim';
  return counts && meansDelete(volume) ? 'Delete' : statedPolicyOf(volume);
}

/**
 * Returns the state of a released volume's undo window. A "valid" mark is one for this volume and for its
 * release from this claim.
 *
 * | window asked for | mark       | both clocks are past it | state    |
 * |------------------|------------|-------------------------|----------|
 * | unusable         | -          | -                       | unusable |
 * | -                | unreadable | -                       | unusable |
 * | yes              | none       | -                       | unmarked |
 * | -                | valid      | no                      | open     |
 * | -                | valid      | yes                     | over     |
 * | no               | none       | -                       | none     |
 *
 * A valid mark counts even if no window is asked for any more: until that time the storage was promised to
 * stay.
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

/** Returns the milliseconds until both clocks, as far as they are known, are past the time. */
function timeLeft(due: number, { now, serverNow = now, noneOverBefore = due }: UndoFacts): number {
  return Math.max(due, noneOverBefore) - Math.min(now, serverNow);
}

/** Returns whether the storage of a volume whose claim is gone must stay because of its undo window. */
export function keepsForUndo(volume: PersistentVolume, undo: UndoFacts | undefined): boolean {
  const state = windowStateOf(volume, undo);
  return state === 'over' ? canGiveBack(volume, undo) : state !== 'none';
}

/**
 * Returns whether a claim asks for the volume and can get it. The deletion of a terminating volume cannot be undone,
 * and once a deletion of its storage was begun, nobody knows what is left.
 */
function canGiveBack(volume: PersistentVolume, undo: UndoFacts | undefined): boolean {
  return undo?.askedBack === true && mayBeGivenBack(volume);
}

/** Returns whether a claim that asks for the volume in its undo window gets it. */
export function mayBeGivenBack(volume: PersistentVolume): boolean {
  return !isTerminating(volume) && !isDeletionBegun(volume);
}

/**
 * Returns the decision to remove a mark that has no meaning, or no longer has one:
 *
 * | volume                                                  | mark    |
 * |---------------------------------------------------------|---------|
 * | gate HonorPVReclaimPolicy off                           | any     |
 * | effective policy is Retain or Recycle                   | any     |
 * | its claim exists, or it has none                        | any     |
 * | mode guard                                              | any     |
 * | released, the window is unusable                        | valid   |
 * | released, no window asked for                           | foreign |
 *
 * So if the window becomes usable later, it starts over.
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
 * Decides what the undo window requires for a volume that is held, under policy Delete, and released;
 * undefined if the window does not hold up the reclaim.
 *
 * | window   | asked back | terminating, or a deletion was begun | by the cache | by the API server |
 * |----------|------------|--------------------------------------|--------------|-------------------|
 * | none     | -          | -                                    | -            | -                 |
 * | unusable | -          | -                                    | wait         | wait              |
 * | unmarked | -          | -                                    | askServer    | mark              |
 * | open     | yes        | no                                   | askServer    | giveBack          |
 * | open     | -          | -                                    | wait         | wait              |
 * | over     | yes        | no                                   | askServer    | giveBack          |
 * | over     | -          | -                                    | -            | -                 |
 *
 * "Asked back": a claim with the namespace and name of the claim that released the volume names it in
 * `spec.volumeName`. The volume is given back even after its time, as long as its deletion has not begun.
 */
export function decideUndoWindow(snapshot: OurSnapshot): UndoDecision | undefined {
  const { volume, undo, claimUid, claimBound, mode, source } = snapshot;
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
        return source === 'cache'
          ? ask
          : { kind: 'giveBack', volume, boundUid: claimBound ? claimUid : undefined, reason: 'AskedBack' };
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
 * Returns whether to delete the object before its storage: its window is over, and it is not terminating.
 * From then on it cannot be given back, even if a claim asks for it while the driver works, or after this
 * process has ended.
 */
export function goesFirst({ volume, undo }: OurSnapshot): boolean {
  return !isTerminating(volume) && windowStateOf(volume, undo) === 'over';
}
