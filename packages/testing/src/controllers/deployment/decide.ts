import {
  isTerminating,
  ownerReference,
  deployments,
  type Deployment,
  type Pod,
  type ReplicaSet,
} from '@holdfast/core';
import type { Draft } from '../api-client.ts';
import { canonical, hashOf } from '../content-hash.ts';
import { isOver } from '../pods/pod-state.ts';
import {
  annotations,
  hasAnnotations,
  maxRevision,
  newSetAnnotations,
  numberIn,
  sizeAnnotations,
} from './annotations.ts';
import {
  byAge,
  isRolling,
  maxSurge,
  newSetSize,
  oldSetSizes,
  replicasOf,
  scaledSizes,
  type Size,
} from './sizes.ts';
import {
  countedStatus,
  deadlineIn,
  hasDeadline,
  hasStatus,
  isComplete,
  progressing,
  progressingOf,
  rolloutStatus,
  withCondition,
  type DeploymentStatus,
  type Observed,
  type Statement,
} from './status.ts';

/** What the decision about a Deployment is based on. */
export interface Snapshot {
  readonly deployment: Deployment;
  /** The sets that the Deployment controls. */
  readonly sets: readonly ReplicaSet[];
  /** The pods of these sets. */
  readonly pods: readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What to do next. The Deployment is looked at again after each step. */
export type Step =
  /** Write the status, together with these annotations of the Deployment. */
  | {
      readonly kind: 'status';
      readonly status: DeploymentStatus;
      readonly annotations?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'create'; readonly draft: Draft; readonly revision: string }
  /** Write these sets, with the resourceVersion that was looked at. */
  | { readonly kind: 'update sets'; readonly sets: readonly ReplicaSet[] }
  | { readonly kind: 'delete sets'; readonly sets: readonly ReplicaSet[] }
  /** Do nothing until something happens or the progress deadline has passed. */
  | { readonly kind: 'none'; readonly deadlineIn: number | undefined };

/** What the checks of a rollout look at. They run in the order of pkg/controller/deployment. */
interface Situation extends Observed {
  readonly pods: readonly Pod[];
}

/**
 * Decides the next step by the first matching line. The new set is the oldest one that has the Deployment's
 * template; all others are old.
 *
 *     the Deployment                                    step
 *     is being deleted                                  count
 *     is paused, or no longer, and does not say so      Progressing Unknown, DeploymentPaused or DeploymentResumed
 *     its new set lacks its annotations, its revision
 *       or its minReadySeconds                          update the new set
 *     has not its new set's revision, or no Progressing write both (FoundNewReplicaSet)
 *     is paused, or was scaled                          share the replicas out (sizes.ts); while it is paused, forget old sets; count
 *     Recreate, old sets have replicas                  scale them to 0
 *     Recreate, old pods run                            status of the rollout
 *     has no new set                                    create it: with all replicas for Recreate, else with what the surge allows
 *     has a new set of another size than it may have    scale it
 *     RollingUpdate, old pods may go                    scale old sets down (sizes.ts)
 *     has been seen to be complete                      forget old sets beyond `revisionHistoryLimit`
 *     else                                              status of the rollout
 *
 * To go back is to use the template of an old set again: that set becomes the new one and gets the next
 * revision. Upstream's annotation `deprecated.deployment.rollback.to` has no effect here.
 */
export function decide({ deployment, sets, pods, now }: Snapshot): Step {
  const newSet = sets.toSorted(byAge).find((set) => hasTemplate(set, deployment));
  const situation = { deployment, newSet, oldSets: sets.filter((set) => set !== newSet), pods, now };
  if (isTerminating(deployment)) {
    return writeStatus(situation, countedStatus(situation));
  }
  return (
    sayPaused(situation) ??
    number(situation) ??
    (deployment.spec?.paused === true || isScaled(situation) ? scale(situation) : rollOut(situation))
  );
}

function rollOut(situation: Situation): Step {
  const { deployment, newSet, oldSets, pods } = situation;
  const isRecreated = !isRolling(deployment);
  if (isRecreated) {
    const active = oldSets.filter((set) => replicasOf(set) > 0);
    if (active.length > 0) {
      return resize(
        deployment,
        active.map((set) => ({ set, replicas: 0 })),
      );
    }
    if (doOldPodsRun(newSet, oldSets, pods)) {
      return writeStatus(situation, rolloutStatus(situation));
    }
  }
  if (newSet === undefined) {
    return create(situation);
  }
  const size = newSetSize(deployment, replicasOf(newSet), [...oldSets, newSet]);
  if (size !== replicasOf(newSet)) {
    return resize(deployment, [{ set: newSet, replicas: size }]);
  }
  const down = isRecreated ? [] : oldSetSizes(deployment, newSet, oldSets);
  if (down.length > 0) {
    return resize(deployment, down);
  }
  const superfluous = isComplete(deployment, deployment.status) ? superfluousSets(situation) : [];
  return superfluous.length > 0
    ? { kind: 'delete sets', sets: superfluous }
    : writeStatus(situation, rolloutStatus(situation));
}

function scale(situation: Situation): Step {
  const { deployment, newSet, oldSets } = situation;
  const step = resize(deployment, scaledSizes(deployment, newSet, oldSets));
  if (step.kind === 'update sets' && step.sets.length > 0) {
    return step;
  }
  const superfluous = deployment.spec?.paused === true ? superfluousSets(situation) : [];
  return superfluous.length > 0
    ? { kind: 'delete sets', sets: superfluous }
    : writeStatus(situation, countedStatus(situation));
}

/**
 * The pause is recorded in the condition, so that the progress deadline does not pass during it. A rollout
 * that has already timed out stays so.
 */
function sayPaused({ deployment, now }: Situation): Step | undefined {
  const { reason } = progressingOf(deployment) ?? {};
  const isPaused = deployment.spec?.paused === true;
  const isSaid = reason === 'DeploymentPaused';
  if (!hasDeadline(deployment) || reason === 'ProgressDeadlineExceeded' || isPaused === isSaid) {
    return undefined;
  }
  const statement = isPaused
    ? progressing('Unknown', 'DeploymentPaused', 'Deployment is paused')
    : progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  return { kind: 'status', status: withStatement(deployment, statement, now) };
}

/** Gives the new set its revision, and the Deployment the revision of that set. */
function number({ deployment, newSet, oldSets, now }: Situation): Step | undefined {
  if (newSet === undefined) {
    return undefined;
  }
  const wanted = newSetAnnotations(deployment, newSet, maxRevision(oldSets) + 1);
  const { minReadySeconds = 0 } = deployment.spec ?? {};
  if (!hasAnnotations(newSet, wanted) || (newSet.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
    const { metadata, spec } = newSet;
    const updated = {
      ...newSet,
      metadata: { ...metadata, annotations: wanted },
      spec: { ...spec, minReadySeconds },
    } as ReplicaSet;
    return { kind: 'update sets', sets: [updated] };
  }
  const revision = wanted[annotations.revision];
  const isFound = hasDeadline(deployment) && progressingOf(deployment) === undefined;
  const own = deployment.metadata.annotations ?? {};
  if (revision === undefined || (own[annotations.revision] === revision && !isFound)) {
    return undefined;
  }
  const found = progressing('True', 'FoundNewReplicaSet', `Found new replica set "${newSet.metadata.name}"`);
  return {
    kind: 'status',
    status: isFound ? withStatement(deployment, found, now) : (deployment.status ?? {}),
    annotations: { ...own, [annotations.revision]: revision },
  };
}

/** The status as it is, plus one condition. */
export function withStatement(deployment: Deployment, statement: Statement, now: number): DeploymentStatus {
  const { status = {} } = deployment;
  return { ...status, conditions: withCondition(status.conditions ?? [], statement, now) };
}

/** Whether a set was sized for a number of replicas that the Deployment no longer has. */
function isScaled({ deployment, newSet, oldSets }: Situation): boolean {
  return [...oldSets, ...(newSet === undefined ? [] : [newSet])].some((set) => {
    const desired = numberIn(set, annotations.desiredReplicas);
    return replicasOf(set) > 0 && desired !== undefined && desired !== replicasOf(deployment);
  });
}

function resize(deployment: Deployment, sizes: readonly Size[]): Step {
  const told = sizeAnnotations(replicasOf(deployment), maxSurge(deployment));
  const changed = sizes.filter(
    ({ set, replicas }) => replicas !== replicasOf(set) || !hasAnnotations(set, told),
  );
  return {
    kind: 'update sets',
    sets: changed.map(({ set, replicas }) => {
      const { metadata, spec } = set;
      return {
        ...set,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...told } },
        spec: { ...spec, replicas },
      } as ReplicaSet;
    }),
  };
}

