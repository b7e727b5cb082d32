import { controllerOf, type ApiResource, type KubernetesObject, type StatefulSet } from '@holdfast/core';
import type { Draft } from '../api-client.ts';
import { canonical, hashOf } from '../content-hash.ts';
import { controllerReference, type PodTemplate } from './identity.ts';

/** A pod template that the set has or had, with a number that increases. */
export interface ControllerRevision extends KubernetesObject {
  readonly revision: number;
  readonly data: { readonly spec: { readonly template: PodTemplate } };
}

export const controllerRevisions: ApiResource<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
};

/** What to do so that the newest revision holds the set's template. */
export type RevisionStep =
  | { readonly kind: 'is there'; readonly update: ControllerRevision }
  | { readonly kind: 'raise'; readonly old: ControllerRevision; readonly revision: number }
  | { readonly kind: 'create'; readonly draft: Draft };

/** @param revisions the set's own, sorted by number */
export function nextRevision(set: StatefulSet, revisions: readonly ControllerRevision[]): RevisionStep {
  const data = revisionData(set);
  const content = canonical(data);
  const equal = revisions.findLast((revision) => canonical(revision.data) === content);
  const latest = revisions.at(-1);
  if (equal !== undefined && equal === latest) {
    return { kind: 'is there', update: equal };
  }
  const revision = (latest?.revision ?? 0) + 1;
  if (equal !== undefined) {
    return { kind: 'raise', old: equal, revision };
  }
  const hash = hashOf(`${content}0`);
  const draft = {
    metadata: {
      name: `${set.metadata.name}-${hash}`,
      namespace: set.metadata.namespace ?? '',
      labels: { ...set.spec?.template.metadata?.labels, 'controller.kubernetes.io/hash': hash },
      ...(set.metadata.annotations === undefined ? {} : { annotations: set.metadata.annotations }),
      ownerReferences: [controllerReference('apps/v1', 'StatefulSet', set)],
    },
    data,
    revision,
  };
  return { kind: 'create', draft };
}

/**
 * The revisions to delete: no pod uses them, they are neither the current nor the update revision, and there
 * are more than the limit.
 */
export function superfluousRevisions(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string>,
): readonly ControllerRevision[] {
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  const history = revisions.filter(({ metadata }) => !live.has(metadata.name));
  return history.slice(0, Math.max(0, history.length - limit));
}

/**
 * Whether the revision is controlled by the set, or is an orphan with matching labels: a set that was deleted
 * without its dependents leaves such orphans.
 */
export function belongsTo(
  set: StatefulSet,
  object: KubernetesObject,
  fits: (labels: Readonly<Record<string, string>> | undefined) => boolean,
): boolean {
  const controller = controllerOf(object);
  return controller === undefined ? fits(object.metadata.labels) : controller.uid === set.metadata.uid;
}

function revisionData(set: StatefulSet): object {
  return { spec: { template: { ...set.spec?.template, $patch: 'replace' } } };
}
