import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { Snapshot, WorkloadFacts } from './snapshot.ts';

/** Returns the owner references of a claim; empty if it has none. */
export function referencesOf({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

/**
 * Returns the UIDs of these owners. The API server accepts a claim with tens of thousands of references: a
 * search through all of them for each of them would take longer than a lease lasts.
 */
export function uidsOf(references: readonly OwnerReference[]): ReadonlySet<string> {
  return new Set(references.map(({ uid }) => uid));
}

/**
 * Returns the references that we can remove: those of a controller that is the workload or the ordinal's pod,
 * by name.
 *
 * With the gate off only those that this program wrote: the stock controller, whose references block the
 * owner's deletion, might still carry out the policy.
 */
export function ownReferences(
  claim: PersistentVolumeClaim,
  workload: WorkloadFacts,
  { podName, enabled }: Pick<Snapshot, 'podName' | 'enabled'>,
): readonly OwnerReference[] {
  return referencesOf(claim).filter(
    (reference) =>
      reference.controller === true &&
      (namesWorkload(reference, workload) || namesPod(reference, podName)) &&
      (enabled || reference.blockOwnerDeletion !== true),
  );
}

/** Returns whether the reference is to the workload of this kind and name, whatever its UID. */
export function namesWorkload(
  reference: OwnerReference,
  workload: Pick<WorkloadFacts, 'apiVersion' | 'kind' | 'name'>,
): boolean {
  return isOfKind(reference, workload) && reference.name === workload.name;
}

/** Compares the group, not the version: another version is the same object. */
export function isOfKind(
  reference: OwnerReference,
  { apiVersion, kind }: Pick<WorkloadFacts, 'apiVersion' | 'kind'>,
): boolean {
  return groupOf(reference.apiVersion) === groupOf(apiVersion) && reference.kind === kind;
}

export function namesPod({ apiVersion, kind, name }: OwnerReference, podName: string): boolean {
  return apiVersion === 'v1' && kind === 'Pod' && name === podName;
}

/** The name of a workload's pod ends with its ordinal, in canonical decimal. */
const podOfOrdinal = /.-(?:0|[1-9]\d*)$/;

/**
 * Returns the pod that controls the claim, if the pod could be one of a workload, and the claim is named after
 * it as a template's claim is.
 */
export function controllingPod({ metadata }: PersistentVolumeClaim): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, name, controller }) =>
      apiVersion === 'v1' &&
      kind === 'Pod' &&
      controller === true &&
      podOfOrdinal.test(name) &&
      metadata.name.endsWith(`-${name}`),
  );
}

/**
 * Returns whether it is a reference to a workload that the claim is named after, in the form that this
 * program writes.
 */
export function isOfOurForm(claim: PersistentVolumeClaim, reference: OwnerReference): boolean {
  const { controller, blockOwnerDeletion } = reference;
  return controller === true && blockOwnerDeletion === false && isNamedAfter(claim, reference);
}

/** Returns whether the claim's name could come from a template of a workload of that name. */
export function isNamedAfter({ metadata }: PersistentVolumeClaim, { name }: OwnerReference): boolean {
  const stem = metadata.name.slice(0, Math.max(0, metadata.name.lastIndexOf('-')));
  return stem.endsWith(`-${name}`);
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}
