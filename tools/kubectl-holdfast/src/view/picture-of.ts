import {
  finalizers,
  type FeatureGates,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
  type StorageClass,
  type VolumeAttachment,
} from '@holdfast/core';
import { recordedHold } from '@holdfast/pv-reclaim-honor/decide';
import { claimsNamedBy, type GateName } from '@holdfast/pvc-protection/decide';
import { defaultClass, isWaiting } from '@holdfast/retroactive-default-sc/decide';
import { isHold, parseClaimName, policyOf, stemsOf } from '@holdfast/statefulset-pvc-retention/decide';
import { usersOf } from '../explain/explain-claim.ts';
import { finalizerRule } from '../explain/finalizer-words.ts';
import { namesClaim, podWords } from '../explain/pod-words.ts';
import { dataOf, dataWords, isOwn } from '../plan/volume-fate.ts';
import type { WindowKeepers } from '../plan/vacancy-wait.ts';
import { pendingOf, type Pending } from '../survey/undo.ts';
import type { Group, Item, Link, LinkKind, Mark } from './model/picture.ts';
import { kindWords, listed } from './model/words.ts';

/** The state of a cluster, as the caches have it. */
export interface Seen {
  readonly sets: readonly StatefulSet[];
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** Undefined if they may not be read. */
  readonly volumes: readonly PersistentVolume[] | undefined;
  /** Undefined if they may not be read. */
  readonly classes: readonly StorageClass[] | undefined;
  /** Undefined if they may not be read. */
  readonly attachments: readonly VolumeAttachment[] | undefined;
  /** The namespace that is shown; undefined for all. */
  readonly namespace: string | undefined;
  /**
   * Returns the gates of Holdfast's pvc-protection in a namespace; undefined if it is not at work there, or
   * if that is not known.
   */
  readonly protection: (namespace: string) => FeatureGates<GateName> | undefined;
  /** Default: whoever ends undo windows is at work, and does not wait. */
  readonly keepers?: WindowKeepers | undefined;
}

/**
 * Decides which object holds which:
 *
 * | from  | to     | because                                                                | link  |
 * |-------|--------|------------------------------------------------------------------------|-------|
 * | set   | pod    | controls it                                                            | owns  |
 * | set   | claim  | is among its owners                                                    | owns  |
 * | set   | claim  | a template of its makes claims of this name, and it is no owner        | names |
 * | pod   | claim  | is among its owners                                                    | owns  |
 * | pod   | claim  | keeps it once it is deleted: by Holdfast's rules where that is at work | holds |
 * | pod   | claim  | names it, and would not keep it                                        | names |
 * | claim | volume | bound, and kubernetes.io/pv-protection is on the volume                | holds |
 * | claim | volume | names it, else; another claim might be the one that it is bound to      | names |
 * | claim | class  | of the class, and has no volume                                        | names |
 * | volume| class  | of the class                                                           | names |
 *
 * A group consists of a set and everything that depends on it. Objects without a set form one group for each
 * namespace, and volumes without a claim form a group of their own. A pod that uses claims of several groups
 * is in each of them; a pod that uses no claim and belongs to no such set is in none.
 */
