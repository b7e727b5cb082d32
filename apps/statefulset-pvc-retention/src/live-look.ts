import {
  claimUses,
  controllerOf,
  keyOf,
  objectKey,
  pods,
  type FeatureGates,
  type KubernetesObject,
  type ObjectRef,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  find,
  listAll,
  openLook,
  systemClock,
  type ApiClient,
  type Clock,
  type Look,
  type Projection,
  type Tenure,
} from '@holdfast/runtime';
import { parseClaimName } from './claim-name.ts';
import type { Leftover, LiveEnd } from './decide/leftover.ts';
import { controllingPod } from './decide/references.ts';
import { isOfTiedKind, type TiedTo } from './decide/tie.ts';
import { signOfRestore } from './restored.ts';
import { lookForRivals, type FollowedKind } from './rivals.ts';
import type { Live, WorkloadFacts } from './decide/snapshot.ts';
import type { GateName } from './gates.ts';
import { podNameLabel, slimWorkload, usingPod } from './slim.ts';
import { inNamespaceOf, podFacts, type KindedWorkload } from './view.ts';
import { factsOf, labelsItsPods, type Workload, type WorkloadResource } from './workload.ts';

/** What the decision on a claim asked for. */
export interface Question {
  readonly claim: PersistentVolumeClaim;
  readonly podName: string;
  readonly about: 'workload' | 'pod' | 'users';
}

/** What one look showed. */
export interface Seen {
  readonly of: (claim: PersistentVolumeClaim, podName: string) => Live;
  /** No window is over before this time by the lease as it is now, if a deletion was asked about. Milliseconds. */
  readonly noneOverBefore: number | undefined;
  /** For the writes that are based on it: they are not sent if it has grown too old. */
  readonly look: Look;
}

/** What the API server itself shows. Every call rejects with what its requests reject with. */
export interface LiveLook {
  /**
   * Takes one look for all these claims of a workload: each pod once, one list of pods, other workloads that
   * make claims of the names, and the workload last.
   */
  ask(owner: KindedWorkload, questions: readonly Question[], signal: AbortSignal): Promise<Seen>;
  /** Looks at the workload only, for any ordinal. */
  workload(
    owner: KindedWorkload,
    signal: AbortSignal,
    look?: Look,
  ): Promise<(claim: PersistentVolumeClaim) => WorkloadFacts | undefined>;
  /** Looks at the pod that controls a claim without a workload. */
  controllingPod(
    claim: PersistentVolumeClaim,
    signal: AbortSignal,
  ): Promise<NonNullable<Leftover['livePod']>>;
  /**
   * Looks at the workload that a claim is tied to: whether one of its kind and name exists, or any that makes
   * claims of this name.
   */
  endOf(
    claim: PersistentVolumeClaim,
    tie: TiedTo,
    about: 'workload' | 'users',
    signal: AbortSignal,
  ): Promise<{ readonly seen: LiveEnd; readonly look: Look } & Pick<Seen, 'noneOverBefore'>>;
}

/**
 * How long a look is valid that lists the pods of a namespace, in milliseconds. It is as old as its first
 * page. It is at least the first of these, and twice the time of the last such look if that is more;
 * otherwise nothing would ever be deleted where the list takes longer. The second is a limit, because a
 * process that was frozen for an hour during a list must not trust the next one for two.
 */
const listedLookAge = { least: 10_000, most: 128_000 };
/**
 * How long a look is valid that lists no pods and reads at most one, in milliseconds: the first of these, and twice
 * the time of the last look of its kind if that is more. Otherwise nothing would ever be written where each read takes
 * longer than a second, or two. A look at more pods becomes one at a single pod if it takes too long, see
 * `claims-together.ts`.
 */
const leastLookAge = { least: 2_000, most: listedLookAge.least };

/**
 * @param tenure asked after the claims were read from the cache: they can come from a backup that was restored since
 *   the lease was last renewed.
 * @param lookClock the client's clock, by which looks age. Default: the machine's.
 */
