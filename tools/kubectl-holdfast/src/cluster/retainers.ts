import { apiVersionOf, statefulSets, type StatefulSet } from '@holdfast/core';
import { gates } from '@holdfast/statefulset-pvc-retention/decide';
import type { Retainers, World } from '../plan/world.ts';
import { atWorkIn } from './at-work-in.ts';
import { gatesOf, looksAfter, type AtWork } from './holdfast-at-work.ts';
import { isSameKind, workloadsOf } from './workload-kinds.ts';
import { stageIn, stockFeatures, type Release } from './release.ts';

/** Which controllers carry out the retention of claims in a namespace, and what shows that. */
export interface SeenRetainers extends Retainers {
  readonly release: Release | undefined;
  /** For people: what is known about each of the two. */
  readonly because: { readonly stock: string; readonly holdfast: string };
}

/** What the command line states about controllers that the cluster does not show. */
export interface Assumed {
  readonly stock?: 'atWork' | 'absent';
  readonly holdfast?: 'atWork' | 'absent';
}

/**
 * Decides whether kube-controller-manager carries out the field of a StatefulSet of `apps`. It never does for
 * sets of other kinds:
 *
 * | field               | an owner reference of its making | release        | answer   |
 * |---------------------|----------------------------------|----------------|----------|
 * | the server drops it | -                                | -              | absent   |
 * | there               | yes                              | -              | at work  |
 * | there               | no                               | always on      | at work  |
 * | there               | no                               | off by default | absent   |
 * | there               | no                               | on by default  | unknown: it can be turned off |
 *
 * Its owner references block the deletion of the owner, whereas Holdfast's do not.
 */
export function retainersOf(
  {
    world,
    release,
    atWork: all,
    namespace,
  }: {
    readonly world: Pick<World, 'resource' | 'set' | 'claims'>;
    readonly release: Release | undefined;
    readonly atWork: AtWork;
    readonly namespace: string;
  },
  assumed: Assumed,
): SeenRetainers {
  const { stock, because } =
    assumed.stock === undefined
      ? seenStock(world, release)
      : ({ stock: assumed.stock, because: 'as --assume says' } as const);
  const serves = (each: Pick<AtWork, 'flags' | 'hidden'>): boolean =>
    workloadsOf(each).some((kind) => isSameKind(kind, world.resource)) ||
    (each.hidden !== undefined && !each.flags.has('workloads'));
  const atWork = atWorkIn(all, namespace, serves);
  const isHere = looksAfter(atWork, namespace);
  const isHidden = atWork.hidden !== undefined;
  const isServed = serves(atWork);
  const seen = isHidden ? 'unknown' : atWork.state;
  const state = assumed.holdfast ?? (isHere && isServed ? seen : 'absent');
  return {
    release,
    stock,
    holdfast:
      state !== 'atWork'
        ? state
        : atWork.isDeployed || assumed.holdfast !== undefined
          ? gatesOf(gates, atWork)
          : 'gatesUnknown',
    ...(atWork.wait === undefined ? {} : { wait: atWork.wait }),
    because: {
      stock: because,
      holdfast:
        assumed.holdfast !== undefined
          ? 'as --assume says'
          : !isHere
            ? `its --namespaces do not name ${namespace}`
            : isServed
              ? atWork.because
              : `its --workloads do not name ${apiVersionOf(world.resource)}/${world.resource.kind}`,
    },
  };
}

function seenStock(
  { resource, set, claims }: Pick<World, 'resource' | 'set' | 'claims'>,
  release: Release | undefined,
): { readonly stock: Retainers['stock']; readonly because: string } {
  if (!isSameKind(resource, statefulSets)) {
    return { stock: 'absent', because: 'it looks after StatefulSets of apps/v1 only' };
  }
  if (set.spec?.persistentVolumeClaimRetentionPolicy === undefined) {
    return { stock: 'absent', because: 'the API server drops the field, its gate is off' };
  }
  const isSeen = [...claims.values()].some(({ metadata }) =>
    metadata.ownerReferences?.some(
      (owner) => owner.blockOwnerDeletion === true && owner.controller === true && isOwnOf(set, owner),
    ),
  );
  if (isSeen) {
    return { stock: 'atWork', because: 'it has made the set or its pods the owner of claims' };
  }
  const text = release?.text ?? 'a release that is not known';
  switch (stageIn(stockFeatures['statefulset-pvc-retention'], release)) {
    case 'GA':
      return { stock: 'atWork', because: `always on in ${text}` };
    case 'beta':
      return { stock: 'unknown', because: `on by default in ${text}, and nothing shows that it is` };
    case 'alpha':
    case 'absent':
      return { stock: 'absent', because: `off by default in ${text}` };
    case 'unknown':
      return { stock: 'unknown', because: text };
  }
}

function isOwnOf(
  { metadata }: StatefulSet,
  { kind, name, uid }: { readonly kind: string; readonly name: string; readonly uid: string },
): boolean {
  return uid === metadata.uid || (kind === 'Pod' && name.startsWith(`${metadata.name}-`));
}
