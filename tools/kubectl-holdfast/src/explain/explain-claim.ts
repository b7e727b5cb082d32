import {
  finalizers,
  hasFinalizer,
  isTerminating,
  type FeatureGates,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  type VolumeAttachment,
} from '@holdfast/core';
import { isDeletionBegun, reclaimPolicyAnnotation, undoMarkOf } from '@holdfast/pv-reclaim-honor/decide';
import { anyNode, decide, type Decision, type GateName } from '@holdfast/pvc-protection/decide';
import { defaultClass, isWaiting } from '@holdfast/retroactive-default-sc/decide';
import { isHold, markOf } from '@holdfast/statefulset-pvc-retention/decide';
import { isProtected, refusal, stayWords } from '../plan/deletion-protection.ts';
import type { ClaimPlan, Outcome } from '../plan/plan.ts';
import { sourceOf, wordsOf } from '../plan/reason.ts';
import { windowEndWords, type WindowKeeper } from '../plan/vacancy-wait.ts';
import { dataOf, dataWords, isReleased, type NamedVolume, type VolumeFate } from '../plan/volume-fate.ts';
import type { OwnerState } from '../plan/world.ts';
import { hiddenSteps, type Case, type Explanation, type Holder, type Step } from './explanation.ts';
import { finalizerRule } from './finalizer-words.ts';
import { hasNoProvisioner, whenMade } from './provisioning.ts';
import { holdsByStock, namesClaim, podWords } from './pod-words.ts';

