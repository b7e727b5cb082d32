import type { Decision } from '@holdfast/pv-reclaim-honor/decide';

function postponementWords({ reason, by }: Extract<Decision, { kind: 'postpone' }>): string {
  switch (reason) {
    case 'ClaimLives':
      return 'waits until its claim is gone';
    case 'ClaimBound':
      return `waits until the claim that says that it is bound to it is gone; if claimRef was changed by hand, set its uid to ${by.join()}`;
    case 'BoundElsewhere':
      return `waits until claim ${by.join()}, which says that it is bound to it, is gone; if claimRef was changed by hand, set its namespace, name and uid to those of that claim`;
    case 'ClaimsUnlisted':
      return `waits until the claims of namespace ${by.join()} are listed`;
    case 'Attached':
      return `waits: attached to ${by.join(', ')}`;
    case 'StorageShared':
      return `waits: storage shared with ${by.join(', ')}`;
  }
}

/** Undefined if Holdfast leaves the volume to other controllers. */
export function decisionWords(decision: Decision, driver: string): string | undefined {
  switch (decision.kind) {
    case 'reclaim':
      return `deletes the storage by ${driver}, then the volume, and takes its finalizer off`;
    case 'deleteObject':
      return 'deletes the volume first, since its undo window is over, then its storage';
    case 'finish':
      return 'deletes the volume and takes its finalizer off: the storage is deleted';
    case 'postpone':
      return postponementWords(decision);
    case 'wait':
      return decision.reason === 'WindowOpen'
        ? 'waits until its undo window is over'
        : 'waits: the undo window that it asks for is not available';
    case 'mark':
      return `marks it, so that its storage is deleted after ${new Date(decision.due).toISOString()}`;
    case 'unmark':
      return 'takes its mark away';
    case 'giveBack':
      return 'gives it back to the claim that asks for it';
    case 'changeFinalizers':
      return [
        ...decision.add.map((each) => `puts ${each} on`),
        ...decision.remove.map((each) => `takes ${each} off`),
      ].join(', ');
    case 'warnOfLeak':
      return 'can not hold it any more: its storage may be left behind';
    case 'warnOfStuck':
      return decision.reason === 'PolicyUnknown'
        ? 'holds it until its reclaim policy is one that is known'
        : 'holds it by a finalizer of its own, and only a process that deletes such volumes takes it off; or set its policy to Retain';
    case 'refuse':
    case 'askServer':
      return 'looks at it again';
    case 'none':
      return undefined;
  }
}
