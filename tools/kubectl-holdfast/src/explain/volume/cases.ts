import { hasFinalizer, isTerminating, objectKey } from '@holdfast/core';
import {
  isLetGoEarly,
  isStorageDeleted,
  meansDelete,
  provisionedByAnnotation,
  undoFinalizer,
} from '@holdfast/pv-reclaim-honor/decide';
import { givesWindows } from '../../cluster/reclaimer.ts';
import { isProtected, refusal, stayingVolume } from '../../plan/deletion-protection.ts';
import { isHeldForStorage } from '../../plan/storage-hold.ts';
import { isUnheld, volumeFate } from '../../plan/volume-fate.ts';
import type { Case } from '../explanation.ts';
import { setToRetain } from './set-to-retain.ts';
import {
  claimName,
  fateOfClaim,
  idleHolds,
  isFolder,
  isFolderHeld,
  isKept,
  otherAwaited,
  policyOf,
  windowOf,
  type VolumeFacts,
} from './facts.ts';

/** What happens to the storage once the claim is gone. */
type StorageFate =
  'stays' | 'waits' | 'waitsOrGoes' | 'leftBehind' | 'goes' | 'goesAfterWindow' | 'goesAtOnceOrAfterWindow';

/**
 * | reclaim policy                            | undo window                                  | made by                                 | storage                   |
 * | ----------------------------------------- | -------------------------------------------- | --------------------------------------- | ------------------------- |
 * | Delete                                    | -                                            | a user, and no controller can delete it | stays                     |
 * | Delete, without a hold, and being deleted | -                                            | a provisioner                           | is left behind            |
 * | Delete                                    | usable, and Holdfast gives it                | a user                                  | goes after the window     |
 * | Delete                                    | usable, and Holdfast gives it                | a provisioner                           | goes at once, or after it |
 * | Delete                                    | unusable, and Holdfast would give it         | a user                                  | waits                     |
 * | Delete                                    | unusable, and Holdfast would give it         | a provisioner                           | goes at once, or waits    |
 * | Delete                                    | else                                         | -                                       | goes                      |
 * | Retain, Delete meant                      | usable or not known, and Holdfast gives it   | -                                       | goes after the window     |
 * | Retain, Delete meant                      | unusable, and Holdfast would give it         | -                                       | waits                     |
 * | else                                      | -                                            | -                                       | stays                     |
 *
 * A provisioner that still runs does not know of the window. In mode guard Holdfast gives none. Where pv-reclaim-honor
 * is not seen at work, its finalizer shows that it gives, or gave, windows.
 */
function storageFateOf(facts: VolumeFacts): StorageFate {
  const { volume, holdfast } = facts;
  const { data } = volumeFate(volume.metadata.name, volume, []);
  const request = windowOf(facts);
  const kind = request === 'unread' ? request : request.kind;
  if (meansDelete(volume)) {
    const isGiven =
      holdfast !== undefined && isKept(facts) ? givesWindows(holdfast) : hasFinalizer(volume, undoFinalizer);
    return !isGiven || kind === 'none' ? 'stays' : kind === 'unusable' ? 'waits' : 'goesAfterWindow';
  }
  if (data === 'leftBehind') {
    return data;
  }
  if (data !== 'deleted') {
    return 'stays';
  }
  if (holdfast?.mode !== 'reclaim' || !(isKept(facts) || isFolderHeld(volume))) {
    return 'goes';
  }
  const isAlone =
    volume.metadata.annotations?.[provisionedByAnnotation] === undefined && !isLetGoEarly(volume);
  switch (kind) {
    case 'usable':
      return isAlone ? 'goesAfterWindow' : 'goesAtOnceOrAfterWindow';
    case 'unusable':
      return isAlone ? 'waits' : 'waitsOrGoes';
    case 'none':
    case 'unread':
      return 'goes';
  }
}

/**
 * Returns what happens to the storage if the volume or the claim is deleted: KEP-2644 is about the order of
 * these two.
 */
