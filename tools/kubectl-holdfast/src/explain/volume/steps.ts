import { isTerminating, objectKey, type PersistentVolume } from '@holdfast/core';
import {
  classOf,
  decide,
  isBoundTo,
  isDeletionBegun,
  isStorageDeleted,
  keeperOf as keeperIn,
  meansDelete,
  undoFactsOf,
  undoMarkOf,
  undoWarningOf,
  withUndoFinalizer,
  type Decision,
  type Keeper,
  type Snapshot,
} from '@holdfast/pv-reclaim-honor/decide';
import { givesWindows, type Reclaimer } from '../../cluster/reclaimer.ts';
import { timeOf, windowEndWords } from '../../plan/vacancy-wait.ts';
import type { Step } from '../explanation.ts';
import { decisionWords } from './decision-words.ts';
import {
  fateOfClaim,
  hasUidOf,
  idleHolds,
  isKept,
  isReleased,
  keeperOf,
  policyOf,
  windowOf,
  type VolumeFacts,
} from './facts.ts';
import { ifDetached, stockSteps } from './stock-steps.ts';

/**
 * Returns the next steps about the volume: by Holdfast's own decision if it is at work, otherwise by the
 * stock controllers' rules.
 */
export function stepsOf(facts: VolumeFacts): readonly Step[] {
  if (fateOfClaim(facts) === 'unknown') {
    return [
      {
        who: 'nobody',
        does: 'acts while its claim exists, which could not be read',
        source: 'volumeProtection',
      },
    ];
  }
  if (isStorageDeleted(facts.volume)) {
    return [
      {
        who: 'nobody',
        does: 'has anything left to delete: pv-reclaim-honor has deleted its storage, and it goes when its finalizers are taken off',
        source: 'reclaim',
      },
    ];
  }
  const decision = decisionOf(facts);
  return [
    ...(decision === 'unread'
      ? []
      : decision === 'unclear'
        ? unclearSteps(facts)
        : decidedSteps(facts, decision)),
    ...idleSteps(facts),
    ...warningSteps(facts),
    ...unreadSteps(facts),
    ...markSteps(facts, decision),
  ];
}

/**
 * What pv-reclaim-honor decides; undefined if it is not at work for the volume; `unread` if its class decides that;
 * `unclear` if it can't tell which claim `claimRef` means.
 */
export function decisionOf(facts: VolumeFacts): Decision | 'unread' | 'unclear' | undefined {
  const { volume, claim, attachments, holdfast, keeper, now } = facts;
  const { sharing = 'unread' } = facts;
  const shared = sharing === 'unread' ? { neededBy: [], attachedTo: [] } : sharing;
  const own = holdfast === undefined || !keeperOf(volume).isCsi ? undefined : appKeeper(facts, holdfast);
  if (holdfast === undefined || own === undefined || own.kind === 'foreign') {
    return undefined;
  }
  const request = windowOf(facts);
  if (request === 'unread' && meansDelete(volume) && givesWindows(holdfast)) {
    return request;
  }
  const found = claim === 'unread' ? undefined : claim;
  const fate = fateOfClaim(facts);
  const snapshot: Snapshot = {
    source: 'server',
    volume,
    claimUid: fate === 'elsewhere' && hasUidOf(facts) ? facts.elsewhere?.metadata.uid : found?.metadata.uid,
    claimBound: found !== undefined && isBoundTo(found, volume),
    unlisted: undefined,
    boundElsewhere:
      fate === 'elsewhere' && facts.elsewhere !== undefined && !hasUidOf(facts)
        ? objectKey(facts.elsewhere)
        : undefined,
    attachedTo: [...(attachments ?? []).map(({ spec }) => spec.nodeName), ...shared.attachedTo],
    sharedWith: shared.neededBy,
    freeOver: [],
    undo: undoFactsOf(volume, found, request === 'unread' ? { kind: 'none' } : request, {
      enabled: holdfast.gates.enabled('ReclaimGracePeriod'),
      now,
      serverNow: now,
      noneOverBefore: keeper && timeOf(keeper.wait),
    }),
    keeper: own,
    storageDeleted: false,
    honor: holdfast.gates.enabled('HonorPVReclaimPolicy'),
    mode: holdfast.mode,
  };
  // Its cache is enough for what needs no proof.
  return lackOf(volume) !== undefined && decide({ ...snapshot, source: 'cache' }).kind === 'askServer'
    ? 'unclear'
    : decide(snapshot);
}

/** What is missing in a `claimRef` with the UID of a claim; undefined if nothing is. */
function lackOf({ spec }: PersistentVolume): 'name' | 'namespace' | undefined {
  const { namespace = '', name = '', uid = '' } = spec?.claimRef ?? {};
  return uid === '' ? undefined : name === '' ? 'name' : namespace === '' ? 'namespace' : undefined;
}