export function pictureOf(seen: Seen): readonly Group[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (id: string, title: string): Draft => {
    const draft = drafts.get(id) ?? { id, title, items: new Map(), links: [] };
    drafts.set(id, draft);
    return draft;
  };
  const lookup = lookupOf(seen);
  const homeOf = (namespace: string, set: StatefulSet | undefined): Draft =>
    set === undefined
      ? draftOf(`${namespace}/`, namespace === '' ? 'volumes of no claim' : `${namespace}: of no set`)
      : draftOf(`${namespace}/${set.metadata.name}`, `${namespace}/${set.metadata.name}`);

  for (const set of seen.sets) {
    if (stemsOf(set).length > 0) {
      add(homeOf(set.metadata.namespace ?? '', set), setItem(set));
    }
  }
  for (const claim of seen.claims) {
    drawClaim(homeOf(claim.metadata.namespace ?? '', lookup.setOf(claim)), claim, lookup, seen);
  }
  for (const pod of seen.pods) {
    const set = lookup.controllingSet(pod);
    const draft =
      set === undefined ? undefined : drafts.get(`${pod.metadata.namespace ?? ''}/${set.metadata.name}`);
    if (set !== undefined && draft !== undefined) {
      drawPod(draft, pod, set);
    }
  }
  for (const volume of seen.volumes ?? []) {
    const home = homeOfLeftVolume(volume, lookup, seen);
    if (home !== undefined) {
      drawVolume(homeOf(home.namespace, home.set), volume, seen, lookup);
    }
  }
  return [...drafts.values()].map(({ id, title, items, links }) => ({
    ...{ id, title, links },
    items: [...items.values()],
  }));
}

interface Draft {
  readonly id: string;
  readonly title: string;
  readonly items: Map<string, Item>;
  readonly links: Link[];
}

function add({ items }: Draft, item: Item): string {
  items.set(item.id, item);
  return item.id;
}

function link({ items, links }: Draft, from: string, to: string, kind: LinkKind, why: string): void {
  const verb = { holds: 'holds', owns: 'owns', names: 'names' }[kind];
  const of = (id: string): string => {
    const item = items.get(id);
    return item === undefined ? id : `${kindWords[item.kind]} ${item.name}`;
  };
  links.push({ from, to, kind, words: `${of(from)} ${verb} ${of(to)}: ${why}` });
}

interface Lookup {
  /** Returns the pods that name the claim. A pod whose volumes are invalid counts as one without claims. */
  podsOf(claim: PersistentVolumeClaim): readonly Pod[];
  volume(name: string): PersistentVolume | undefined;
  attachmentsOf(volume: string): readonly VolumeAttachment[];
  class(name: string): StorageClass | undefined;
  claimOf(volume: PersistentVolume): PersistentVolumeClaim | undefined;
  /**
   * Returns the set whose templates make claims of this name; otherwise one that owns it, or that controls a
   * pod which owns it.
   */
  setOf(claim: PersistentVolumeClaim): StatefulSet | undefined;
  setOfName(namespace: string, claimName: string): StatefulSet | undefined;
  controllingSet(pod: Pod): StatefulSet | undefined;
  readonly defaultClass: StorageClass | undefined;
}

function lookupOf({ sets, pods, claims, volumes = [], classes = [], attachments = [] }: Seen): Lookup {
  const podsByClaim = Map.groupBy(
    pods.flatMap((pod) =>
      namesOf(pod).map((name) => ({ pod, key: `${pod.metadata.namespace ?? ''}/${name}` })),
    ),
    ({ key }) => key,
  );
  const setsByStem = new Map(sets.flatMap((set) => stemsOf(set).map((stem) => [stem, set] as const)));
  const setsByUid = new Map(sets.map((set) => [set.metadata.uid, set]));
  const podsByUid = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
  const volumesByName = new Map(volumes.map((each) => [each.metadata.name, each]));
  const classesByName = new Map(classes.map((each) => [each.metadata.name, each]));
  const claimsByVolume = new Map(claims.map((each) => [each.spec?.volumeName ?? '', each]));
  const claimsByUid = new Map(claims.map((each) => [each.metadata.uid, each]));
  const attachmentsByVolume = Map.groupBy(attachments, ({ spec }) => spec.source.persistentVolumeName ?? '');

  const controllingSet = ({ metadata }: Pod): StatefulSet | undefined => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    return owner === undefined ? undefined : setsByUid.get(owner.uid);
  };
  const setOfName = (namespace: string, name: string): StatefulSet | undefined => {
    const stem = parseClaimName({ metadata: { namespace, name } } as PersistentVolumeClaim)?.stem;
    return stem === undefined ? undefined : setsByStem.get(stem);
  };
  return {
    podsOf: ({ metadata }) =>
      podsByClaim.get(`${metadata.namespace ?? ''}/${metadata.name}`)?.map(({ pod }) => pod) ?? [],
    volume: (name) => volumesByName.get(name),
    attachmentsOf: (name) => attachmentsByVolume.get(name) ?? [],
    class: (name) => classesByName.get(name),
    claimOf: (volume) => {
      const { uid = '' } = volume.spec?.claimRef ?? {};
      const named = claimsByVolume.get(volume.metadata.name);
      return claimsByUid.get(uid) ?? (named !== undefined && isOwn(named, volume) ? named : undefined);
    },
    setOf: (claim) => {
      const named = setOfName(claim.metadata.namespace ?? '', claim.metadata.name);
      const owners = claim.metadata.ownerReferences ?? [];
      const owning = owners.flatMap(({ uid }) => {
        const pod = podsByUid.get(uid);
        return setsByUid.get(uid) ?? (pod === undefined ? [] : (controllingSet(pod) ?? []));
      });
      return named ?? owning.find((set) => stemsOf(set).length > 0);
    },
    setOfName,
    controllingSet,
    defaultClass: defaultClass(classes),
  };
}

