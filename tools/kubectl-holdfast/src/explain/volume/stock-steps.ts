import { isTerminating, objectKey } from '@holdfast/core';
import { isLetGoEarly, provisionedByAnnotation, undoMarkOf } from '@holdfast/pv-reclaim-honor/decide';
import { endOf } from '../../plan/vacancy-wait.ts';
import { isLeftBehind, migratedToAnnotation, undeletable } from '../../plan/volume-fate.ts';
import type { Step } from '../explanation.ts';
import {
  fateOfClaim,
  idleHolds,
  isFolder,
  isFolderHeld,
  keeperOf,
  otherAwaited,
  phaseOf,
  policyOf,
  wasBound,
  windowOf,
  type VolumeFacts,
} from './facts.ts';

export const ifDetached = ', if it is attached to no node: attachments could not be read';

/**
 * Returns what the stock controllers do next:
 *
 * | claim | policy | phase              | answer                                                                                 |
 * | ----- | ------ | ------------------ | -------------------------------------------------------------------------------------- |
 * | lives | -      | -                  | nothing, until it is gone                                                              |
 * | gone  | Delete | Released or Failed | the provisioner deletes the storage, then the volume; nobody if none can, or none will |
 * | gone  | Delete | else               | kube-controller-manager sets it to Released                                            |
 * | gone  | else   | -                  | nobody: an administrator decides                                                       |
 * | never | -      | -                  | nothing; a claim might be bound to it                                                  |
 */
export function stockSteps(facts: VolumeFacts): readonly Step[] {
  const { volume, attachments, holdfast, hidden } = facts;
  const { name, isCsi } = keeperOf(volume);
  if (!wasBound(volume)) {
    return isTerminating(volume)
      ? [
          {
            who: 'kube-controller-manager',
            does: 'lets it go: it was never bound',
            source: 'volumeProtection',
          },
        ]
      : [{ who: 'kube-controller-manager', does: 'binds it to a claim that fits', source: 'reclaimPolicy' }];
  }
  if (fateOfClaim(facts) === 'lives') {
    return [{ who: 'nobody', does: 'acts until its claim is gone', source: 'volumeProtection' }];
  }
  if (policyOf(volume) !== 'Delete') {
    return [
      {
        who: 'nobody',
        does: `deletes it: policy ${policyOf(volume)} leaves volume and storage to an administrator`,
        source: 'reclaimPolicy',
      },
    ];
  }
  if (phaseOf(volume) !== 'Released' && phaseOf(volume) !== 'Failed') {
    return [
      {
        who: 'kube-controller-manager',
        does: 'sets its phase to Released, since its claim is gone',
        source: 'reclaimPolicy',
      },
    ];
  }
  const hostPath = hostPathStep(facts);
  if (hostPath !== undefined) {
    return [{ ...hostPath, source: 'reclaim' }];
  }
  const plugin = undeletable(volume);
  if (plugin !== undefined) {
    return [
      {
        who: 'nobody',
        does: `deletes it: no controller can delete the storage of a volume of ${plugin} that no provisioner made`,
        source: 'reclaimPolicy',
      },
    ];
  }
  if (isLeftBehind(volume)) {
    return [
      {
        who: 'nobody',
        does: 'deletes its storage: no finalizer holds the volume, which is being deleted, until that is done',
        source: 'reclaim',
      },
    ];
  }
  const { annotations = {} } = volume.metadata;
  const driver = isCsi ? name : annotations[migratedToAnnotation];
  // pv-reclaim-honor deletes in both phases, and migrated volumes too.
  const isStockAlone = holdfast === undefined && hidden === undefined;
  if (driver !== undefined && phaseOf(volume) === 'Failed' && isStockAlone) {
    return [
      {
        who: 'nobody',
        does: `deletes it: external-provisioner of ${driver} deletes only volumes of phase Released`,
        source: 'reclaim',
      },
    ];
  }
  const nodes = (attachments ?? []).map(({ spec }) => spec.nodeName);
  const wait =
    attachments === undefined
      ? ifDetached
      : nodes.length === 0
        ? ''
        : `, once it is detached from ${nodes.join(', ')}`;
  return [
    {
      who:
        driver === undefined
          ? (annotations[provisionedByAnnotation] ?? 'kube-controller-manager')
          : `external-provisioner of ${driver}`,
      does: `deletes the storage, then the volume${wait}`,
      source: 'reclaim',
    },
  ];
}

/** What pv-reclaim-honor does about the undo window of a folder; undefined if that does not hold it up. */
function windowStep(facts: VolumeFacts): string | undefined {
  const { volume, holdfast, keeper, now } = facts;
  const mark = undoMarkOf(volume);
  if (mark?.kind === 'valid' && endOf(mark.due, keeper?.wait ?? { kind: 'none' }) > now) {
    return 'waits until its undo window is over';
  }
  const request = windowOf(facts);
  if (holdfast?.mode !== 'reclaim' || request === 'unread' || request.kind === 'none') {
    return undefined;
  }
  return request.kind === 'unusable'
    ? 'waits: the undo window that it asks for is not available'
    : mark?.kind === 'valid'
      ? undefined
      : 'marks it, so that the folder is deleted after its undo window';
}

/** Undefined if no other volume over the folder keeps it. */
function sharedStep({ sharing }: VolumeFacts): string | undefined {
  return sharing === undefined || sharing === 'unread' || sharing.neededBy.length === 0
    ? undefined
    : `waits: storage shared with ${sharing.neededBy.join(', ')}`;
}

/** Undefined for volumes that are no such folder. */
function hostPathStep(facts: VolumeFacts): Omit<Step, 'source'> | undefined {
  const { volume } = facts;
  const awaited = otherAwaited(facts);
  if (!isFolder(volume)) {
    return undefined;
  }
  if (awaited !== undefined) {
    return { who: 'Holdfast pv-reclaim-honor', does: `waits until claim ${objectKey(awaited)} is gone` };
  }
  if (idleHolds(facts).length > 0) {
    const idle = 'pv-reclaim-honor, which holds the volume, is';
    return isLetGoEarly(volume)
      ? {
          who: 'kube-controller-manager',
          does: `deletes the folder where it runs itself, if it finds one: the folder on another node stays until ${idle} at work again`,
        }
      : { who: 'nobody', does: `deletes the folder: ${idle} not at work` };
  }
  if (isFolderHeld(volume)) {
    return {
      who: 'Holdfast pv-reclaim-honor',
      does: windowStep(facts) ?? sharedStep(facts) ?? 'deletes the folder on its node, then the volume',
    };
  }
  return isLetGoEarly(volume)
    ? {
        who: 'kube-controller-manager',
        does: 'deletes the folder where it runs itself, if it finds one, then the volume: the folder on another node is left behind',
      }
    : {
        who: 'nobody',
        does: 'deletes it: kube-controller-manager deletes only folders with /tmp/ in their path, and pv-reclaim-honor does not hold it',
      };
}