const hashLabel = 'pod-template-hash';
const longestName = 253;

function create({ deployment, oldSets }: Situation): Step {
  const { metadata, spec, status } = deployment;
  const { name, namespace = '' } = metadata;
  const hash = hashOf(`${canonical(spec?.template)}${status?.collisionCount ?? 0}`);
  const labels = { ...spec?.template.metadata?.labels, [hashLabel]: hash };
  const revision = maxRevision(oldSets) + 1;
  const draft = {
    metadata: {
      name: `${name.slice(0, longestName - hash.length - 1)}-${hash}`,
      namespace,
      labels,
      annotations: {
        ...newSetAnnotations(deployment, undefined, revision),
        ...sizeAnnotations(replicasOf(deployment), maxSurge(deployment)),
      },
      ownerReferences: [
        ownerReference(deployments, deployment, { metadata: { namespace } }, { controller: true }),
      ],
    },
    spec: {
      replicas: newSetSize(deployment, 0, oldSets),
      minReadySeconds: spec?.minReadySeconds ?? 0,
      selector: {
        ...spec?.selector,
        matchLabels: { ...spec?.selector.matchLabels, [hashLabel]: hash },
      },
      template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
    },
  };
  return { kind: 'create', draft, revision: String(revision) };
}

/** Whether the set has the Deployment's template, ignoring the label that distinguishes the sets. */
export function hasTemplate(set: ReplicaSet, deployment: Deployment): boolean {
  return templateText(set) === templateText(deployment);
}

