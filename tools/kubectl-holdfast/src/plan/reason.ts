import type { SourceName } from '../sources.ts';

/** Why a claim stays or goes, with the names that the sentence needs. */
export type Reason =
  | { readonly code: 'DeletedAlready' }
  | { readonly code: 'OwnersGone'; readonly owners: readonly string[] }
  | { readonly code: 'GraceOver' }
  | { readonly code: 'ScaleDownCollected' }
  | { readonly code: 'MarkedScaledDown' }
  | { readonly code: 'MarkedWithSet' }
  | { readonly code: 'OrdinalWanted' }
  | { readonly code: 'Retained'; readonly half: Half }
  | { readonly code: 'NobodyCarriesOut'; readonly half: Half }
  | { readonly code: 'AnnotationIgnored'; readonly half: Half }
  | { readonly code: 'NotOwnedYet'; readonly half: Half }
  | { readonly code: 'NoPod' }
  | { readonly code: 'Orphaned' }
  | { readonly code: 'GoesWithPod'; readonly owners: readonly string[] }
  | { readonly code: 'OtherOwners'; readonly owners: readonly string[] }
  | { readonly code: 'ForeignController'; readonly owners: readonly string[] }
  | { readonly code: 'StaleReference'; readonly owners: readonly string[] }
  | { readonly code: 'SharedName' }
  | { readonly code: 'WindowUnusable' }
  | { readonly code: 'WindowNotHeld' }
  | { readonly code: 'MarkWithdrawn' }
  | { readonly code: 'EndUnseen' }
  | { readonly code: 'InUse' };

/** The half of the policy that decides: that for scaling down, or that for the set's deletion. */
export type Half = 'whenScaled' | 'whenDeleted';

export type ReasonCode = Reason['code'];

/** The reason as the rest of a sentence that begins with "it stays: " or "it goes: ". */
export function wordsOf(reason: Reason): string {
  switch (reason.code) {
    case 'DeletedAlready':
      return 'it is being deleted already';
    case 'OwnersGone':
      return `with its owner, ${list(reason.owners)}`;
    case 'GraceOver':
      return 'its undo window is over';
    case 'ScaleDownCollected':
      return 'its ordinal was scaled down earlier, and such claims are collected (gate CollectMissedScaleDown)';
    case 'MarkedScaledDown':
      return 'its ordinal is scaled down, and the set asks for an undo window';
    case 'MarkedWithSet':
      return 'with its set, which asks for an undo window';
    case 'OrdinalWanted':
      return 'its ordinal is still wanted';
    case 'Retained':
      return `${reason.half} is Retain`;
    case 'NobodyCarriesOut':
      return `${reason.half} is Delete, but no controller in this cluster carries it out`;
    case 'AnnotationIgnored':
      return `annotation ${reason.half === 'whenScaled' ? 'holdfast.dev/when-scaled' : 'holdfast.dev/when-deleted'} says Delete, but only Holdfast reads it, and Holdfast is not at work`;
    case 'NotOwnedYet':
      return `${reason.half} is Delete, but no controller has made the set its owner yet`;
    case 'NoPod':
      return 'its ordinal has no pod: claims left from earlier are not deleted';
    case 'Orphaned':
      return 'the set is deleted without its dependents';
    case 'GoesWithPod':
      return `it stays for as long as ${list(reason.owners)}, which owns it`;
    case 'OtherOwners':
      return `${list(reason.owners)} owns it as well`;
    case 'ForeignController':
      return `${list(reason.owners)} controls it, so the policy of the set does not count`;
    case 'StaleReference':
      return `it refers to ${list(reason.owners)} with another UID, so no controller touches it`;
    case 'SharedName':
      return 'another set makes claims of this name too, so neither policy counts';
    case 'WindowUnusable':
      return 'the set asks for an undo window that is not available, and nothing is deleted without it';
    case 'WindowNotHeld':
      return 'kube-controller-manager deletes without regard to the undo window';
    case 'MarkWithdrawn':
      return 'its mark was removed by hand';
    case 'EndUnseen':
      return 'a finalizer of another controller could hide that the set is orphaned, so nothing is deleted';
    case 'InUse':
      return 'a pod that is not of the set uses it';
  }
}

/** The source of the rule behind each reason. */
export const sourceOf: Readonly<Record<ReasonCode, SourceName>> = {
  DeletedAlready: 'finalizers',
  OwnersGone: 'retention',
  GraceOver: 'undoWindow',
  ScaleDownCollected: 'missedScaleDown',
  MarkedScaledDown: 'undoWindow',
  MarkedWithSet: 'undoWindow',
  OrdinalWanted: 'retention',
  Retained: 'retention',
  NobodyCarriesOut: 'retention',
  AnnotationIgnored: 'holdfastRetention',
  NotOwnedYet: 'retention',
  NoPod: 'retention',
  Orphaned: 'orphaning',
  GoesWithPod: 'garbageCollection',
  OtherOwners: 'garbageCollection',
  ForeignController: 'retention',
  StaleReference: 'retention',
  SharedName: 'holdfastRetention',
  WindowUnusable: 'undoWindow',
  WindowNotHeld: 'undoWindow',
  MarkWithdrawn: 'undoWindow',
  EndUnseen: 'undoWindow',
  InUse: 'claimProtection',
};

function list(names: readonly string[]): string {
  return names.length === 0 ? 'something' : names.join(' and ');
}