/** Returns no names for a pod whose volumes are invalid: one such pod must not hide all others. */
function namesOf(pod: Pod): readonly string[] {
  try {
    return [...claimsNamedBy(pod).keys()];
  } catch {
    return [];
  }
}

function drawClaim(draft: Draft, claim: PersistentVolumeClaim, lookup: Lookup, seen: Seen): void {
  const { namespace = '', ownerReferences = [] } = claim.metadata;
  const pods = lookup.podsOf(claim);
  const volumeName = claim.spec?.volumeName ?? '';
  const attachments =
    volumeName === '' ? [] : seen.attachments === undefined ? undefined : lookup.attachmentsOf(volumeName);
  const users = usersOf({ claim, pods, attachments, protection: seen.protection(namespace) });
  const set = lookup.setOf(claim);
  const drawn = new Set([set?.metadata.uid, ...pods.map(({ metadata }) => metadata.uid)]);
  const id = add(draft, claimItem(claim, drawn, lookup, seen));

  if (set !== undefined) {
    const setId = add(draft, setItem(set));
    const owner = ownerReferences.find(({ uid }) => uid === set.metadata.uid);
    if (owner !== undefined) {
      link(draft, setId, id, 'owns', goesWith(ownerReferences.length));
    } else {
      link(draft, setId, id, 'names', 'its template makes claims of this name');
    }
  }
  for (const pod of pods) {
    const isOwner = ownerReferences.some(({ uid }) => uid === pod.metadata.uid);
    const isUser = namesClaim(pod, claim);
    if (!isOwner && !isUser) {
      continue;
    }
    const podId = drawPod(draft, pod, lookup.controllingSet(pod));
    if (isOwner) {
      link(draft, podId, id, 'owns', goesWith(ownerReferences.length));
    }
    if (isUser && users.names.includes(pod.metadata.name)) {
      link(draft, podId, id, 'holds', useWords[users.attached]);
    } else if (isUser) {
      link(draft, podId, id, 'names', 'it would not keep it');
    }
  }
  if (volumeName !== '') {
    const volume = lookup.volume(volumeName);
    const volumeId =
      volume === undefined
        ? add(draft, missing('volume', volumeName, seen.volumes !== undefined))
        : drawVolume(draft, volume, seen, lookup);
    const named = volume ?? (seen.volumes === undefined ? undefined : 'missing');
    const fate = dataOf(claim, named, seen.classes, seen.keepers);
    if (fate.data === 'foreign') {
      link(draft, id, volumeId, 'names', `it is bound to another claim, ${fate.boundTo}`);
      return;
    }
    const isHeld =
      volume?.status?.phase === 'Bound' &&
      volume.metadata.finalizers?.includes(finalizers.pvProtection) === true;
    const data = `when the claim is gone, its data is ${dataWords(fate)}`;
    link(
      draft,
      id,
      volumeId,
      isHeld ? 'holds' : 'names',
      `${isHeld ? 'it is bound to it' : 'its volume'}; ${data}`,
    );
  } else {
    drawClass(draft, id, claim.spec?.storageClassName, seen, lookup);
  }
}

