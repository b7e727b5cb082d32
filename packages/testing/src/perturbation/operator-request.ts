import { isTrue, parseRequest, type RequestInfo } from '@holdfast/apiserver';
import { pathOf, type Place } from './place.ts';

/** A request of the operator: to the API server, as the proxy received it, or to the outside. */
export interface OperatorRequest {
  /** Undefined for a request that maintains a Lease, because the number of renewals depends on time. */
  readonly place: Place | undefined;
  readonly effect: RequestEffect;
  /** Undefined for a call to the outside. */
  readonly info: RequestInfo | undefined;
}

/** A request to the API server. */
export interface ApiRequest extends OperatorRequest {
  readonly info: RequestInfo;
}

/**
 * What a request does to the server's state. Dry-run writes (`dryRun=All`) and reviews count as reads. A
 * `call` changes something other than the API server.
 */
export type RequestEffect = 'read' | 'watch' | 'write' | 'call';

const reviews: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/**
 * Classifies a request.
 *
 * @param placeOf numbers the places of the run
 */
export function operatorRequest(method: string, url: string, placeOf: (name: string) => Place): ApiRequest {
  const info = parseRequest(method, url);
  if (info.kind === 'path') {
    return { place: placeOf(`${method.toLowerCase()} ${info.path}`), effect: 'read', info };
  }
  const { verb, group, resource, subresource, namespace, name, query } = info;
  const isRehearsal = query.get('dryRun') !== null;
  const object = `${resource}${subresource === '' ? '' : `/${subresource}`}`;
  const words = [isRehearsal ? 'rehearse' : '', verb, object, pathOf(namespace, name)];
  const effect = ((): RequestEffect => {
    switch (verb) {
      case 'get':
      case 'list':
        return 'read';
      case 'watch':
        return 'watch';
      case 'create':
      case 'update':
      case 'patch':
      case 'delete':
      case 'deletecollection':
        return isRehearsal || reviews.has(group) ? 'read' : 'write';
    }
  })();
  const streamed = effect === 'watch' && isTrue(query.get('sendInitialEvents')) ? ['initial'] : [];
  return {
    place:
      resource === 'leases'
        ? undefined
        : placeOf([...streamed, ...words].filter((word) => word !== '').join(' ')),
    effect,
    info,
  };
}

/**
 * Whether the request is a call, or a write of the kind that the operator exists for; writing Events and
 * maintaining Leases does not count.
 */
export function isAct({ effect, info }: OperatorRequest): boolean {
  return (
    effect === 'call' ||
    (effect === 'write' &&
      info?.kind === 'resource' &&
      info.resource !== 'events' &&
      info.resource !== 'leases')
  );
}
