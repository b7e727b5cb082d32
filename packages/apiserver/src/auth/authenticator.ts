import { keyspaceOf } from '../resources/resource-definition.ts';
import { serviceAccounts } from '../resources/service-account.ts';
import { issuer } from '../resources/token-claims.ts';
import { bindableKinds } from '../resources/token-request.ts';
import type { Storage } from '../storage/storage.ts';
import { type IssuedClaims, readToken } from './service-account-token.ts';
import type { SigningKey } from './signing-key.ts';
import {
  type UserInfo,
  anonymous,
  authenticatedGroup,
  serviceAccountGroups,
  serviceAccountUserName,
} from './user-info.ts';

/** A user with a fixed bearer token, as in kube-apiserver's --token-auth-file. */
export interface ApiServerUser {
  readonly token: string;
  readonly name: string;
  /** Default: none. */
  readonly uid?: string;
  /** Default none; system:authenticated is added. */
  readonly groups?: readonly string[];
}

export type Authentication =
  | {
      readonly user: UserInfo;
      /** The requested audiences for which the token is valid. */
      readonly audiences: readonly string[];
    }
  | { readonly error: string };

export interface Authenticator {
  /** Authenticates a token. The audiences default to the API server itself. */
  authenticateToken(token: string, audiences?: readonly string[]): Authentication;
  /**
   * Returns the user of an Authorization header: anonymous without a bearer token, undefined if the token is
   * invalid.
   */
  authenticateHeader(header: string | undefined): UserInfo | undefined;
}

export interface AuthenticatorOptions {
  readonly users: readonly ApiServerUser[];
  /** The key that signs the tokens of service accounts. */
  readonly tokenKey: SigningKey;
  readonly storage: Storage;
  readonly now: () => number;
}

const unknownToken = 'invalid bearer token';
const apiAudiences: readonly string[] = [issuer];

/** Throws if two users have the same token. */
export function createAuthenticator({ users, tokenKey, storage, now }: AuthenticatorOptions): Authenticator {
  const byToken = new Map<string, UserInfo>();
  for (const { token, name, uid = '', groups = [] } of users) {
    const known = byToken.get(token);
    if (known !== undefined) {
      throw new Error(`users "${known.name}" and "${name}" have the same token; give each one of its own`);
    }
    const all = groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup];
    byToken.set(token, { name, uid, groups: all });
  }

  /** Returns why a token of this server is no longer valid; undefined if it is valid. */
  function problemOf({ namespace, name, uid, bound, expires }: IssuedClaims): string | undefined {
    if (expires <= now() / 1000) {
      return 'service account token has expired';
    }
    const account = storage.get(keyspaceOf(serviceAccounts), namespace, name);
    if (account === undefined) {
      return `serviceaccounts "${name}" not found`;
    }
    if (account.object.metadata.uid !== uid) {
      return `service account UID (${account.object.metadata.uid ?? ''}) does not match claim (${uid})`;
    }
    if (bound === undefined) {
      return undefined;
    }
    const definition = bindableKinds[bound.kind];
    const home = definition.namespaced ? namespace : '';
    const object = storage.get(keyspaceOf(definition), home, bound.name)?.object;
    return object?.metadata.uid === bound.uid
      ? undefined
      : `service account token has been invalidated: its ${bound.kind.toLowerCase()} "${bound.name}" is gone`;
  }

  function authenticateToken(token: string, wanted = apiAudiences): Authentication {
    const user = byToken.get(token);
    if (user !== undefined) {
      const audiences = wanted.filter((audience) => apiAudiences.includes(audience));
      return audiences.length === 0 ? { error: unknownToken } : { user, audiences };
    }
    const claims = readToken(tokenKey, token);
    if (claims === undefined) {
      return { error: unknownToken };
    }
    const audiences = wanted.filter((audience) => claims.audiences.includes(audience));
    if (audiences.length === 0) {
      const problem = `token audiences ${quoted(claims.audiences)} is invalid for the target audiences ${quoted(wanted)}`;
      return { error: `[${unknownToken}, ${problem}]` };
    }
    const problem = problemOf(claims);
    if (problem !== undefined) {
      return { error: `[${unknownToken}, ${problem}]` };
    }
    return { user: userOf(claims), audiences };
  }

  return {
    authenticateToken,
    authenticateHeader(header) {
      const [scheme = '', token = ''] = (header ?? '').trim().split(' ', 2);
      if (scheme.toLowerCase() !== 'bearer' || token === '') {
        return anonymous;
      }
      const result = authenticateToken(token);
      return 'user' in result ? result.user : undefined;
    },
  };
}

function userOf({ namespace, name, uid, bound, id }: IssuedClaims): UserInfo {
  const extra: Record<string, readonly string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${id}`],
  };
  if (bound?.kind === 'Pod' || bound?.kind === 'Node') {
    const kind = bound.kind.toLowerCase();
    extra[`authentication.kubernetes.io/${kind}-name`] = [bound.name];
    extra[`authentication.kubernetes.io/${kind}-uid`] = [bound.uid];
  }
  return {
    name: serviceAccountUserName(namespace, name),
    uid,
    groups: [...serviceAccountGroups(namespace), authenticatedGroup],
    extra,
  };
}

function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
