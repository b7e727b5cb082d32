import {
  isTerminating,
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type VolumeAttachment,
} from '@holdfast/core';
import {
  decide,
  inTreePluginOf,
  isLetGoEarly,
  meansDelete,
  ownHolds,
  provisionedByAnnotation,
  reclaimPolicyAnnotation,
  recordedHold,
  undoMarkOf,
  withUndoFinalizer,
  type Decision,
} from '@holdfast/pv-reclaim-honor/decide';
import type { Reclaimer } from '../cluster/reclaimer.ts';
import { isProtected, refusal, stayingVolume } from '../plan/deletion-protection.ts';
import { isHeldForStorage } from '../plan/storage-hold.ts';
import { isLeftBehind, undeletable, volumeFate } from '../plan/volume-fate.ts';
import { hiddenSteps, type Case, type Explanation, type Holder, type Step } from './explanation.ts';
import { finalizerRule } from './finalizer-words.ts';

/** A volume and everything on which its explanation depends. */
export interface VolumeFacts {
  readonly volume: PersistentVolume;
  /**
   * The claim that `claimRef` names, whatever its UID; undefined if there is none; `unread` if it may not be
   * read.
   */
  readonly claim: PersistentVolumeClaim | 'unread' | undefined;
  /**
   * The claim with the UID in `claimRef`, where that names another one or none: somebody has changed it.
   * Default: there is none.
   */
  readonly elsewhere?: PersistentVolumeClaim | undefined;
  /** Undefined if they may not be read. */
  readonly attachments: readonly VolumeAttachment[] | undefined;
  /** How Holdfast's pv-reclaim-honor is at work; undefined if it is not. */
  readonly holdfast: Reclaimer | undefined;
  /** Why these might be others, or pv-reclaim-honor at work after all. Default: they are known. */
  readonly hidden?: string | undefined;
  /**
   * The undo window that the volume asks for, in milliseconds; `unusable` if its text is invalid; undefined
   * if there is none.
   */
  readonly window: number | 'unusable' | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const migratedToAnnotation = 'pv.kubernetes.io/migrated-to';

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
      ...markSteps(volume),
    ],
    ifs: casesOf(facts),
  };
}

function policyOf({ spec }: PersistentVolume): string {
  return spec?.persistentVolumeReclaimPolicy ?? 'Retain';
}

function phaseOf({ status }: PersistentVolume): string {
  return status?.phase ?? 'of no phase';
}

function claimName({ spec }: PersistentVolume): string | undefined {
  const { namespace, name } = spec?.claimRef ?? {};
  return name === undefined ? undefined : `${namespace ?? ''}/${name}`;
}

/** An administrator can reserve a volume for a claim by a reference without a UID. */
function wasBound({ spec }: PersistentVolume): boolean {
  return (spec?.claimRef?.uid ?? '') !== '';
}

/**
 * Whether the claim exists to which the volume is bound. If the claim may not be read, the volume's phase can
 * show that it is gone, but not that it exists. A claim that only has the UID counts if pv-reclaim-honor
 * waits for it.
 */
function fateOfClaim(facts: VolumeFacts): 'lives' | 'gone' | 'unknown' | 'elsewhere' {
  const { volume, claim, elsewhere } = facts;
  if (elsewhere !== undefined) {
    return isAwaited(elsewhere, facts) ? 'elsewhere' : 'gone';
  }
  if (claim === 'unread') {
    return ['Released', 'Failed'].includes(phaseOf(volume)) ? 'gone' : 'unknown';
  }
  return claim !== undefined && claim.metadata.uid === volume.spec?.claimRef?.uid ? 'lives' : 'gone';
}

/**
 * Whether pv-reclaim-honor keeps the storage for a claim that only has the UID. In mode guard the provisioner
 * deletes it, and goes by the phase.
 */
function isAwaited({ metadata: { namespace = '' } }: PersistentVolumeClaim, facts: VolumeFacts): boolean {
  const { volume, holdfast } = facts;
  if (policyOf(volume) !== 'Delete' && !meansDelete(volume)) {
    return false;
  }
  if (isFolderHeld(volume)) {
    return true;
  }
  return (
    holdfast?.mode === 'reclaim' &&
    isKept(facts) &&
    holdfast.gates.enabled('HonorPVReclaimPolicy') &&
    (holdfast.namespaces.length === 0 || holdfast.namespaces.includes(namespace))
  );
}

