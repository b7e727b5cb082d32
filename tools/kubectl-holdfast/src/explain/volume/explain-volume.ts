import { objectKey } from '@holdfast/core';
import { isStorageDeleted } from '@holdfast/pv-reclaim-honor/decide';
import { hiddenSteps, type Explanation, type Step } from '../explanation.ts';
import { casesOf } from './cases.ts';
import {
  claimName,
  fateOfClaim,
  hasUidOf,
  isKept,
  keeperOf,
  phaseOf,
  policyOf,
  wasBound,
  type VolumeFacts,
} from './facts.ts';
import { attachmentHolders, claimHolders, finalizerHolders } from './holders.ts';
import { stepsOf } from './steps.ts';

export function explainVolume(facts: VolumeFacts): Explanation {
  const { volume } = facts;
  return {
    subject: { kind: 'PersistentVolume', name: volume.metadata.name },
    state: stateOf(facts),
    holders: [...finalizerHolders(facts), ...claimHolders(facts), ...attachmentHolders(facts)],
    next: [
      ...stepsOf(facts),
      // Volumes of other kinds are not its concern, whatever its flags.
      ...unreadSteps(facts),
      ...hiddenSteps('pv-reclaim-honor', keeperOf(volume).isCsi ? facts.hidden : undefined, 'reclaim'),
    ],
    ifs: casesOf(facts),
  };
}

/** Only pv-reclaim-honor looks for claims of other names than the one in claimRef. */
function unreadSteps(facts: VolumeFacts): readonly Step[] {
  const { volume, isElsewhereUnread = false, holdfast } = facts;
  const isAtStake = policyOf(volume) === 'Delete' && !isStorageDeleted(volume);
  return isElsewhereUnread && isAtStake && holdfast?.mode === 'reclaim' && isKept(facts)
    ? [
        {
          who: 'Holdfast pv-reclaim-honor',
          does: 'keeps the storage if a claim of another name has the UID in claimRef or says that it is bound to it: claims of all namespaces could not be read',
          source: 'reclaim',
        },
      ]
    : [];
}

function fateWords(facts: VolumeFacts): string {
  const fate = fateOfClaim(facts);
  if (facts.elsewhere !== undefined && fate !== 'bound') {
    const key = objectKey(facts.elsewhere);
    return hasUidOf(facts)
      ? `, whose UID claim ${key} has`
      : `, which is gone, while claim ${key} says that it is bound to it`;
  }
  if (fate === 'bound') {
    return ', which says that it is bound to it, though the UID in claimRef is another';
  }
  return fate === 'gone' ? ', which is gone' : fate === 'unknown' ? ', which could not be read' : '';
}

function stateOf(facts: VolumeFacts): string {
  const { volume } = facts;
  const claim = claimName(volume);
  const of =
    claim === undefined
      ? ''
      : !wasBound(volume)
        ? `, reserved for claim ${claim}`
        : ` ${['gone', 'elsewhere', 'bound'].includes(fateOfClaim(facts)) ? 'from' : 'to'} claim ${claim}${fateWords(facts)}`;
  const since = volume.metadata.deletionTimestamp;
  const deleted = since === undefined ? '' : `, being deleted since ${since}`;
  return `${phaseOf(volume)}${of}, reclaim policy ${policyOf(volume)}${deleted}`;
}
