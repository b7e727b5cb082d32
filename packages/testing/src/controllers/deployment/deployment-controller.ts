import {
  controllerOf,
  deployments,
  isControlledBy,
  keyOf,
  labelMatcher,
  objectKey,
  pods,
  replicaSets,
  type Deployment,
  type LabelMatcher,
} from '@holdfast/core';
import { ApiError, type ApiClient } from '../api-client.ts';
import type { Controller } from '../controller.ts';
import { claimObjects, ownerKeys, refOf } from '../ownership.ts';
import { createOwnWrites, type OwnWrites } from '../own-writes.ts';
import { isOver } from '../pods/pod-state.ts';
import { annotations } from './annotations.ts';
import { decide, hasTemplate, withStatement, type Step } from './decide.ts';
import { hasDeadline, progressing } from './status.ts';

/**
 * Stands in for kube-controller-manager's Deployment controller (pkg/controller/deployment) as of 1.36: one
 * ReplicaSet per template, RollingUpdate and Recreate, proportional scaling, revisions and their history,
 * pauses, conditions and the progress deadline. It does not create pods; the ReplicaSet controller does.
 *
 * It sends no Events and ignores `deprecated.deployment.rollback.to`. The hashes in names differ from
 * upstream's, but either controller finds the other's sets by their templates.
 */
export const deploymentController: Controller = {
  name: 'deployment-controller',
  async setUp(stage) {
    const { client, now, watch } = stage;
    const writes = createOwnWrites(stage);
    const cache = await watch(deployments, ({ object }) => [objectKey(object)]);
    const sets = await watch(replicaSets, (change) => ownerKeys('Deployment', cache, selects, change));
    // Recreate waits until old pods have ended. Everything else that matters is in the status of the sets.
    const podCache = await watch(pods, ({ object, isGone }) => {
      const { namespace = '' } = object.metadata;
      const controller = controllerOf(object);
      if (controller?.kind !== 'ReplicaSet' || !(isGone || isOver(object))) {
        return [];
      }
      const set = sets.get(keyOf({ namespace, name: controller.name }));
      const owner = set === undefined ? undefined : controllerOf(set);
      return owner?.kind === 'Deployment' ? [keyOf({ namespace, name: owner.name })] : [];
    });

    return async (key) => {
      const deployment = cache.get(key);
      if (deployment === undefined || !writes.areSeen(key)) {
        return undefined;
      }
      const own = await claimObjects({
        client,
        owner: deployment,
        ownerResource: deployments,
        resource: replicaSets,
        objects: sets.list(),
        fits: selects(deployment),
        note: ({ metadata }) => writes.note(key, replicaSets, metadata.resourceVersion),
      });
      const time = now();
      const step = decide({
        deployment,
        sets: own,
        pods: podCache.list().filter((pod) => own.some((set) => isControlledBy(pod, set))),
        now: time,
      });
      if (step.kind === 'none') {
        return step.deadlineIn === undefined ? undefined : { deadlineIn: Math.max(0, step.deadlineIn) };
      }
      await carryOut({ client, writes, deployment, now: time }, step);
      return undefined;
    };
  },
};

interface Work {
  readonly client: ApiClient;
  readonly writes: OwnWrites;
  readonly deployment: Deployment;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function carryOut(work: Work, step: Exclude<Step, { kind: 'none' }>): Promise<void> {
  const { client, writes, deployment } = work;
  const key = objectKey(deployment);
  switch (step.kind) {
    case 'status':
      return writeStatus(work, step.status, step.annotations);
    case 'create':
      return create(work, step);
    case 'update sets':
      for (const set of step.sets) {
        const { metadata } = await client.update(replicaSets, set);
        writes.note(key, replicaSets, metadata.resourceVersion);
      }
      return undefined;
    case 'delete sets':
      for (const set of step.sets) {
        const options = { preconditions: { uid: set.metadata.uid } };
        writes.note(key, replicaSets, await client.delete(replicaSets, refOf(set), options));
      }
      return undefined;
  }
}

/**
 * Annotations are written together with the status, as upstream does, so that the Deployment's generation
 * stays the same.
 */
async function writeStatus(
  { client, writes, deployment }: Work,
  status: NonNullable<Deployment['status']>,
  own = deployment.metadata.annotations,
): Promise<void> {
  const metadata = { ...deployment.metadata, ...(own === undefined ? {} : { annotations: own }) };
  const written = await client.update(deployments, { ...deployment, metadata, status }, 'status');
  writes.note(objectKey(deployment), deployments, written.metadata.resourceVersion);
}

async function create(work: Work, { draft, revision }: Extract<Step, { kind: 'create' }>): Promise<void> {
  const { client, writes, deployment, now } = work;
  const { name } = draft.metadata;
  try {
    const { metadata } = await client.create(replicaSets, draft);
    writes.note(objectKey(deployment), replicaSets, metadata.resourceVersion);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    // Nothing can be created in a namespace that is being deleted, and the Deployment will be deleted too.
    if (error.causes.includes('NamespaceTerminating')) {
      return;
    }
    if (error.code === 409) {
      return countCollision(work, name);
    }
    if (hasDeadline(deployment)) {
      const message = `Failed to create new replica set "${name}": ${error.answer}`;
      const failed = progressing('False', 'ReplicaSetCreateError', message);
      await writeStatus(work, withStatement(deployment, failed, now));
    }
    throw error;
  }
  const made = progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
  const status = hasDeadline(deployment) ? withStatement(deployment, made, now) : (deployment.status ?? {});
  await writeStatus(work, status, { ...deployment.metadata.annotations, [annotations.revision]: revision });
}

/**
 * The name is taken. If it is taken by this very set, which is not in the cache yet, the set will arrive
 * there; if by another object, the next hash differs.
 */
async function countCollision(work: Work, name: string): Promise<void> {
  const { client, writes, deployment } = work;
  const { namespace = '' } = deployment.metadata;
  const taken = await client.get(replicaSets, { namespace, name });
  if (taken !== undefined && isControlledBy(taken, deployment) && hasTemplate(taken, deployment)) {
    writes.note(objectKey(deployment), replicaSets, taken.metadata.resourceVersion);
    return;
  }
  const { status = {} } = deployment;
  await writeStatus(work, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
}

function selects({ spec }: Deployment): LabelMatcher {
  return labelMatcher(spec?.selector);
}
