import {
  apiVersionOf,
  persistentVolumeClaims,
  type JsonPatch,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import type { UninstallStep } from '@holdfast/runtime';
import { parseClaimName } from './claim-name.ts';
import { changeAnnotations, changeOwners } from './claim-patch.ts';
import { isHeld, isHold } from './decide/hold.ts';
import { deleteAfterAnnotation, markOf, noMark } from './decide/mark.ts';
import { isOfKind, isOfOurForm, namesPod, referencesOf } from './decide/references.ts';
import { deletedWithAnnotation, tieOf } from './decide/tie.ts';
import { slimClaim } from './slim.ts';
import type { WorkloadResource } from './workload.ts';

/** A step that only needs the claim. */
interface ClaimStep extends UninstallStep<PersistentVolumeClaim> {
  takeBack(claim: PersistentVolumeClaim): JsonPatch | undefined;
}

/**
 * What this app puts on claims, and takes back on `--uninstall`:
 *
 * | on the claim `<template>-<workload>-<ordinal>`                                       | answer  |
 * |--------------------------------------------------------------------------------------|---------|
 * | reference to that workload, of a kind of `--workloads`, or to the pod of the ordinal, | removed |
 * | with `controller: true` and `blockOwnerDeletion: false`                               |         |
 * | reference of the claim to itself, by which it is held, and the reference, of any kind, | removed |
 * | that it was written with                                                              |         |
 * | the same with `blockOwnerDeletion: true` or without it: a stock controller's, a user's | kept    |
 * | any other reference                                                                   | kept    |
 * | a mark or a tie, valid or void                                                        | removed |
 */
export function uninstallSteps(workloads: readonly WorkloadResource[]): readonly ClaimStep[] {
  const shared = { resource: persistentVolumeClaims, projection: slimClaim };
  return [
    {
      ...shared,
      what: 'owner references of claims',
      takeBack: (claim) => {
        const references = referencesOf(claim);
        const held = isHeld(claim);
        const others = references.filter(
          (reference) =>
            !isOurs(reference, claim, workloads) &&
            !isHold(claim, reference) &&
            !(held && isOfOurForm(claim, reference)),
        );
        return others.length === references.length ? undefined : changeOwners(claim, others);
      },
    },
    {
      ...shared,
      what: `annotation ${deleteAfterAnnotation} of claims`,
      takeBack: (claim) => (markOf(claim) === undefined ? undefined : changeAnnotations(claim, noMark)),
    },
    {
      ...shared,
      what: `annotation ${deletedWithAnnotation} of claims`,
      takeBack: (claim) =>
        tieOf(claim) === undefined
          ? undefined
          : changeAnnotations(claim, { [deletedWithAnnotation]: undefined }),
    },
  ];
}

function isOurs(
  reference: OwnerReference,
  claim: PersistentVolumeClaim,
  workloads: readonly WorkloadResource[],
): boolean {
  const ordinal = parseClaimName(claim)?.ordinal;
  if (ordinal === undefined || reference.controller !== true || reference.blockOwnerDeletion !== false) {
    return false;
  }
  const { name } = claim.metadata;
  const isWorkload = workloads.some((resource) =>
    isOfKind(reference, { apiVersion: apiVersionOf(resource), kind: resource.kind }),
  );
  return isWorkload
    ? name.endsWith(`-${reference.name}-${String(ordinal)}`)
    : namesPod(reference, reference.name) &&
        reference.name.endsWith(`-${String(ordinal)}`) &&
        name.endsWith(`-${reference.name}`);
}