const useWords: Readonly<Record<ReturnType<typeof usersOf>['attached'], string>> = {
  yes: 'it ended, and the volume is still attached',
  no: 'it uses it',
  perhaps: 'it ended, and whether the volume is still attached could not be read',
};

const goesWith = (owners: number): string =>
  owners === 1 ? 'the claim goes with it' : 'the claim goes with the last of its owners';

function drawPod(draft: Draft, pod: Pod, set: StatefulSet | undefined): string {
  const { namespace = '', name, deletionTimestamp, finalizers: held = [] } = pod.metadata;
  const id = `pod ${name}`;
  if (draft.items.has(id)) {
    return id;
  }
  add(draft, {
    ...{ id, kind: 'pod', namespace, name, state: podWords(pod) },
    ...{ finalizers: held, notes: held.map((each) => finalizerNote(each)) },
    ...(deletionTimestamp === undefined
      ? {}
      : {
          deletedAt: deletionTimestamp,
          heldBy: held.length > 0 ? listed(held) : 'its containers, until they have ended',
        }),
  });
  if (set !== undefined && draft.items.has(`set ${set.metadata.name}`)) {
    link(draft, `set ${set.metadata.name}`, id, 'owns', 'the pod goes with it');
  }
  return id;
}

function drawVolume(draft: Draft, volume: PersistentVolume, seen: Seen, lookup: Lookup): string {
  const id = add(draft, volumeItem(volume, seen, lookup));
  drawClass(draft, id, volume.spec?.storageClassName, seen, lookup);
  return id;
}

function drawClass(draft: Draft, from: string, name: string | undefined, seen: Seen, lookup: Lookup): void {
  if (name === undefined || name === '') {
    return;
  }
  const found = lookup.class(name);
  const to = add(
    draft,
    found === undefined
      ? missing('class', name, seen.classes !== undefined)
      : {
          ...{ id: `class ${name}`, kind: 'class', name, ...goingOf(found) },
          state: `${found.provisioner}${found === lookup.defaultClass ? ', the default' : ''}`,
          ...{ finalizers: found.metadata.finalizers ?? [], notes: [] },
        },
  );
  link(draft, from, to, 'names', 'of this class');
}

/**
 * Returns the group of a volume that no drawn claim names: that of its former claim. Undefined if it belongs
 * elsewhere, or is drawn with its claim.
 */
function homeOfLeftVolume(
  volume: PersistentVolume,
  lookup: Lookup,
  { namespace: only }: Seen,
): { readonly namespace: string; readonly set: StatefulSet | undefined } | undefined {
  const claim = lookup.claimOf(volume);
  if (claim?.spec?.volumeName === volume.metadata.name) {
    return undefined;
  }
  const { namespace = '', name = '' } = volume.spec?.claimRef ?? {};
  return only !== undefined && namespace !== only
    ? undefined
    : { namespace, set: claim === undefined ? lookup.setOfName(namespace, name) : lookup.setOf(claim) };
}

function setItem(set: StatefulSet): Item {
  const { namespace = '', name, finalizers: held = [] } = set.metadata;
  const { whenScaled, whenDeleted } = policyOf(set);
  return {
    ...{ id: `set ${name}`, kind: 'set', namespace, name, ...goingOf(set) },
    state: `${String(set.spec?.replicas ?? 1)} wanted; scaled ${whenScaled}, deleted ${whenDeleted}`,
    ...{ finalizers: held, notes: held.map((each) => finalizerNote(each)) },
  };
}

