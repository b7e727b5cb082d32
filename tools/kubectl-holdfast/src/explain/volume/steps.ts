import { objectKey, type PersistentVolume } from '@holdfast/core';
import { decide, isBoundTo, undoMarkOf, withUndoFinalizer } from '@holdfast/pv-reclaim-honor/decide';
import type { Step } from '../explanation.ts';
import { decisionWords } from './decision-words.ts';
import { fateOfClaim, hasUidOf, isKept, keeperOf, type VolumeFacts } from './facts.ts';
import { ifDetached, stockSteps } from './stock-steps.ts';

/**
 * Returns the next steps about the volume: by Holdfast's own decision if it is at work, otherwise by the
 * stock controllers' rules.
 */
export function stepsOf(facts: VolumeFacts): readonly Step[] {
  const { volume, claim, attachments, holdfast, window, now } = facts;
  const { name } = keeperOf(volume);
  const fate = fateOfClaim(facts);
  if (fate === 'unknown') {
    return [
      {
        who: 'nobody',
        does: 'acts while its claim exists, which could not be read',
        source: 'volumeProtection',
      },
    ];
  }
  const found = claim === 'unread' ? undefined : claim;
  if (holdfast === undefined || !isKept(facts)) {
    return stockSteps(facts);
  }
  const decision = decide({
    source: 'server',
    volume,
    claimUid: fate === 'elsewhere' && hasUidOf(facts) ? facts.elsewhere?.metadata.uid : found?.metadata.uid,
    claimBound: found !== undefined && isBoundTo(found, volume),
    boundElsewhere:
      fate === 'elsewhere' && facts.elsewhere !== undefined && !hasUidOf(facts)
        ? objectKey(facts.elsewhere)
        : undefined,
    attachedTo: (attachments ?? []).map(({ spec }) => spec.nodeName),
    sharedWith: [],
    undo:
      window === undefined && undoMarkOf(volume) === undefined
        ? undefined
        : {
            enabled: holdfast.gates.enabled('ReclaimGracePeriod'),
            grace:
              window !== undefined && !holdfast.gates.enabled('ReclaimGracePeriod') ? 'unusable' : window,
            askedBack:
              found?.spec?.volumeName === volume.metadata.name && (fate === 'gone' || fate === 'bound'),
            now,
            serverNow: now,
          },
    keeper: withUndoFinalizer(
      { kind: 'csi', name, finalizer: holdfast.csiFinalizer, stale: undefined, canDelete: true },
      volume,
    ),
    storageDeleted: false,
    honor: holdfast.gates.enabled('HonorPVReclaimPolicy'),
    mode: holdfast.mode,
  });
  const step = decisionWords(decision, name);
  const wait = decision.kind === 'reclaim' && attachments === undefined ? ifDetached : '';
  return step === undefined
    ? stockSteps(facts)
    : [{ who: `Holdfast pv-reclaim-honor (driver ${name})`, does: `${step}${wait}`, source: 'reclaim' }];
}

export function markSteps(volume: PersistentVolume): readonly Step[] {
  const mark = undoMarkOf(volume);
  return mark?.kind === 'valid'
    ? [
        {
          who: 'Holdfast pv-reclaim-honor',
          does: `deletes its storage after ${new Date(mark.due).toISOString()}; until then a claim of its name with spec.volumeName ${volume.metadata.name} gets it back`,
          source: 'reclaimWindow',
        },
      ]
    : [];
}
