import type { RequestInfo } from './request-info.ts';
import { StatusError } from './status-error.ts';
import type { UserInfo } from './user-info.ts';
import { anonymous } from './user-info.ts';

/** The user of an Authorization header; anonymous without one, undefined when the token is not known. */
export function authenticate(
  header: string | undefined,
  token: string,
  user: UserInfo,
): UserInfo | undefined {
  if (header === undefined) return anonymous;
  return header === `Bearer ${token}` ? user : undefined;
}

/** The 403 for who brings no token, worded by what was asked for. */
export function anonymousForbidden(info: RequestInfo): StatusError {
  if (info.kind === 'path') {
    const verb = info.method.toLowerCase();
    return new StatusError(
      403,
      'Forbidden',
      `forbidden: User "${anonymous.name}" cannot ${verb} path "${info.path}"`,
      {},
    );
  }
  const { group, resource, name, namespace, verb, subresource } = info;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const subject = name === '' ? qualified : `${qualified} "${name}"`;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return new StatusError(
    403,
    'Forbidden',
    `${subject} is forbidden: User "${anonymous.name}" cannot ${verb} resource "${full}" in API group "${group}" ${scope}`,
    {
      ...(name === '' ? undefined : { name }),
      ...(group === '' ? undefined : { group }),
      kind: resource,
    },
  );
}
