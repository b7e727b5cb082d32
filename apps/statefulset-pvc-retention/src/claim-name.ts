import type { KubernetesObject } from '@holdfast/core';

/**
 * The name of a claim made from a template: `<template>-<workload>-<ordinal>`. The name alone does not show
 * where the template ends and the workload begins, so both are looked up together, as the stem
 * `<namespace>/<template>-<workload>`.
 */
export interface ClaimName {
  readonly stem: string;
  readonly ordinal: number;
}

// An ordinal is an int32 in canonical decimal: `data-web-01` is not a claim of `web`.
const numbered = /^(.+)-(0|[1-9]\d{0,9})$/;
const largestOrdinal = 0x7fffffff;

/**
 * Returns the names of workloads that would make claims of this name: for `data-x-web-0` they are `x-web` and
 * `web`.
 */
export function workloadNamesOf({ metadata }: KubernetesObject): readonly string[] {
  const [, head = ''] = numbered.exec(metadata.name) ?? [];
  const [, ...parts] = head.split('-');
  return parts.map((_, index) => parts.slice(index).join('-')).filter((name) => name !== '');
}

/** Returns the parts of an object's name; undefined if no template could have made a claim of this name. */
export function parseClaimName({ metadata }: KubernetesObject): ClaimName | undefined {
  const [, head, digits] = numbered.exec(metadata.name) ?? [];
  const ordinal = Number(digits);
  return head === undefined || digits === undefined || ordinal > largestOrdinal
    ? undefined
    : { stem: `${metadata.namespace ?? ''}/${head}`, ordinal };
}