function fateWords(facts: VolumeFacts): string {
  if (facts.elsewhere !== undefined) {
    return `, whose UID claim ${objectKey(facts.elsewhere)} has`;
  }
  const fate = fateOfClaim(facts);
  return fate === 'gone' ? ', which is gone' : fate === 'unknown' ? ', which could not be read' : '';
}

/** The component that creates and deletes the volume's storage. */
function keeperOf(volume: PersistentVolume): { readonly name: string; readonly isCsi: boolean } {
  const driver = volume.spec?.csi?.driver;
  return driver === undefined
    ? { name: inTreePluginOf(volume) ?? 'a plugin that is not known', isCsi: false }
    : { name: driver, isCsi: true };
}

/** Whether Holdfast manages the volume: a CSI volume that only its driver has made, as in `keeper.ts`. */
function isKept({ volume, holdfast }: VolumeFacts): boolean {
  const { name, isCsi } = keeperOf(volume);
  const { annotations = {} } = volume.metadata;
  const maker = annotations[migratedToAnnotation] ?? annotations[provisionedByAnnotation] ?? name;
  return holdfast !== undefined && isCsi && maker === name;
}

function stateOf(facts: VolumeFacts): string {
  const { volume } = facts;
  const claim = claimName(volume);
  const of =
    claim === undefined
      ? ''
      : !wasBound(volume)
        ? `, reserved for claim ${claim}`
        : ` ${['gone', 'elsewhere'].includes(fateOfClaim(facts)) ? 'from' : 'to'} claim ${claim}${fateWords(facts)}`;
  const since = volume.metadata.deletionTimestamp;
  const deleted = since === undefined ? '' : `, being deleted since ${since}`;
  return `${phaseOf(volume)}${of}, reclaim policy ${policyOf(volume)}${deleted}`;
}

function finalizerHolders({ volume }: VolumeFacts): readonly Holder[] {
  return (volume.metadata.finalizers ?? []).map((finalizer): Holder => {
    const { who, when, source } = finalizerRule(finalizer, recordedHold(volume));
    return { kind: 'finalizer', name: finalizer, holds: true, words: `${who} takes it off ${when}`, source };
  });
}

