/** The sender of a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** Further attributes that the authenticator knows, by lower-case key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const authenticatedGroup = 'system:authenticated';
export const unauthenticatedGroup = 'system:unauthenticated';
/** Members of this group may do everything, regardless of roles. */
export const privilegedGroup = 'system:masters';

export const anonymous: UserInfo = { name: 'system:anonymous', uid: '', groups: [unauthenticatedGroup] };

const serviceAccountPrefix = 'system:serviceaccount:';

export function serviceAccountUserName(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/** Returns the service account that a user name stands for; undefined for all other users. */
export function serviceAccountOf(
  userName: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!userName.startsWith(serviceAccountPrefix)) {
    return undefined;
  }
  const [namespace = '', name = '', ...rest] = userName.slice(serviceAccountPrefix.length).split(':');
  return namespace === '' || name === '' || rest.length > 0 ? undefined : { namespace, name };
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
