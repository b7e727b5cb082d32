import { isTerminating, objectKey } from '@holdfast/core';
import { recordedHold } from '@holdfast/pv-reclaim-honor/decide';
import type { Holder } from '../explanation.ts';
import { finalizerRule } from '../finalizer-words.ts';
import { claimName, fateOfClaim, hasUidOf, wasBound, type VolumeFacts } from './facts.ts';

export function finalizerHolders({ volume }: VolumeFacts): readonly Holder[] {
  return (volume.metadata.finalizers ?? []).map((finalizer): Holder => {
    const { who, when, source } = finalizerRule(finalizer, recordedHold(volume));
    return { kind: 'finalizer', name: finalizer, holds: true, words: `${who} takes it off ${when}`, source };
  });
}

export function claimHolders(facts: VolumeFacts): readonly Holder[] {
  const { volume, claim } = facts;
  const name = claimName(volume);
  if (name === undefined) {
    return [];
  }
  if (!wasBound(volume)) {
    return [
      { kind: 'claim', name, holds: false, words: 'was never bound to it', source: 'volumeProtection' },
    ];
  }
  const fate = fateOfClaim(facts);
  if (facts.elsewhere !== undefined && fate !== 'bound') {
    const holds = fate === 'elsewhere';
    const words = `${hasUidOf(facts) ? 'has the UID in claimRef' : 'says that it is bound to it'}${holds ? ': pv-reclaim-honor keeps the storage while it is there' : ', but only the claim that is named there is looked for'}`;
    return [{ kind: 'claim', name: objectKey(facts.elsewhere), holds, words, source: 'reclaim' }];
  }
  if (fate === 'bound') {
    const words = 'says that it is bound to it: pv-reclaim-honor keeps the storage while it is there';
    return [{ kind: 'claim', name, holds: true, words, source: 'reclaim' }];
  }
  const holds = fate === 'unknown' ? fate : fate === 'lives';
  return [{ kind: 'claim', name, holds, words: claimWords(claim, fate), source: 'volumeProtection' }];
}

function claimWords(claim: VolumeFacts['claim'], fate: ReturnType<typeof fateOfClaim>): string {
  if (claim === 'unread') {
    return fate === 'gone' ? 'is gone, according to the phase; it could not be read' : 'could not be read';
  }
  if (claim === undefined) {
    return 'is gone';
  }
  const deleted = isTerminating(claim) ? ', being deleted' : '';
  return `${fate === 'lives' ? (claim.status?.phase ?? 'of no phase') : 'is another claim of that name (UID)'}${deleted}`;
}

export function attachmentHolders({ attachments }: VolumeFacts): readonly Holder[] {
  return attachments === undefined
    ? [{ kind: 'attachment', name: '-', holds: 'unknown', words: 'attachments could not be read' }]
    : attachments.map(({ metadata, spec }) => ({
        kind: 'attachment',
        name: metadata.name,
        holds: true,
        words: `attached to ${spec.nodeName}: nothing is deleted while it is`,
        source: 'attachment',
      }));
}
