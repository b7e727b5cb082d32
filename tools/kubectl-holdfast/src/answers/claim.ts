import {
  isTerminating,
  persistentVolumeClaims,
  volumeAttachments,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
  type VolumeAttachment,
} from '@holdfast/core';
import { classOf } from '@holdfast/pv-reclaim-honor/decide';
import { find, listAll, type ApiClient, type ConnectedClient } from '@holdfast/runtime';
import { parseClaimName, stemsOf } from '@holdfast/statefulset-pvc-retention/decide';
import { readAtWork, type AtWork } from '../cluster/holdfast-at-work.ts';
import { unlessRefused } from '../cluster/refused.ts';
import { NotFound } from '../cluster/not-found.ts';
import { readOwners } from '../cluster/owners.ts';
import { attachmentFields, claimFields } from '../cluster/projections.ts';
import { protectionGates, protectionHidden } from '../cluster/protection.ts';
import {
  listed,
  listVolumes,
  nowOf,
  openWorld,
  readClasses,
  readPods,
  readSets,
  readVolume,
} from '../cluster/read-set.ts';
import { reclaimerOf } from '../cluster/reclaimer.ts';
import { readRelease, type Release } from '../cluster/release.ts';
import { retainersOf } from '../cluster/retainers.ts';
import { claimWindowKeeper } from '../cluster/window-keeper.ts';
import { explainClaim, type ClaimFacts } from '../explain/explain-claim.ts';
import { decisionOf } from '../explain/volume/steps.ts';
import type { Answer } from '../output/print.ts';
import { ordinalOf } from '../plan/ordinals.ts';
import { plan } from '../plan/plan.ts';
import type { Classes } from '../plan/volume-fate.ts';
import type { OwnerState } from '../plan/world.ts';
import { explainReport } from '../report/explain-report.ts';
import { assumedOf, type Surroundings } from './surroundings.ts';

export async function answerClaim(
  client: ConnectedClient,
  name: string,
  surroundings: Surroundings,
): Promise<Answer> {
  const { namespace } = surroundings;
  const [claim, pods, sets, release, atWork] = await Promise.all([
    find(client, persistentVolumeClaims, { namespace, name }, { projection: claimFields }),
    readPods(client, namespace),
    readSets(client, namespace),
    readRelease(client),
    readAtWork(client, ['pvc-protection', 'statefulset-pvc-retention', 'pv-reclaim-honor']),
  ]);
  if (claim === undefined) {
    throw await notFound(client, namespace, name);
  }
  const { volumeName = '' } = claim.spec ?? {};
  const isBound = volumeName !== '';
  const [volume, attachments, owners, classes, set] = await Promise.all([
    isBound ? readVolume(client, volumeName) : undefined,
    isBound ? readAttachments(client, volumeName) : [],
    ownersOf(client, claim, [...pods, ...sets]),
    readClasses(client),
    setOf(client, claim, {
      pods,
      sets,
      release,
      atWork: atWork['statefulset-pvc-retention'],
      surroundings,
    }),
  ]);
  return explainReport(
    explainClaim({
      ...{ claim, pods, volume, attachments, owners, classes, set },
      protection: protectionGates(atWork['pvc-protection'], namespace),
      protectionHidden: protectionHidden(atWork['pvc-protection'], namespace),
      ...(volume === undefined || volume === 'missing'
        ? {}
        : {
            giver: giverOf(claim, volume, {
              atWork: atWork['pv-reclaim-honor'],
              classes,
              now: nowOf(client),
            }),
          }),
      retention: claimWindowKeeper(atWork['statefulset-pvc-retention'], namespace),
      now: nowOf(client),
    }),
  );
}

/** Returns how pv-reclaim-honor is at work for a volume that a claim asks for. */
function giverOf(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { atWork, classes, now }: { readonly atWork: AtWork; readonly classes: Classes; readonly now: number },
): NonNullable<ClaimFacts['giver']> {
  const { reclaimer, keeper } = reclaimerOf(atWork, volume);
  const className = classOf(volume);
  const storageClass = className === '' ? undefined : (classes ?? 'unread');
  const decision = decisionOf({
    ...{ volume, claim, attachments: [], holdfast: reclaimer, keeper, now },
    storageClass:
      typeof storageClass === 'object'
        ? storageClass.find(({ metadata }) => metadata.name === className)
        : storageClass,
  });
  return { absent: keeper.absent, isOff: typeof decision === 'object' && decision.kind !== 'giveBack' };
}

/**
 * Returns the attachments of a volume, or those that might be its own; undefined if they may not be read. The
 * API server cannot select them by volume.
 */
export async function readAttachments(
  client: Pick<ApiClient, 'listPages'>,
  volume: string,
): Promise<readonly VolumeAttachment[] | undefined> {
  const all = await unlessRefused(
    listed(listAll(client, volumeAttachments, { projection: attachmentFields, limit: 5_000 })),
  );
  return all?.filter(({ spec }) => spec.source.persistentVolumeName === volume);
}

/** Names the volume of a claim that is gone: with policy Retain, or until it is deleted, it has the data. */
async function notFound(client: ConnectedClient, namespace: string, name: string): Promise<NotFound> {
  const volumes = await unlessRefused(listVolumes(client));
  const own = volumes?.find(
    ({ spec }) => spec?.claimRef?.namespace === namespace && spec.claimRef.name === name,
  );
  return own === undefined
    ? new NotFound('persistentvolumeclaim', name, namespace)
    : new NotFound('persistentvolumeclaim', name, namespace, own.metadata.name);
}

async function ownersOf(
  client: ConnectedClient,
  claim: PersistentVolumeClaim,
  read: readonly (Pod | StatefulSet)[],
): Promise<ReadonlyMap<string, OwnerState>> {
  const { namespace = '', ownerReferences = [] } = claim.metadata;
  const known = new Set(read.map(({ metadata }) => metadata.uid));
  const owners = await readOwners(client, namespace, ownerReferences, known);
  const states = read.map((each) => [each.metadata.uid, isTerminating(each) ? 'leaving' : 'lives'] as const);
  return new Map([...owners, ...states]);
}

interface Around {
  readonly pods: readonly Pod[];
  readonly sets: readonly StatefulSet[];
  readonly release: Release | undefined;
  readonly atWork: AtWork;
  readonly surroundings: Surroundings;
}

/** Returns what happens to the claim with the set whose templates make claims of its name. */
async function setOf(
  client: ConnectedClient,
  claim: PersistentVolumeClaim,
  { pods, sets, release, atWork, surroundings }: Around,
): Promise<ClaimFacts['set']> {
  const stem = parseClaimName(claim)?.stem;
  const set = sets.find((each) => stem !== undefined && stemsOf(each).includes(stem));
  if (set === undefined) {
    return undefined;
  }
  const world = await openWorld(client, { set, claims: [claim], pods, sets });
  const { namespace } = surroundings;
  const retainers = retainersOf({ world, release, atWork, namespace }, assumedOf(surroundings));
  const volumes = new Map<string, never>();
  const replicas = Math.max(0, ordinalOf(claim) - (set.spec?.ordinals?.start ?? 0));
  const [onScaleDown] = plan(world, { kind: 'scale', replicas }, retainers, volumes, []);
  const [onDeletion] = plan(world, { kind: 'delete', cascade: 'background' }, retainers, volumes, []);
  return onScaleDown === undefined || onDeletion === undefined
    ? undefined
    : { name: set.metadata.name, onScaleDown, onDeletion };
}
