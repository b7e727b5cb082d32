import { isTerminating, statefulSets } from '@holdfast/core';
import { policyOf, warningsOf } from '@holdfast/statefulset-pvc-retention/decide';
import type { SeenRetainers } from '../cluster/retainers.ts';
import { fieldAlone } from '../plan/field-alone.ts';
import type { ClaimPlan, Outcome } from '../plan/plan.ts';
import { sourceOf } from '../plan/reason.ts';
import { waitOfClaims } from '../plan/wait-of-claims.ts';
import type { World } from '../plan/world.ts';
import { outcomeWords } from './explain-claim.ts';
import type { Case, Explanation, Holder, Step } from './explanation.ts';
import { podWords } from './pod-words.ts';

/** A set and everything on which its explanation depends. */
export interface SetFacts {
  readonly world: World;
  readonly retainers: SeenRetainers;
  /** What happens to its claims if it is scaled to zero. */
  readonly onScaleDown: readonly ClaimPlan[];
  /** What happens to its claims if it is deleted. */
  readonly onDeletion: readonly ClaimPlan[];
}

export function explainSet({ world, retainers, onScaleDown, onDeletion }: SetFacts): Explanation {
  const { set } = world;
  const { namespace = '', name, deletionTimestamp } = set.metadata;
  const { whenScaled, whenDeleted } = policyOf(set);
  const deleted = isTerminating(set) ? `, being deleted since ${deletionTimestamp ?? ''}` : '';
  return {
    subject: { kind: 'StatefulSet', namespace, name },
    state: `${String(set.spec?.replicas)} replicas wanted, ${String(set.status?.readyReplicas ?? 0)} ready${deleted}; claims: whenScaled ${whenScaled}, whenDeleted ${whenDeleted}`,
    holders: holdersOf(world),
    next: stepsOf(world, retainers, [...onScaleDown, ...onDeletion]),
    ifs: [...casesOf('scaled below a claim', onScaleDown), ...casesOf('deleted', onDeletion)],
  };
}

function holdersOf({ set, claims, pods }: World): readonly Holder[] {
  return [
    ...(set.metadata.finalizers ?? []).map((finalizer): Holder => ({
      kind: 'finalizer',
      name: finalizer,
      holds: true,
      words: 'keeps the set',
      source: 'finalizers',
    })),
    ...pods
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid))
      .map((pod): Holder => ({ kind: 'pod', name: pod.metadata.name, holds: false, words: podWords(pod) })),
    ...[...claims.values()].map((claim): Holder => {
      const owners = (claim.metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`);
      const owned = owners.length === 0 ? 'owned by nobody' : `owned by ${owners.join(' and ')}`;
      const deleted = isTerminating(claim) ? ', being deleted' : '';
      return {
        kind: 'claim',
        name: claim.metadata.name,
        holds: false,
        words: `${claim.status?.phase ?? 'of no phase'}, ${owned}${deleted}`,
        source: 'retention',
      };
    }),
  ];
}

function stepsOf(
  { set, now }: World,
  retainers: SeenRetainers,
  plans: readonly ClaimPlan[],
): readonly Step[] {
  const { stock, holdfast, because } = retainers;
  const wait = waitOfClaims(retainers, plans, now);
  const alone = fieldAlone(set);
  const does = (what: string) => ({
    atWork: `carries ${what}`,
    gatesUnknown: `carries ${what}`,
    absent: 'does not carry the policy out',
    unknown: `might carry ${what}`,
  });
  return [
    {
      who: 'kube-controller-manager',
      does: `${does(alone === undefined ? 'the policy out' : `out ${alone}`)[stock]}: ${because.stock}`,
      source: 'retention',
    },
    {
      who: 'Holdfast statefulset-pvc-retention',
      does: `${does('the policy out')[typeof holdfast === 'object' ? 'atWork' : holdfast]}: ${because.holdfast}`,
      source: 'holdfastRetention',
    },
    ...(wait === undefined
      ? []
      : [{ who: 'Holdfast statefulset-pvc-retention', does: wait, source: 'undoWindow' } as const]),
    ...(typeof holdfast === 'object'
      ? warningsOf({ resource: statefulSets, workload: set }, holdfast, stock !== 'absent').map(
          ({ note }): Step => ({ who: 'a warning', does: note, source: 'undoWindow' }),
        )
      : []),
  ];
}

/** Returns one case for all claims with the same outcomes. */
function casesOf(what: string, plans: readonly ClaimPlan[]): readonly Case[] {
  const alike = Map.groupBy(plans, ({ outcomes }) =>
    outcomes.map(({ fate, reason }) => `${fate} ${reason.code}`).join(),
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    const names = group.map(({ claim }) => claim);
    const shown =
      names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${String(names.length - 3)} more` : '');
    return (first?.outcomes ?? []).map((outcome, index) => ({
      what: index === 0 ? `it is ${what}` : 'or, as may be',
      then: `${shown}: ${groupWords(group.length, outcome)}`,
      source: sourceOf[outcome.reason.code],
    }));
  });
}

/** If pods are the owners, each claim of a group has a different owner. */
function groupWords(size: number, outcome: Outcome): string {
  return size > 1 && outcome.reason.code === 'OwnersGone'
    ? 'the claims go, each with its owner'
    : outcomeWords(outcome);
}
