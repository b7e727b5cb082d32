import { isTrue, parseRequest, type RequestInfo } from '@holdfast/apiserver';
import { pathOf, type Place } from './place.ts';

/** A request of the operator: to the API server, as it came to the proxy, or to the outside. */
export interface OperatorRequest {
  /** Undefined for what keeps a Lease: how often it is renewed is a matter of time. */
  readonly place: Place | undefined;
  readonly effect: RequestEffect;
  /** Undefined for a call to the outside. */
  readonly info: RequestInfo | undefined;
}

/** A request to the API server. */
export interface ApiRequest extends OperatorRequest {
  readonly info: RequestInfo;
}

/** What a request does to the server's state. A write that is only rehearsed (`dryRun=All`) and a review read. A call changes something else. */
export type RequestEffect = 'read' | 'watch' | 'write' | 'call';

const reviews: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/** @param placeOf numbers the places of the run. */
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

/** A call, or a write that the operator exists for: not one that tells of it, nor one that keeps a Lease. */
export function isAct({ effect, info }: OperatorRequest): boolean {
  return (
    effect === 'call' ||
    (effect === 'write' &&
      info?.kind === 'resource' &&
      info.resource !== 'events' &&
      info.resource !== 'leases')
  );
}
