import type { RequestInfo } from '../http/request-info.ts';
import { forbidden, StatusError } from '../meta/status-error.ts';
import { parseFieldSelector } from '../selectors/field-selector.ts';
import type { UserInfo } from './user-info.ts';

/** What a request asks to do, as authorization sees it (authorizer.Attributes). */
export type AccessRequest =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty for requests across namespaces, and for cluster-scoped resources. */
      readonly namespace: string;
      /** Empty for collections. */
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export function accessOf(info: RequestInfo): AccessRequest {
  if (info.kind === 'path') {
    return { kind: 'path', verb: info.method.toLowerCase(), path: info.path };
  }
  const { verb, group, resource, subresource, name } = info;
  return {
    kind: 'resource',
    verb,
    group,
    resource,
    subresource,
    // A namespace counts as being in itself, so that a role in it can allow access to it.
    namespace: resource === 'namespaces' ? name : info.namespace,
    name: name === '' ? selectedName(info) : name,
  };
}

/**
 * A list or watch that a field selector narrows to one name is authorized like that name. The deletion of a
 * collection is not: only a rule without resource names allows it.
 */
function selectedName({ verb, query }: Extract<RequestInfo, { kind: 'resource' }>): string {
  const selector = query.get('fieldSelector') ?? '';
  if (selector === '' || (verb !== 'list' && verb !== 'watch')) {
    return '';
  }
  try {
    const term = parseFieldSelector(selector).find(
      ({ field, operator }) => field === 'metadata.name' && operator === '=',
    );
    return term === undefined || /[/%]|^\.\.?$/.test(term.value) ? '' : term.value;
  } catch {
    // The handler of the request reports what is wrong with the selector.
    return '';
  }
}

/**
 * Returns the 403 for a request that is not allowed. The reason is the authorizer's; empty if it has none.
 */
export function accessForbidden(user: UserInfo, access: AccessRequest, reason: string): StatusError {
  const tail = reason === '' ? '' : `: ${reason}`;
  const who = `User ${JSON.stringify(user.name)}`;
  if (access.kind === 'path') {
    const problem = escapeHtml(`${who} cannot ${access.verb} path ${JSON.stringify(access.path)}`);
    return new StatusError(403, 'Forbidden', `forbidden: ${problem}${tail}`, {});
  }
  const { verb, group, resource, subresource, namespace, name } = access;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const problem = escapeHtml(`${who} cannot ${verb} resource "${full}" in API group "${group}" ${scope}`);
  return forbidden({ group, name: resource }, name, problem + tail);
}

/** The real server escapes what it repeats of a request, so that browsers do not take it for HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