/** A claim and everything on which its explanation depends. */
export interface ClaimFacts {
  readonly claim: PersistentVolumeClaim;
  /** The pods of its namespace. */
  readonly pods: readonly Pod[];
  readonly volume: NamedVolume;
  /** The attachments of its volume; undefined if they may not be read. */
  readonly attachments: readonly VolumeAttachment[] | undefined;
  /** The states of owners by UID; owners that are missing here are gone. */
  readonly owners: ReadonlyMap<string, OwnerState>;
  /** Undefined if they may not be read. */
  readonly classes: readonly StorageClass[] | undefined;
  /** The gates of Holdfast's pvc-protection; undefined if it is not at work. */
  readonly protection: FeatureGates<GateName> | undefined;
  /** Why these gates might be others, or pvc-protection at work after all. Default: they are known. */
  readonly protectionHidden?: string | undefined;
  /** Holdfast's statefulset-pvc-retention. Default: it is at work, and does not wait. */
  readonly retention?: WindowKeeper | undefined;
  /** Holdfast's pv-reclaim-honor for its volume. Default: it is at work, or that is not known. */
  readonly giver?: {
    readonly absent: string | undefined;
    /** Whether it does not give the volume back to a claim that asks for it. */
    readonly isOff: boolean;
  };
  /**
   * The set whose templates make claims of this name, and what happens to the claim with it; undefined if
   * there is none.
   */
  readonly set:
    { readonly name: string; readonly onScaleDown: ClaimPlan; readonly onDeletion: ClaimPlan } | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function explainClaim(facts: ClaimFacts): Explanation {
  const { claim } = facts;
  const { namespace = '', name } = claim.metadata;
  const users = usersOf(facts);
  return {
    subject: { kind: 'PersistentVolumeClaim', namespace, name },
    state: stateOf(facts, users),
    holders: [
      ...finalizerHolders(claim, users),
      ...podHolders(facts, users),
      ...attachmentHolders(facts),
      ...ownerHolders(facts),
      ...volumeHolders(facts),
    ],
    next: [
      ...deletionSteps(facts, users),
      ...hiddenSteps('pvc-protection', facts.protectionHidden, 'claimProtection'),
      ...markSteps(facts),
      ...(givenBackSteps(facts) ?? bindingSteps(facts)),
    ],
    ifs: [...claimCases(facts, users), ...podCases(facts), ...setCases(facts)],
  };
}

interface Users {
  /** The names of the pods that keep the claim once it is deleted. */
  readonly names: readonly string[];
  /**
   * Whether these pods have ended while the volume is still attached to their nodes; `perhaps` if attachments
   * may not be read.
   */
  readonly attached: 'yes' | 'no' | 'perhaps';
}

/**
 * Finds the pods that would keep the claim: by Holdfast's rules if it is at work, otherwise by those of
 * kube-controller-manager.
 */
export function usersOf({
  claim,
  pods,
  attachments,
  protection,
}: Pick<ClaimFacts, 'claim' | 'pods' | 'attachments' | 'protection'>): Users {
  const own = pods.filter((pod) => namesClaim(pod, claim));
  if (protection === undefined) {
    return {
      names: own.filter((pod) => holdsByStock(pod, claim)).map(({ metadata }) => metadata.name),
      attached: 'no',
    };
  }
  const nodes = new Set(attachments?.map(({ spec }) => spec.nodeName) ?? [anyNode]);
  const deleted = {
    ...claim,
    metadata: { ...claim.metadata, deletionTimestamp: '', finalizers: held(claim) },
  };
  const decision = decide({
    claim: deleted,
    cachedPods: own,
    cachedNodes: nodes,
    live: { claimUid: claim.metadata.uid, pods: own, nodes },
    protect: protection.enabled('StorageObjectInUseProtection'),
    waitForDetach: protection.enabled('WaitForVolumeDetach'),
  });
  return decision.kind === 'postpone'
    ? { names: decision.pods, attached: attachedBy(decision.reason, attachments) }
    : { names: [], attached: 'no' };
}

function attachedBy(reason: Decision['reason'], attachments: ClaimFacts['attachments']): Users['attached'] {
  return reason !== 'StillAttached' ? 'no' : attachments === undefined ? 'perhaps' : 'yes';
}

function held({ metadata: { finalizers: own = [] } }: PersistentVolumeClaim): readonly string[] {
  return own.includes(finalizers.pvcProtection) ? own : [...own, finalizers.pvcProtection];
}

function absenceOf(volume: NamedVolume): string {
  if (volume === 'missing') {
    return ', which is not there';
  }
  return volume === undefined ? ', which could not be read' : '';
}

function stateOf({ claim, volume }: ClaimFacts, users: Users): string {
  const { phase = 'of no phase' } = claim.status ?? {};
  const { volumeName } = claim.spec ?? {};
  const bound =
    volumeName === undefined || volumeName === '' ? phase : `${phase} to ${volumeName}${absenceOf(volume)}`;
  if (!isTerminating(claim)) {
    return users.names.length === 0
      ? `${bound}, used by no pod`
      : `${bound}, used by ${listed('pod', users.names)}`;
  }
  const left = claim.metadata.finalizers ?? [];
  const since = `${bound}, being deleted since ${claim.metadata.deletionTimestamp ?? ''}`;
  return left.length === 0 ? `${since}, held by nobody` : `${since}, held by ${listed('finalizer', left)}`;
}

function finalizerHolders(claim: PersistentVolumeClaim, users: Users): readonly Holder[] {
  return (claim.metadata.finalizers ?? []).map((finalizer): Holder => {
    const { who, when, source } = finalizerRule(finalizer);
    const isWaiting = finalizer !== finalizers.pvcProtection || users.names.length > 0;
    return {
      kind: 'finalizer',
      name: finalizer,
      holds: isWaiting,
      words: `${who} takes it off ${when}`,
      source,
    };
  });
}

function podHolders({ claim, pods }: ClaimFacts, users: Users): readonly Holder[] {
  return pods
    .filter((pod) => namesClaim(pod, claim))
    .map((pod): Holder => {
      const { name } = pod.metadata;
      const isUser = users.names.includes(name);
      const holds = isUser && users.attached === 'perhaps' ? 'unknown' : isUser;
      const why = isUser ? useWords[users.attached] : 'does not hold it';
      return { kind: 'pod', name, holds, words: `${podWords(pod)}: ${why}`, source: 'claimProtection' };
    });
}

const useWords: Readonly<Record<Users['attached'], string>> = {
  yes: 'ended, volume still attached',
  no: 'uses it',
  perhaps: 'ended, and whether the volume is still attached could not be read',
};

function attachmentHolders({ attachments, claim }: ClaimFacts): readonly Holder[] {
  if (attachments === undefined && (claim.spec?.volumeName ?? '') !== '') {
    return [{ kind: 'attachment', name: '-', holds: 'unknown', words: 'attachments could not be read' }];
  }
  return (attachments ?? []).map(({ metadata, spec }) => ({
    kind: 'attachment',
    name: metadata.name,
    holds: false,
    words: `its volume is attached to ${spec.nodeName}`,
    source: 'attachment',
  }));
}

function ownerHolders({ claim, owners }: ClaimFacts): readonly Holder[] {
  const references = claim.metadata.ownerReferences ?? [];
  const isOnly = references.length === 1;
  return references.map((owner): Holder => {
    if (isHold(claim, owner)) {
      return {
        kind: 'owner',
        name: `${owner.kind} ${owner.name}`,
        holds: true,
        words: 'itself: Holdfast holds it until the reference beside it is confirmed',
        source: 'holdfastRetention',
      };
    }
    return {
      kind: 'owner',
      name: `${owner.kind} ${owner.name}`,
      holds: false,
      words: ownerWords(owner, owners.get(owner.uid) ?? 'gone', isOnly),
      source: 'garbageCollection',
    };
  });
}

function ownerWords({ controller }: OwnerReference, state: OwnerState, isOnly: boolean): string {
  const role = controller === true ? 'controls it' : 'owns it';
  switch (state) {
    case 'lives':
      return `lives, ${role}: ${isOnly ? 'the claim goes with it' : 'the claim goes with the last owner'}`;
    case 'leaving':
      return `is being deleted, ${role}: ${isOnly ? 'the claim goes with it' : 'the claim goes with the last owner'}`;
    case 'gone':
      return `is gone, ${role}: ${isOnly ? 'the garbage collector deletes the claim' : 'its reference is taken off'}`;
    case 'unknown':
      return `${role}: whether it lives could not be read`;
  }
}

function volumeHolders({ claim, volume }: ClaimFacts): readonly Holder[] {
  const { volumeName } = claim.spec ?? {};
  if (volume === undefined || volume === 'missing') {
    return [];
  }
  const { persistentVolumeReclaimPolicy: policy = 'Retain' } = volume.spec ?? {};
  return [
    {
      kind: 'volume',
      name: volumeName ?? '',
      holds: false,
      words: `${volume.status?.phase ?? 'of no phase'}, reclaim policy ${policy}`,
      source: 'reclaimPolicy',
    },
  ];
}

function deletionSteps({ claim, protection }: ClaimFacts, users: Users): readonly Step[] {
  if (!isTerminating(claim)) {
    return [];
  }
  const steps = (claim.metadata.finalizers ?? []).map((finalizer): Step => {
    const { who, when, source } = finalizerRule(finalizer);
    if (finalizer !== finalizers.pvcProtection) {
      return { who: who.replace(/,$/, ''), does: `takes ${finalizer} off ${when}`, source };
    }
    const by = protection === undefined ? 'kube-controller-manager' : 'Holdfast pvc-protection';
    return {
      who: by,
      does:
        users.names.length === 0
          ? `takes ${finalizer} off now, since no pod uses the claim`
          : `takes ${finalizer} off once ${listed('pod', users.names)} ${endWords(users, protection !== undefined)}`,
      source,
    };
  });
  return steps.length > 0
    ? steps
    : [{ who: 'the API server', does: 'removes the claim at once', source: 'finalizers' }];
}

function endWords({ attached }: Users, isHoldfast: boolean): string {
  switch (attached) {
    case 'yes':
      return 'is detached';
    case 'perhaps':
      return 'is detached, if it is not yet: attachments could not be read';
    case 'no':
      return isHoldfast ? 'has ended and is detached' : 'is gone';
  }
}

function markSteps({
  claim,
  retention = { absent: undefined, wait: { kind: 'none' } },
  now,
}: ClaimFacts): readonly Step[] {
  const mark = markOf(claim);
  const { namespace = '', name } = claim.metadata;
  return mark?.kind === 'valid' && !isTerminating(claim)
    ? [
        {
          who: 'Holdfast statefulset-pvc-retention',
          does: `${windowEndWords('the claim', mark.due, retention, now)}${isProtected(claim) ? ` (${stayWords(['it'])})` : ''}; to keep it: kubectl annotate pvc ${name} -n ${namespace} holdfast.dev/delete-after-`,
          source: 'undoWindow',
        },
      ]
    : [];
}

/**
 * Returns who gives it the volume of an earlier claim of its name, which waits for the end of its undo window;
 * undefined if it asks for no such volume.
 */
function givenBackSteps(facts: ClaimFacts): readonly Step[] | undefined {
  const { claim, volume, giver } = facts;
  const { namespace, name, uid } = claim.metadata;
  if (volume === undefined || volume === 'missing' || isTerminating(claim)) {
    return undefined;
  }
  const { claimRef } = volume.spec ?? {};
  const isWaiting =
    claimRef?.namespace === namespace &&
    claimRef?.name === name &&
    claimRef.uid !== uid &&
    undoMarkOf(volume)?.kind === 'valid' &&
    isReleased(volume);
  if (!isWaiting) {
    return undefined;
  }
  const { name: volumeName } = volume.metadata;
  if (isTerminating(volume) || isDeletionBegun(volume)) {
    const why = isTerminating(volume) ? 'that is being deleted' : 'a deletion of its storage was begun';
    return [{ who: 'nobody', does: `gives it ${volumeName} back: ${why}`, source: 'reclaimWindow' }];
  }
  if (giver?.isOff === true) {
    return undefined;
  }
  const absent = giver?.absent;
  const when = absent === undefined ? '' : `, once it is at work again: ${absent}`;
  return [
    {
      who: 'Holdfast pv-reclaim-honor',
      does: `gives it ${volumeName} back, which is in its undo window${when}`,
      source: 'reclaimWindow',
    },
  ];
}

function bindingSteps({ claim, classes, volume }: ClaimFacts): readonly Step[] {
  if (isTerminating(claim) || claim.status?.phase !== 'Pending') {
    return [];
  }
  if (isWaiting(claim)) {
    if (classes === undefined) {
      return [
        {
          who: 'kube-controller-manager, or Holdfast retroactive-default-sc,',
          does: 'gives it the default class, if there is one: you may not list storageclasses',
          source: 'defaultClass',
        },
      ];
    }
    const chosen = defaultClass(classes);
    return [
      chosen === undefined
        ? { who: 'nobody', does: 'gives it a class: no class is the default one', source: 'defaultClass' }
        : {
            who: 'kube-controller-manager, or Holdfast retroactive-default-sc,',
            does: `gives it the default class ${chosen.metadata.name}`,
            source: 'defaultClass',
          },
    ];
  }
  const { volumeName = '', storageClassName = '' } = claim.spec ?? {};
  const data = dataOf(claim, volume, classes);
  if (data.data === 'foreign') {
    return [
      {
        who: 'nobody',
        does: `binds it to ${volumeName}: that is bound to another claim, ${data.boundTo}`,
        source: 'binding',
      },
    ];
  }
  if (volumeName !== '') {
    const does = `binds it to ${volumeName}${volume === 'missing' ? ' once that is there' : ''}`;
    return [{ who: 'kube-controller-manager', does, source: 'binding' }];
  }
  return [{ ...makerOf(storageClassName, classes), source: 'provisioning' }];
}

/** Who makes the volume of a claim that has this class, or none on purpose. */
function makerOf(className: string, classes: ClaimFacts['classes']): Omit<Step, 'source'> {
  const does = 'makes a volume for it';
  if (className === '') {
    return { who: 'an administrator', does };
  }
  if (classes === undefined) {
    return { who: `the provisioner of class ${className}, if it has one,`, does };
  }
  const own = classes.find(({ metadata }) => metadata.name === className);
  if (own !== undefined && !hasNoProvisioner(own)) {
    return { who: `the provisioner of class ${className}`, does: `${does}${whenMade(own)}` };
  }
  const why = own === undefined ? `there is no class ${className}` : `class ${className} has no provisioner`;
  return { who: 'an administrator', does: `${does}: ${why}` };
}

function claimCases({ claim, volume, classes, giver }: ClaimFacts, users: Users): readonly Case[] {
  const keeper: WindowKeeper = { absent: giver?.absent, wait: { kind: 'none' } };
  const data = dataOf(claim, volume, classes, { ofVolume: () => keeper });
  const fate =
    data.data === 'none' || data.data === 'missing'
      ? `it has no volume${data.data === 'missing' ? `: there is no ${data.volume}` : ''}`
      : `its data is ${dataWords(data)}`;
  const source = 'source' in data ? data.source : 'reclaimPolicy';
  if (isTerminating(claim)) {
    return [{ what: 'it is gone', then: fate, source }, ...keepingCases(data.data, volume)];
  }
  const until = [
    ...(hasFinalizer(claim, finalizers.pvcProtection) && users.names.length > 0
      ? [`${listed('pod', users.names)} ${users.names.length > 1 ? 'do' : 'does'} not use it any more`]
      : []),
    ...(claim.metadata.finalizers ?? [])
      .filter((each) => each !== finalizers.pvcProtection)
      .map((each) => `${each} is off`),
  ];
  const waits =
    until.length === 0 ? 'it goes at once' : `it stays, being deleted, until ${until.join(' and ')}`;
  return [
    { what: 'it is deleted', then: `${isProtected(claim) ? refusal : ''}${waits}; then ${fate}`, source },
  ];
}

/** A deletion can't be taken back, but the data can be kept as long as the claim is there. */
function keepingCases(data: VolumeFate['data'], volume: NamedVolume): readonly Case[] {
  const goes = data === 'deleted' || data === 'deletedLater' || data === 'scrubbed';
  if (!goes || volume === undefined || volume === 'missing') {
    return [];
  }
  const { name, annotations } = volume.metadata;
  const toRetain = `the policy of ${name} is set to Retain`;
  // With the annotation, an undo window would end with the deletion of the storage all the same.
  const isMeant = annotations?.[reclaimPolicyAnnotation] === 'Delete';
  const patch = JSON.stringify({
    ...(isMeant ? { metadata: { annotations: { [reclaimPolicyAnnotation]: null } } } : {}),
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
  });
  return [
    {
      what: isMeant ? `${toRetain}, and its annotation ${reclaimPolicyAnnotation} is taken off` : toRetain,
      then: `its storage stays, whatever is deleted: kubectl patch pv ${name} -p '${patch}'`,
      source: 'reclaimPolicy',
    },
  ];
}

function podCases({ claim, pods, owners }: ClaimFacts): readonly Case[] {
  const references = claim.metadata.ownerReferences ?? [];
  const owning = references.filter(
    ({ kind, uid }) => kind === 'Pod' && ['lives', 'leaving'].includes(owners.get(uid) ?? ''),
  );
  const naming = pods.filter(
    (pod) => namesClaim(pod, claim) && !owning.some(({ uid }) => uid === pod.metadata.uid),
  );
  return [
    ...owning.map(({ name }): Case => ({
      what: `pod ${name} is deleted`,
      then:
        references.length === 1
          ? 'the claim goes: the pod is its only owner, and the garbage collector deletes it'
          : 'the claim stays for its other owners',
      source: 'garbageCollection',
    })),
    ...naming.map(({ metadata }): Case => ({
      what: `pod ${metadata.name} is deleted`,
      then: isTerminating(claim)
        ? 'it does not hold the claim any more'
        : 'the claim stays: the pod does not own it',
      source: 'claimProtection',
    })),
  ];
}

function setCases({ set, claim }: ClaimFacts): readonly Case[] {
  return set === undefined || isTerminating(claim)
    ? []
    : [
        ...planCases(`StatefulSet ${set.name} is scaled below it`, set.onScaleDown, claim),
        ...planCases(`StatefulSet ${set.name} is deleted`, set.onDeletion, claim),
      ];
}

/** Returns one case for each possible outcome. */
function planCases(what: string, { outcomes }: ClaimPlan, claim: PersistentVolumeClaim): readonly Case[] {
  const kept = isProtected(claim) ? `; ${stayWords(['it'])}` : '';
  return outcomes.map((outcome, index) => ({
    what: index === 0 ? what : 'or, as may be',
    then: `${outcomeWords(outcome)}${outcome.fate === 'stays' ? '' : kept}`,
    source: sourceOf[outcome.reason.code],
  }));
}

export function outcomeWords({ fate, until, reason }: Outcome): string {
  switch (fate) {
    case 'stays':
      return `the claim stays: ${wordsOf(reason)}`;
    case 'goes':
      return `the claim goes: ${wordsOf(reason)}`;
    case 'goesLater':
      return `the claim goes after ${until ?? 'a while'}, and can be kept until then: ${wordsOf(reason)}`;
  }
}

function listed(kind: string, names: readonly string[]): string {
  return names.length === 1
    ? `${kind} ${names[0] ?? ''}`
    : `${kind}s ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${String(names.length - 5)} more` : ''}`;
}
