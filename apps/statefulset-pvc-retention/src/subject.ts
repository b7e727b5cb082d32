import { objectKey, parseKey, type KubernetesObject } from '@holdfast/core';
import type { WorkloadResource } from './workload.ts';

type AnyResource = Pick<WorkloadResource, 'group' | 'plural'>;

/** Returns a key of the queue: the kind and the object's key, `statefulsets.apps shop/web`. */
export function subjectOf(resource: AnyResource, object: KubernetesObject): string {
  return `${prefixOf(resource)} ${objectKey(object)}`;
}

/** Returns what a key of the queue names. */
export function parseSubject(key: string): { readonly prefix: string; readonly objectKey: string } {
  const [prefix = '', rest = ''] = key.split(' ');
  return { prefix, objectKey: rest };
}

/** Returns the kind part of a key. */
export function prefixOf({ group, plural }: AnyResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** Returns the namespace of a key. */
export function namespaceOfSubject(key: string): string {
  return parseKey(parseSubject(key).objectKey).namespace ?? '';
}
