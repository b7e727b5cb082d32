import { apiVersionOf, type PersistentVolumeClaim } from '@holdfast/core';
import type { Informer, ReconcileResult, Store } from '@holdfast/runtime';
import { workloadsNamedOn } from './decide/leftover.ts';
import { isOfKind, referencesOf } from './decide/references.ts';
import { isOfTiedKind } from './decide/tie.ts';
import type { Notices } from './notices.ts';
import type { Reconcile } from './reconcile.ts';
import { parseSubject, prefixOf } from './subject.ts';
import type { KindedWorkload, View } from './view.ts';
import type { Warning, Workload, WorkloadResource } from './workload.ts';

export interface ReconcileSubjectOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  readonly kinds: readonly {
    readonly resource: WorkloadResource;
    readonly isFollowing: Informer<Workload>['isFollowing'];
  }[];
  readonly view: View;
  readonly notices: Notices;
  /** Returns what the workload asks for and does not get. */
  readonly warnings: (owner: KindedWorkload) => readonly Warning[];
  readonly reconcile: Reconcile;
}

/** Time between two looks at a claim whose workload might be unseen, in milliseconds. */
const unseenDelay = 30_000;

/** Reconciles what a key names: a workload with its claims, or a claim without a workload. */
export function createReconcileSubject(options: ReconcileSubjectOptions) {
  const { claims, kinds, view, notices, warnings, reconcile } = options;

  /**
   * Returns whether the claim names a workload of a kind that cannot be read at the moment: its absence from
   * the store does not mean that it is gone.
   */
  const workloadMightBeUnseen = (claim: PersistentVolumeClaim): boolean =>
    kinds.some(({ resource, isFollowing }) => {
      const kind = { apiVersion: apiVersionOf(resource), kind: resource.kind };
      return (
        !isFollowing(claim.metadata.namespace) &&
        (referencesOf(claim).some((reference) => isOfKind(reference, kind)) ||
          workloadsNamedOn(claim).some((workload) => isOfTiedKind(workload, resource)))
      );
    });

  return async (key: string, _batch: unknown, signal: AbortSignal): Promise<ReconcileResult> => {
    const subject = parseSubject(key);
    const resource = kinds.find((kind) => prefixOf(kind.resource) === subject.prefix)?.resource;
    if (resource !== undefined) {
      const owner = view.workload(resource, subject.objectKey);
      if (owner === undefined) {
        return { kind: 'done' };
      }
      notices.warned(owner, warnings(owner));
      return reconcile.workload(owner, signal);
    }
    const claim = claims.get(subject.objectKey);
    if (claim === undefined || (view.workloadsOf(claim).length > 0 && !view.lacksTemplate(claim))) {
      return { kind: 'done' };
    }
    return workloadMightBeUnseen(claim)
      ? { kind: 'requeueAfter', delay: unseenDelay }
      : reconcile.leftover(claim, signal);
  };
}