export function casesOf(facts: VolumeFacts): readonly Case[] {
  const { volume } = facts;
  if (isStorageDeleted(volume)) {
    return [];
  }
  const fate = storageFateOf(facts);
  const source = ['stays', 'leftBehind', 'goes'].includes(fate) ? 'reclaimPolicy' : 'reclaimWindow';
  const cases: Case[] = [];
  if (!isTerminating(volume)) {
    cases.push({
      what: 'it is deleted',
      then: `${isProtected(volume) ? refusal : ''}${stayWords(facts)}${afterwards(facts, fate)}`,
      source: fate === 'goes' ? 'reclaim' : source,
    });
  }
  if (fateOfClaim(facts) !== 'gone') {
    const claim = facts.elsewhere ?? facts.claim;
    const isLeaving = claim !== undefined && claim !== 'unread' && isTerminating(claim);
    cases.push({
      what: `claim ${facts.elsewhere === undefined ? (claimName(volume) ?? '') : objectKey(facts.elsewhere)} is ${isLeaving ? 'gone' : 'deleted'}`,
      then: withoutClaim(facts, fate),
      source: fate === 'leftBehind' ? 'reclaim' : source,
    });
  }
  if (policyOf(volume) === 'Delete') {
    cases.push({ what: 'its policy is set to Retain', ...setToRetain(volume) });
  }
  return cases;
}

function withoutClaim(facts: VolumeFacts, fate: StorageFate): string {
  const { volume } = facts;
  switch (fate) {
    case 'stays':
      return `it is ${policyOf(volume) === 'Delete' ? 'Failed' : 'Released'}, and its storage stays`;
    case 'waits':
    case 'waitsOrGoes':
      return `it is Released, and its storage stays ${whileUnusable(fate)}`;
    case 'leftBehind':
      return leftBehind;
    case 'goes':
    case 'goesAfterWindow':
    case 'goesAtOnceOrAfterWindow':
      return `its storage is deleted${afterWindow(fate)}${byWhom(facts)}, then the volume${isProtected(volume) ? stayingVolume : ''}`;
  }
}

function whileUnusable(fate: 'waits' | 'waitsOrGoes'): string {
  const how = fate === 'waits' ? '' : ', unless its provisioner deletes it at once';
  return `while the undo window that it asks for can not be used${how}`;
}

const onceBack = 'once pv-reclaim-honor is at work again';

/** Who deletes the storage of a volume that pv-reclaim-honor holds and that nobody lets go of now. */
function byWhom(facts: VolumeFacts): string {
  if (idleHolds(facts).length === 0) {
    return '';
  }
  if (meansDelete(facts.volume)) {
    return `, ${onceBack}`;
  }
  return isFolder(facts.volume) ? ` ${onceBack}` : ` by its provisioner, if that is at work, or ${onceBack}`;
}

const leftBehind =
  'the volume goes, and its storage is left behind: no finalizer holds it until the storage is deleted';

function stayWords(facts: VolumeFacts): string {
  switch (fateOfClaim(facts)) {
    case 'lives':
      return 'it stays, being deleted, until its claim is gone; then ';
    case 'elsewhere':
    case 'bound': {
      const awaited = otherAwaited(facts);
      return awaited === undefined || !isHeldForStorage(facts.volume, facts.holdfast?.csiFinalizer)
        ? ''
        : `it stays, being deleted, until claim ${objectKey(awaited)} is gone; then `;
    }
    case 'unknown':
      return 'it stays, being deleted, while its claim is there, which could not be read; then ';
    case 'gone':
      return '';
  }
}

function afterWindow(fate: StorageFate): string {
  switch (fate) {
    case 'goesAfterWindow':
      return ' after its undo window';
    case 'goesAtOnceOrAfterWindow':
      return ' after its undo window, or at once by its provisioner';
    case 'stays':
    case 'waits':
    case 'waitsOrGoes':
    case 'leftBehind':
    case 'goes':
      return '';
  }
}

function afterwards(facts: VolumeFacts, fate: StorageFate): string {
  const { volume, holdfast } = facts;
  if (fate === 'stays') {
    return 'the volume goes, and its storage stays';
  }
  if (fate === 'waits' || fate === 'waitsOrGoes') {
    return `it stays, being deleted, and so does its storage, ${whileUnusable(fate)}`;
  }
  if (isHeldForStorage(volume, holdfast?.csiFinalizer)) {
    const end = afterWindow(fate);
    return idleHolds(facts).length === 0
      ? `its storage is deleted${end} before it goes`
      : `its storage is deleted${end}${end === '' ? '' : ','} ${onceBack}, before it goes`;
  }
  return isUnheld(volume)
    ? leftBehind
    : 'the volume goes, and its storage might be left behind: no finalizer that is known holds it until the storage is deleted';
}
