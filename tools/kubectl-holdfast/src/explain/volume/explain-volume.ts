import { objectKey } from '@holdfast/core';
import { hiddenSteps, type Explanation } from '../explanation.ts';
import { casesOf } from './cases.ts';
import {
  claimName,
  fateOfClaim,
  hasUidOf,
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
      ...hiddenSteps('pv-reclaim-honor', keeperOf(volume).isCsi ? facts.hidden : undefined, 'reclaim'),
    ],
    ifs: casesOf(facts),
  };
}

function fateWords(facts: VolumeFacts): string {
  if (facts.elsewhere !== undefined) {
    const key = objectKey(facts.elsewhere);
    return hasUidOf(facts)
      ? `, whose UID claim ${key} has`
      : `, which is gone, while claim ${key} says that it is bound to it`;
  }
  const fate = fateOfClaim(facts);
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