/** Of the volume of a driver, which counts as connected. */
function appKeeper({ volume }: VolumeFacts, { csiFinalizer, mode, namespaces }: Reclaimer): Keeper {
  const keeper = keeperIn(volume, {
    ...{ mode, csiFinalizer, namespaces, migratedPlugins: [] },
    ...{ hasSockets: true, hasDriver: () => true, canDeleteInTree: () => false },
  });
  return withUndoFinalizer(keeper, volume);
}

const ifGone = ', if its claim is gone, as its phase says: that could not be read';
const ifAlone = ', if no other volume needs it: persistentvolumes could not be listed';

function unclearSteps({ volume }: VolumeFacts): readonly Step[] {
  const lack = lackOf(volume) ?? '';
  return [
    {
      who: 'Holdfast pv-reclaim-honor',
      does: `leaves it as it is: claimRef has no ${lack}, so whether its claim is there is not known; set spec.claimRef.${lack}`,
      source: 'reclaim',
    },
  ];
}

function decidedSteps(facts: VolumeFacts, decision: Decision | undefined): readonly Step[] {
  const { name } = keeperOf(facts.volume);
  const step = decision && decisionWords(decision, name);
  const isGoing = decision?.kind === 'reclaim' || decision?.kind === 'deleteObject';
  const wait = isGoing
    ? `${facts.claim === 'unread' ? ifGone : ''}${facts.attachments === undefined ? ifDetached : ''}${facts.sharing === 'unread' ? ifAlone : ''}`
    : '';
  return step === undefined
    ? stockSteps(facts)
    : [{ who: `Holdfast pv-reclaim-honor (driver ${name})`, does: `${step}${wait}`, source: 'reclaim' }];
}

/** Says that a volume which is to go is not let go. */
function idleSteps(facts: VolumeFacts): readonly Step[] {
  const { volume, keeper } = facts;
  const idle = isReleased(volume) || isTerminating(volume) ? idleHolds(facts) : [];
  return idle.length === 0
    ? []
    : [
        {
          who: 'Holdfast pv-reclaim-honor',
          does: `takes ${idle.join(', ')} off only once it is at work again: ${keeper?.absent ?? ''}`,
          source: 'reclaim',
        },
      ];
}

/** Returns what pv-reclaim-honor warns of by an Event. */
function warningSteps(facts: VolumeFacts): readonly Step[] {
  const { volume, holdfast } = facts;
  const request = windowOf(facts);
  if (holdfast === undefined || !isKept(facts) || request === 'unread') {
    return [];
  }
  const warning = undoWarningOf(volume, request, appKeeper(facts, holdfast), holdfast.mode);
  return warning === undefined ? [] : [{ who: 'a warning', does: warning.note, source: 'reclaimWindow' }];
}

function unreadSteps(facts: VolumeFacts): readonly Step[] {
  const { volume, holdfast } = facts;
  return holdfast !== undefined && isKept(facts) && windowOf(facts) === 'unread' && givesWindows(holdfast)
    ? [
        {
          who: 'Holdfast pv-reclaim-honor',
          does: `might wait for an undo window: class ${classOf(volume)}, which might ask for one, could not be read`,
          source: 'reclaimWindow',
        },
      ]
    : [];
}

/** Says when the undo window of a released volume ends, unless pv-reclaim-honor does something else with it. */
function markSteps(facts: VolumeFacts, decision: ReturnType<typeof decisionOf>): readonly Step[] {
  const { volume, keeper = { absent: undefined, wait: { kind: 'none' } }, now } = facts;
  const mark = undoMarkOf(volume);
  const isOther = typeof decision === 'object' && decision.kind !== 'wait';
  const request = windowOf(facts);
  const isMeant =
    policyOf(volume) === 'Delete' ||
    (meansDelete(volume) && (request === 'unread' || request.kind === 'usable'));
  if (mark?.kind !== 'valid' || isOther || !isMeant || !isReleased(volume)) {
    return [];
  }
  const { name } = volume.metadata;
  const wayBack = isTerminating(volume)
    ? `kubectl holdfast undo pv ${name} keeps the storage`
    : isDeletionBegun(volume)
      ? `kubectl holdfast undo pv ${name} keeps what is left: a deletion of its storage was begun, and no claim gets it back`
      : `a claim of its name with spec.volumeName ${name} gets it back`;
  return [
    {
      who: 'Holdfast pv-reclaim-honor',
      does: `${windowEndWords('its storage', mark.due, keeper, now)}${keeper.absent === undefined ? `; until then ${wayBack}` : ''}`,
      source: 'reclaimWindow',
    },
  ];
}