function claimHolders(facts: VolumeFacts): readonly Holder[] {
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
  if (facts.elsewhere !== undefined) {
    const holds = fate === 'elsewhere';
    const words = `has the UID in claimRef${holds ? ': pv-reclaim-honor keeps the storage while it is there' : ', but only the claim that is named there is looked for'}`;
    return [{ kind: 'claim', name: objectKey(facts.elsewhere), holds, words, source: 'reclaim' }];
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
  return fate === 'lives'
    ? `${claim.status?.phase ?? 'of no phase'}${isTerminating(claim) ? ', being deleted' : ''}`
    : 'is another claim of that name (UID)';
}

function attachmentHolders({ attachments }: VolumeFacts): readonly Holder[] {
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

/**
 * Returns the next steps about the volume: by Holdfast's own decision if it is at work, otherwise by the
 * stock controllers' rules.
 */
function stepsOf(facts: VolumeFacts): readonly Step[] {
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
    claimUid: fate === 'elsewhere' ? facts.elsewhere?.metadata.uid : found?.metadata.uid,
    attachedTo: (attachments ?? []).map(({ spec }) => spec.nodeName),
    sharedWith: [],
    undo:
      window === undefined && undoMarkOf(volume) === undefined
        ? undefined
        : {
            enabled: holdfast.gates.enabled('ReclaimGracePeriod'),
            grace:
              window !== undefined && !holdfast.gates.enabled('ReclaimGracePeriod') ? 'unusable' : window,
            askedBack: found?.spec?.volumeName === volume.metadata.name && fate === 'gone',
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

const ifDetached = ', if it is attached to no node: attachments could not be read';

/** Undefined if Holdfast leaves the volume to other controllers. */
function decisionWords(decision: Decision, driver: string): string | undefined {
  switch (decision.kind) {
    case 'reclaim':
      return `deletes the storage by ${driver}, then the volume, and takes its finalizer off`;
    case 'deleteObject':
      return 'deletes the volume first, since its undo window is over, then its storage';
    case 'finish':
      return 'deletes the volume and takes its finalizer off: the storage is deleted';
    case 'postpone':
      return decision.reason === 'ClaimLives'
        ? 'waits until its claim is gone'
        : `waits: ${decision.reason === 'Attached' ? 'attached to' : 'storage shared with'} ${decision.by.join(', ')}`;
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
        : 'looks at it again';
    case 'refuse':
    case 'askServer':
      return 'looks at it again';
    case 'none':
      return undefined;
  }
}

/**
 * Returns what the stock controllers do next:
 *
 * | claim | policy | phase              | answer                                                          |
 * |-------|--------|--------------------|-----------------------------------------------------------------|
 * | lives | -      | -                  | nothing, until it is gone                                       |
 * | gone  | Delete | Released or Failed | the provisioner deletes the storage, then the volume; nobody if none can, or none will |
 * | gone  | Delete | else               | kube-controller-manager sets it to Released                     |
 * | gone  | else   | -                  | nobody: an administrator decides                                |
 * | never | -      | -                  | nothing; a claim might be bound to it                           |
 */
function stockSteps(facts: VolumeFacts): readonly Step[] {
  const { volume, attachments } = facts;
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
  const nodes = (attachments ?? []).map(({ spec }) => spec.nodeName);
  const wait =
    attachments === undefined
      ? ifDetached
      : nodes.length === 0
        ? ''
        : `, once it is detached from ${nodes.join(', ')}`;
  const provisioner = volume.metadata.annotations?.[provisionedByAnnotation];
  return [
    {
      who: isCsi ? `external-provisioner of ${name}` : (provisioner ?? 'kube-controller-manager'),
      does: `deletes the storage, then the volume${wait}`,
      source: 'reclaim',
    },
  ];
}

/** Whether it is a hostPath volume that no external provisioner made. */
function isFolder({ metadata, spec }: PersistentVolume): boolean {
  const plugin = 'kubernetes.io/host-path';
  const { [provisionedByAnnotation]: maker = plugin } = metadata.annotations ?? {};
  return spec?.hostPath !== undefined && maker === plugin;
}

function isFolderHeld(volume: PersistentVolume): boolean {
  return isFolder(volume) && ownHolds(volume).length > 0;
}

/** Undefined for volumes that are no such folder. */
function hostPathStep(facts: VolumeFacts): Omit<Step, 'source'> | undefined {
  const { volume, elsewhere } = facts;
  if (!isFolder(volume)) {
    return undefined;
  }
  if (elsewhere !== undefined && fateOfClaim(facts) === 'elsewhere') {
    return { who: 'Holdfast pv-reclaim-honor', does: `waits until claim ${objectKey(elsewhere)} is gone` };
  }
  if (isFolderHeld(volume)) {
    return { who: 'Holdfast pv-reclaim-honor', does: 'deletes the folder on its node, then the volume' };
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

function markSteps(volume: PersistentVolume): readonly Step[] {
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

/** What happens to the storage once the claim is gone. */
type StorageFate = 'stays' | 'leftBehind' | 'goes' | 'goesAfterWindow' | 'goesAtOnceOrAfterWindow';

/**
 * | reclaim policy       | undo window                              | made by       | storage                       |
 * |----------------------|------------------------------------------|---------------|-------------------------------|
 * | Delete               | -                                        | a user, and no controller can delete it | stays |
 * | Delete, without a hold, and being deleted | -                    | a provisioner | is left behind                |
 * | Delete               | asked for, and Holdfast gives it         | a user        | goes after the window         |
 * | Delete               | asked for, and Holdfast gives it         | a provisioner | goes at once, or after it     |
 * | Delete               | else                                     | -             | goes                          |
 * | Retain, Delete meant | its finalizer is there, or Holdfast gives it | -         | goes after the window         |
 * | else                 | -                                        | -             | stays                         |
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
function casesOf(facts: VolumeFacts): readonly Case[] {
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
      return facts.elsewhere === undefined || !isHeldForStorage(facts.volume, facts.holdfast?.csiFinalizer)
        ? ''
        : `it stays, being deleted, until claim ${objectKey(facts.elsewhere)} is gone; then `;
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
  return isHeldForStorage(volume, holdfast?.csiFinalizer)
    ? `its storage is deleted${afterWindow(fate)} before it goes`
    : leftBehind;
}
