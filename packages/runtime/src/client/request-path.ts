import { collectionPath, type ApiResource, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import type { ListOptions, WatchOptions } from './api-client.ts';

/** Path of one object, or of a subresource of it. */
export function objectPath(
  resource: ApiResource<KubernetesObject>,
  { namespace, name }: ObjectRef,
  subresource?: string,
): string {
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Path and query of a page of a list. */
export function listPath(resource: ApiResource<KubernetesObject>, options: ListOptions): string {
  return withQuery(collectionPath(resource, options.namespace), {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit?.toString(),
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  });
}

/** Path and query of a watch, with bookmarks. */
export function watchPath(resource: ApiResource<KubernetesObject>, options: WatchOptions): string {
  return withQuery(collectionPath(resource, options.namespace), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    ...(options.sendInitialEvents === true
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : {}),
    timeoutSeconds: options.timeoutSeconds.toString(),
  });
}

/** The path of a write that the server checks and answers, but does not store. */
export function dryRunPath(path: string): string {
  return withQuery(path, { dryRun: 'All' });
}

function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}