export function createLiveLook(
  client: ApiClient,
  gates: FeatureGates<GateName>,
  kinds: readonly FollowedKind[],
  tenure: Pick<Tenure, 'askNothingDueBefore'>,
  lookClock: Pick<Clock, 'now'> = systemClock,
): LiveLook {
  /** How long the last look took that listed the pods of a namespace, if that matters. */
  const took = new Map<string, number>();
  const openListedLook = (namespace: string): Look =>
    openLook({
      maxAge: Math.min(Math.max(listedLookAge.least, 2 * (took.get(namespace) ?? 0)), listedLookAge.most),
    });
  const endListedLook = (namespace: string, { lookedAt }: Look): void => {
    const duration = lookClock.now() - (lookedAt ?? lookClock.now());
    if (2 * duration > listedLookAge.least) {
      took.set(namespace, duration);
    } else {
      took.delete(namespace);
    }
  };

  /** How long the last look of each kind took: at a pod and its set, at a set, at what is left of one. */
  const leastTook = { pod: 0, set: 0, end: 0 };
  type Least = keyof typeof leastTook;
  const openLeastLook = (kind: Least): Look =>
    openLook({ maxAge: Math.min(Math.max(leastLookAge.least, 2 * leastTook[kind]), leastLookAge.most) });
  const endLeastLook = (kind: Least, { lookedAt }: Look): void => {
    leastTook[kind] = lookedAt === undefined ? 0 : lookClock.now() - lookedAt;
  };

  const projections = new Map<WorkloadResource, Projection<Workload>>();
  const projectionOf = (resource: WorkloadResource): Projection<Workload> => {
    const known = projections.get(resource) ?? slimWorkload(resource);
    projections.set(resource, known);
    return known;
  };

  const findPod = (ref: ObjectRef, signal: AbortSignal, look = openLook()): Promise<Pod | undefined> =>
    find(client, pods, ref, { projection: usingPod, signal, look });

  const podsByName = async (
    workload: Workload,
    names: ReadonlySet<string>,
    signal: AbortSignal,
    look: Look,
  ): Promise<ReadonlyMap<string, Pod | undefined>> =>
    new Map(
      await Promise.all(
        [...names].map(
          async (name) => [name, await findPod(inNamespaceOf(workload, name), signal, look)] as const,
        ),
      ),
    );

  const claimsInUse = async (
    { metadata }: KubernetesObject,
    signal: AbortSignal,
    look: Look,
  ): Promise<ReadonlySet<string>> => {
    const used = new Set<string>();
    const { namespace = '' } = metadata;
    for await (const pod of listAll(client, pods, { namespace, projection: usingPod, signal, look })) {
      for (const { claimName } of claimUses(pod)) {
        used.add(claimName);
      }
    }
    return used;
  };

  const lookAtWorkload: LiveLook['workload'] = async ({ resource, workload }, signal, look = openLook()) => {
    const ref = inNamespaceOf(workload, workload.metadata.name);
    const live = await find(client, resource, ref, { projection: projectionOf(resource), signal, look });
    refuseRestored(resource, workload, live);
    return (claim) => live && factsOf(live, resource, parseClaimName(claim)?.ordinal ?? 0, gates);
  };

  const rivalsSource = { client, kinds, projectionOf };
  const allLabelTheirPods = kinds.every(({ resource }) => labelsItsPods(resource));

  return {
    workload: lookAtWorkload,
    ask: async (owner, questions, signal) => {
      const { workload } = owner;
      const podNames = new Set(
        questions.filter(({ about }) => about === 'pod').map(({ podName }) => podName),
      );
      const asksUsers = questions.some(({ about }) => about === 'users');
      const least: Least | undefined =
        asksUsers || podNames.size > 1 ? undefined : podNames.size === 1 ? 'pod' : 'set';
      const { namespace = '' } = workload.metadata;
      const look = asksUsers
        ? openListedLook(namespace)
        : least === undefined
          ? openLook()
          : openLeastLook(least);
      const deleted = questions.filter(({ about }) => about === 'users').map(({ claim }) => claim);
      const [podByName, used, noneOverBefore] = await Promise.all([
        podsByName(workload, podNames, signal, look),
        asksUsers ? claimsInUse(workload, signal, look) : undefined,
        asksUsers ? tenure.askNothingDueBefore(signal) : undefined,
      ]);
      const rivals = asksUsers ? await lookForRivals(rivalsSource, deleted, [], { signal, look }) : undefined;
      // Last, as close to the write as possible, because whether an ordinal is wanted matters most.
      const factsFor = await lookAtWorkload(owner, signal, look);
      if (asksUsers) {
        endListedLook(namespace, look);
      } else if (least !== undefined) {
        endLeastLook(least, look);
      }
      const of: Seen['of'] = (claim, podName) => {
        const pod = podByName.get(podName);
        return {
          workload: factsFor(claim),
          pod: !podByName.has(podName)
            ? 'notAsked'
            : pod === undefined
              ? 'gone'
              : podFacts(pod, workload.metadata.uid),
          inUse: used?.has(claim.metadata.name) ?? 'notAsked',
          rival: rivals?.of(claim, workload.metadata.uid) ?? 'notAsked',
        };
      };
      return { of, noneOverBefore, look };
    },
    endOf: async (claim, tie, about, signal) => {
      const { namespace = '' } = claim.metadata;
      const look = about === 'users' ? openListedLook(namespace) : openLeastLook('end');
      const used = about === 'users' ? await claimsInUse(claim, signal, look) : undefined;
      const noneOverBefore = about === 'users' ? await tenure.askNothingDueBefore(signal) : undefined;
      const rivals = await lookForRivals(rivalsSource, [claim], [tie.name], { signal, look });
      if (about === 'users') {
        endListedLook(namespace, look);
      } else {
        endLeastLook('end', look);
      }
      const isThere = rivals.found.some(
        ({ resource, workload }) => isOfTiedKind(tie, resource) && workload.metadata.name === tie.name,
      );
      const isKnown = kinds.some(({ resource }) => isOfTiedKind(tie, resource));
      const rival = rivals.of(claim, undefined);
      return {
        seen: {
          workload: !isKnown ? 'unknown' : isThere ? 'there' : rival === 'none' ? 'gone' : rival,
          inUse: used?.has(claim.metadata.name) ?? 'notAsked',
        },
        noneOverBefore,
        look,
      };
    },
    controllingPod: async (claim, signal) => {
      const owner = controllingPod(claim);
      const pod = owner && (await findPod(inNamespaceOf(claim, owner.name), signal));
      if (pod === undefined) {
        return 'none';
      }
      const { name, uid, labels } = pod.metadata;
      // Where a kind might not label its pods, the form of this program's references has to do: such a one was
      // written while a workload controlled the pod. Others can write that form too, so it says nothing where
      // the label can.
      const isMade =
        labels?.[podNameLabel] === name || (!allLabelTheirPods && owner?.blockOwnerDeletion === false);
      return {
        uid,
        orphaned: isMade && controllerOf(pod) === undefined,
        namesClaim: claimUses(pod).some(
          (use) => !use.ephemeral && keyOf(inNamespaceOf(claim, use.claimName)) === keyOf(claim.metadata),
        ),
      };
    },
  };
}

/**
 * A single object is read from etcd itself, so one that is older than the cache's means that a backup was
 * restored. Until the caches have seen that, they tell of pods that the restored set never had.
 *
 * @throws Error if it is older.
 */
function refuseRestored({ kind }: WorkloadResource, cached: Workload, live: Workload | undefined): void {
  const sign = live && signOfRestore(cached, live);
  if (sign !== undefined) {
    throw new Error(
      `${kind} ${objectKey(cached)} has ${sign}: the API server's data were restored from a backup; its claims wait until the cache has them too`,
    );
  }
}
