import type { KubernetesObject } from '@holdfast/core';

/**
 * The name of a claim made from a template: `<template>-<workload>-<ordinal>`. Where the template ends and the workload
 * begins, only the workload tells; so the two are looked up together, as the stem `<namespace>/<template>-<workload>`.
 */
export interface ClaimName {
  readonly stem: string;
  readonly ordinal: number;
}

// No more digits than an int32 has, since a pod's index is one; and no zero in front: `data-web-01` is not of `web`.
const numbered = /^(.+)-(0|[1-9]\d{0,9})$/;
const largestOrdinal = 0x7fffffff;

/** Reads the name of an object; undefined when no template could have made it. */
export function parseClaimName({ metadata }: KubernetesObject): ClaimName | undefined {
  const [, head, digits] = numbered.exec(metadata.name) ?? [];
  const ordinal = Number(digits);
  return head === undefined || digits === undefined || ordinal > largestOrdinal
    ? undefined
    : { stem: `${metadata.namespace ?? ''}/${head}`, ordinal };
}