function templateText({ spec }: ReplicaSet | Deployment): string {
  const { metadata = {}, ...rest } = spec?.template ?? {};
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => key !== hashLabel);
  return canonical({ ...rest, metadata: { ...metadata, labels: Object.fromEntries(labels) } });
}

/**
 * Judges by the status of old sets and by their pods that have not ended: a set that was scaled to 0 might
 * not have noticed that yet.
 */
function doOldPodsRun(
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  pods: readonly Pod[],
): boolean {
  const isOld = ({ metadata }: Pod): boolean =>
    !(metadata.ownerReferences ?? []).some(
      ({ uid, controller }) => controller === true && uid === newSet?.metadata.uid,
    );
  return (
    oldSets.some(({ status }) => (status?.replicas ?? 0) > 0) ||
    pods.some((pod) => isOld(pod) && !isOver(pod))
  );
}

const greatestInt32 = 2 ** 31 - 1;

/** Old sets beyond the limit, in order of revision, if they are empty and their status says so. */
function superfluousSets({ deployment, oldSets }: Situation): readonly ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit ?? greatestInt32;
  const present = oldSets.filter((set) => !isTerminating(set));
  const revision = (set: ReplicaSet): number => numberIn(set, annotations.revision) ?? 0;
  return present
    .toSorted((a, b) => revision(a) - revision(b) || byAge(a, b))
    .slice(0, Math.max(0, present.length - limit))
    .filter(
      ({ metadata, spec, status }) =>
        (status?.replicas ?? 0) === 0 &&
        spec?.replicas === 0 &&
        (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0),
    );
}

function writeStatus({ deployment, now }: Situation, status: DeploymentStatus): Step {
  return hasStatus(deployment, status)
    ? { kind: 'none', deadlineIn: isComplete(deployment, status) ? undefined : deadlineIn(deployment, now) }
    : { kind: 'status', status };
}