function claimItem(
  claim: PersistentVolumeClaim,
  drawn: ReadonlySet<string | undefined>,
  lookup: Lookup,
  { keepers }: Seen,
): Item {
  const { namespace = '', name, finalizers: held = [], ownerReferences = [] } = claim.metadata;
  const { phase = 'of no phase' } = claim.status ?? {};
  const [pending] = pendingOf([claim], [], keepers);
  const waits = !isWaiting(claim)
    ? ''
    : lookup.defaultClass === undefined
      ? ', waits for a class: none is the default'
      : `, waits for class ${lookup.defaultClass.metadata.name}`;
  return {
    ...{
      id: `claim ${name}`,
      kind: 'claim',
      namespace,
      name,
      ...goingOf(claim),
      ...markedOf(pending),
    },
    ...{ state: `${phase}${waits}`, finalizers: held },
    notes: [
      ...windowNotes(pending),
      ...held.map((each) => finalizerNote(each)),
      ...ownerReferences.flatMap((owner) =>
        isHold(claim, owner)
          ? ['Holdfast holds it until the owner reference beside its own is confirmed']
          : drawn.has(owner.uid)
            ? []
            : [`${owner.kind} ${owner.name} owns it: ${goesWith(ownerReferences.length)}`],
      ),
    ],
  };
}

function volumeItem(volume: PersistentVolume, { attachments, keepers }: Seen, lookup: Lookup): Item {
  const { name, finalizers: held = [] } = volume.metadata;
  const { persistentVolumeReclaimPolicy: policy = 'Retain', claimRef } = volume.spec ?? {};
  const claim = lookup.claimOf(volume);
  const [pending] = pendingOf([], [volume], keepers);
  return {
    ...{ id: `volume ${name}`, kind: 'volume', name, ...goingOf(volume), ...markedOf(pending) },
    ...{ state: `${volume.status?.phase ?? 'of no phase'}, policy ${policy}`, finalizers: held },
    notes: [
      ...windowNotes(pending),
      ...held.map((each) => finalizerNote(each, recordedHold(volume))),
      ...(claim === undefined && claimRef !== undefined
        ? [`Its claim was ${claimRef.namespace ?? ''}/${claimRef.name ?? ''}, which is not there`]
        : []),
      ...(attachments === undefined
        ? ['Whether it is attached to a node could not be read']
        : lookup.attachmentsOf(name).map(({ spec }) => `It is attached to node ${spec.nodeName}`)),
    ],
  };
}

function finalizerNote(finalizer: string, recorded?: string): string {
  const { who, when } = finalizerRule(finalizer, recorded);
  return `Finalizer ${finalizer}: ${who} takes it off ${when}`;
}

function missing(kind: 'volume' | 'class', name: string, isRead: boolean): Item {
  return {
    ...{ id: `${kind} ${name}`, kind, name, finalizers: [], notes: [], isMissing: true },
    state: isRead ? 'is not there' : 'could not be read',
  };
}

function goingOf({
  metadata,
}: {
  readonly metadata: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] };
}): Pick<Item, 'deletedAt' | 'heldBy'> {
  const { deletionTimestamp, finalizers: held = [] } = metadata;
  return deletionTimestamp === undefined
    ? {}
    : { deletedAt: deletionTimestamp, heldBy: held.length === 0 ? 'nobody' : listed(held) };
}

function markedOf(pending: Pending | undefined): { readonly mark?: Mark } {
  if (pending === undefined) {
    return {};
  }
  const { due, unless, because, keep } = pending;
  return { mark: { due, ...(unless === undefined ? {} : { isEarliest: true }), because, keep } };
}

function windowNotes(pending: Pending | undefined): readonly string[] {
  return pending?.unless === undefined ? [] : [`Its undo window: ${pending.unless}`];
}
