import {
  controllerOf,
  isControlledBy,
  labelMatcher,
  objectKey,
  ownerReference,
  pods,
  replicaSets,
  type LabelMatcher,
  type Pod,
  type ReplicaSet,
} from '@holdfast/core';
import { ApiError, type ApiClient } from '../api-client.ts';
import type { Controller } from '../controller.ts';
import { claimObjects, ownerKeys, refOf } from '../ownership.ts';
import { createOwnWrites } from '../own-writes.ts';
import { podFromTemplate, podPrefix } from '../pods/pod-from-template.ts';
import { availableIn, isActive, isEnding } from '../pods/pod-state.ts';
import { decide, type Scaling } from './decide.ts';
import { hasStatus, minReadySecondsOf, statusOf } from './status.ts';

/**
 * Stands in for kube-controller-manager's ReplicaSet controller (pkg/controller/replicaset) as of 1.36:
 * adoption and release of pods, scaling with the upstream order of deletion, and the status with
 * `terminatingReplicas`.
 *
 * It sends no Events and creates all missing pods at once, without upstream's slow start. If a pod cannot be
 * created, the controller keeps trying, and `idle()` waits.
 */
export const replicaSetController: Controller = {
  name: 'replicaset-controller',
  async setUp(stage) {
    const { client, now, watch } = stage;
    const writes = createOwnWrites(stage);
    const sets = await watch(replicaSets, ({ object }) => [objectKey(object)]);
    const podCache = await watch(pods, (change) => ownerKeys('ReplicaSet', sets, selects, change));

    /**
     * The pods of one family of sets. The sets of one Deployment count as one family when the pods of a node
     * are counted.
     */
    function relatedPods(set: ReplicaSet): readonly Pod[] {
      const family = controllerOf(set)?.uid;
      const matchers = sets
        .list()
        .filter(
          (other) =>
            other.metadata.uid === set.metadata.uid ||
            (family !== undefined && controllerOf(other)?.uid === family),
        )
        .map(selects);
      return podCache
        .list()
        .filter(
          ({ metadata: { namespace, labels } }) =>
            namespace === set.metadata.namespace && matchers.some((fits) => fits(labels)),
        );
    }

    return async (key) => {
      const set = sets.get(key);
      if (set === undefined || !writes.areSeen(key)) {
        return undefined;
      }
      const fits = selects(set);
      const active = await claimObjects({
        client,
        owner: set,
        ownerResource: replicaSets,
        resource: pods,
        objects: podCache.list().filter(isActive),
        fits,
        note: ({ metadata }) => writes.note(key, pods, metadata.resourceVersion),
      });
      const terminating = podCache
        .list()
        .filter((pod) => isEnding(pod) && isControlledBy(pod, set) && fits(pod.metadata.labels)).length;
      const time = now();
      const scaling = decide({ set, pods: active, related: relatedPods(set), now: time });
      const error = await scale(client, set, scaling, (version) => writes.note(key, pods, version));
      const failure = error === undefined ? undefined : { of: scaling.kind, message: error.answer };

      const status = statusOf({ set, pods: active, terminating, failure, now: time });
      if (!hasStatus(set, status)) {
        const written = await client.update(replicaSets, { ...set, status }, 'status');
        writes.note(key, replicaSets, written.metadata.resourceVersion);
      }
      if (error !== undefined) {
        throw error;
      }
      const waits = active.flatMap((pod) => availableIn(pod, minReadySecondsOf(set), time) ?? []);
      const next = Math.min(...waits.filter((wait) => wait > 0));
      return Number.isFinite(next) ? next : undefined;
    };
  },
};

/** Returns the server's answer that kept the scaling from being completed; undefined if it was completed. */
async function scale(
  client: ApiClient,
  set: ReplicaSet,
  scaling: Scaling,
  note: (version: string | undefined) => void,
): Promise<ApiError | undefined> {
  try {
    switch (scaling.kind) {
      case 'none':
        break;
      case 'create':
        for (let left = scaling.count; left > 0; left -= 1) {
          note((await client.create(pods, podDraft(set))).metadata.resourceVersion);
        }
        break;
      case 'delete':
        for (const pod of scaling.pods) {
          note(await deletePod(client, pod));
        }
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    // In a namespace that is being deleted every try fails, and the set will be deleted too.
    return error.causes.includes('NamespaceTerminating') ? undefined : error;
  }
}

function podDraft(set: ReplicaSet): ReturnType<typeof podFromTemplate> {
  const { name, namespace = '' } = set.metadata;
  const owner = ownerReference(replicaSets, set, { metadata: { namespace } }, { controller: true });
  return podFromTemplate(set.spec?.template ?? {}, { namespace, generateName: podPrefix(name), owner });
}

/** Undefined if the pod was already gone. */
async function deletePod(client: ApiClient, pod: Pod): Promise<string | undefined> {
  try {
    return await client.delete(pods, refOf(pod), { preconditions: { uid: pod.metadata.uid } });
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) {
      return undefined;
    }
    throw error;
  }
}

function selects({ spec }: ReplicaSet): LabelMatcher {
  return labelMatcher(spec?.selector);
}
