import type { Verb } from '../meta/verb.ts';

/**
 * What a request asks for, derived from method, path and query as k8s.io/apiserver/pkg/endpoints/request
 * does.
 */
export type RequestInfo =
  | { readonly kind: 'path'; readonly method: string; readonly path: string; readonly query: URLSearchParams }
  | ResourceRequest;

/** A request for objects of a kind. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for requests across the whole cluster. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  /** Empty for a request for the object itself. */
  readonly subresource: string;
  /** Whether the path continues after the subresource. */
  readonly isDeeper: boolean;
}

/** Parses the method, path and query of a request. */
export function parseRequest(method: string, url: string): RequestInfo {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const parts = path
    .split('/')
    .slice(1)
    .map((part) => decodePart(part));
  if (parts.at(-1) === '') {
    parts.pop();
  }

  let group: string;
  let rest: string[];
  if (parts[0] === 'api') {
    group = '';
    rest = parts.slice(1);
  } else if (parts[0] === 'apis') {
    group = parts[1] ?? '';
    rest = parts.slice(2);
  } else {
    return { kind: 'path', method, path, query };
  }
  const [version, ...segments] = rest;
  if (version === undefined || segments.length === 0) {
    return { kind: 'path', method, path, query };
  }

  let isWatchPath = false;
  if (segments[0] === 'watch') {
    isWatchPath = true;
    segments.shift();
  }
  let namespace = '';
  let [resource = '', name = '', subresource = '', ...deeper] = segments;
  // /namespaces/<name>/<resource> addresses a resource in the namespace, unless it is a subresource of the
  // namespace itself.
  if (
    resource === 'namespaces' &&
    segments.length > 2 &&
    !['status', 'finalize'].includes(segments[2] ?? '')
  ) {
    namespace = segments[1] ?? '';
    [, , resource = '', name = '', subresource = '', ...deeper] = segments;
  }
  return {
    kind: 'resource',
    verb: verbOf(method, name, query, isWatchPath),
    method,
    path,
    query,
    group,
    version,
    resource,
    namespace,
    name,
    subresource,
    isDeeper: deeper.length > 0,
  };
}

function verbOf(method: string, name: string, query: URLSearchParams, isWatchPath: boolean): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default: {
      if (isWatchPath || (name === '' && isTrue(query.get('watch')))) {
        return 'watch';
      }
      return name === '' ? 'list' : 'get';
    }
  }
}

/** Interprets a boolean in a query as the API server does: true if present and neither "0" nor "false". */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function decodePart(part: string): string {
  if (!part.includes('%')) {
    return part;
  }
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
