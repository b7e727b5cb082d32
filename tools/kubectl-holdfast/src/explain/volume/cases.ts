import { isTerminating, objectKey, type PersistentVolume } from '@holdfast/core';
import {
  meansDelete,
  provisionedByAnnotation,
  reclaimPolicyAnnotation,
} from '@holdfast/pv-reclaim-honor/decide';
import { isProtected, refusal, stayingVolume } from '../../plan/deletion-protection.ts';
import { isHeldForStorage } from '../../plan/storage-hold.ts';
import { isUnheld, volumeFate } from '../../plan/volume-fate.ts';
import type { Case } from '../explanation.ts';
import { claimName, fateOfClaim, isKept, otherAwaited, policyOf, type VolumeFacts } from './facts.ts';

/** What happens to the storage once the claim is gone. */
type StorageFate = 'stays' | 'leftBehind' | 'goes' | 'goesAfterWindow' | 'goesAtOnceOrAfterWindow';

/**
 * | reclaim policy                            | undo window                                  | made by                                 | storage                   |
 * | ----------------------------------------- | -------------------------------------------- | --------------------------------------- | ------------------------- |
 * | Delete                                    | -                                            | a user, and no controller can delete it | stays                     |
 * | Delete, without a hold, and being deleted | -                                            | a provisioner                           | is left behind            |
 * | Delete                                    | asked for, and Holdfast gives it             | a user                                  | goes after the window     |
 * | Delete                                    | asked for, and Holdfast gives it             | a provisioner                           | goes at once, or after it |
 * | Delete                                    | else                                         | -                                       | goes                      |
 * | Retain, Delete meant                      | its finalizer is there, or Holdfast gives it | -                                       | goes after the window     |
 * | else                                      | -                                            | -                                       | stays                     |
 *
 * A provisioner that still runs does not know of the window. In mode guard Holdfast gives none.
 */
function storageFateOf(facts: VolumeFacts): StorageFate {
  const { volume, holdfast, window } = facts;
  const { data } = volumeFate(volume.metadata.name, volume);
  const isGiven =
    typeof window === 'number' &&
    isKept(facts) &&
    holdfast?.mode === 'reclaim' &&
    holdfast.gates.enabled('ReclaimGracePeriod');
  if (data === 'leftBehind') {
    return data;
  }
  if (data === 'deletedLater' || (isGiven && meansDelete(volume))) {
    return 'goesAfterWindow';
  }
  if (data !== 'deleted') {
    return 'stays';
  }
  if (!isGiven) {
    return 'goes';
  }
  return volume.metadata.annotations?.[provisionedByAnnotation] === undefined
    ? 'goesAfterWindow'
    : 'goesAtOnceOrAfterWindow';
}

/**
 * Returns what happens to the storage if the volume or the claim is deleted: KEP-2644 is about the order of
 * these two.
 */
export function casesOf(facts: VolumeFacts): readonly Case[] {
  const { volume } = facts;
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
    cases.push({
      what: `claim ${facts.elsewhere === undefined ? (claimName(volume) ?? '') : objectKey(facts.elsewhere)} is deleted`,
      then: withoutClaim(volume, fate),
      source: fate === 'leftBehind' ? 'reclaim' : source,
    });
  }
  if (policyOf(volume) === 'Delete') {
    cases.push({
      what: 'its policy is set to Retain',
      ...(volume.metadata.annotations?.[reclaimPolicyAnnotation] === 'Delete'
        ? {
            then: `its storage is kept for good only if annotation ${reclaimPolicyAnnotation} is taken off as well: with it, an undo window ends with the deletion of the storage`,
            source: 'reclaimWindow',
          }
        : { then: 'its storage stays, whatever is deleted', source: 'reclaimPolicy' }),
    });
  }
  return cases;
}

function withoutClaim(volume: PersistentVolume, fate: StorageFate): string {
  switch (fate) {
    case 'stays':
      return `it is ${policyOf(volume) === 'Delete' ? 'Failed' : 'Released'}, and its storage stays`;
    case 'leftBehind':
      return leftBehind;
    case 'goes':
    case 'goesAfterWindow':
    case 'goesAtOnceOrAfterWindow':
      return `its storage is deleted${afterWindow(fate)}, then the volume${isProtected(volume) ? stayingVolume : ''}`;
  }
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
    case 'leftBehind':
    case 'goes':
      return '';
  }
}

function afterwards({ volume, holdfast }: VolumeFacts, fate: StorageFate): string {
  if (fate === 'stays') {
    return 'the volume goes, and its storage stays';
  }
  if (isHeldForStorage(volume, holdfast?.csiFinalizer)) {
    return `its storage is deleted${afterWindow(fate)} before it goes`;
  }
  return isUnheld(volume)
    ? leftBehind
    : 'the volume goes, and its storage might be left behind: no finalizer that is known holds it until the storage is deleted';
}
