import { collectionPath, type ApiResource, type KubernetesObject, type UrlPath } from '@holdfast/core';
import type { ListOptions, WatchOptions } from './api-client.ts';

/** Path and query of a page of a list. */
export function listPath(resource: ApiResource<KubernetesObject>, options: ListOptions): UrlPath {
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
export function watchPath(resource: ApiResource<KubernetesObject>, options: WatchOptions): UrlPath {
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

/** Path and query of a server-side apply. */
export function applyPath(path: UrlPath, fieldManager: string, force: boolean): UrlPath {
  return withQuery(path, { fieldManager, force: force ? 'true' : undefined });
}

/** Returns path and query of a request about the objects of a collection that selectors match. */
export function selectionPath(
  path: UrlPath,
  { labelSelector, fieldSelector }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
): UrlPath {
  return withQuery(path, { labelSelector, fieldSelector });
}

/**
 * Returns the path of a write that the server checks and answers, but does not store. The given path can have
 * a query.
 */
export function dryRunPath(path: UrlPath): UrlPath {
  return withQuery(path, { dryRun: 'All' });
}

/**
 * Returns the namespace in the path of a request; empty for cluster-scoped objects and for all namespaces.
 */
export function namespaceOf(path: UrlPath): string {
  return /^[^?]*\/namespaces\/([^/?]+)\//.exec(path)?.[1] ?? '';
}

function withQuery(path: UrlPath, parameters: Readonly<Record<string, string | undefined>>): UrlPath {
  const parts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const sign = path.includes('?') ? '&' : '?';
  return parts.length === 0 ? path : (`${path}${sign}${parts.join('&')}` as UrlPath);
}
