import type { RequestOptions } from 'node:https';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { KubeConfigError } from './kubeconfig-error.ts';

/** `users[].user.auth-provider` of a kubeconfig, where its name is `oidc`. */
interface OidcProvider {
  readonly name: string;
  readonly config?: { readonly 'id-token'?: string } | null;
}

/** The `authProvider` of users with an id token after {@link takeOverIdTokens}. */
const provider = 'id-token';

/**
 * Makes the client send the id tokens of auth-provider `oidc` as they are.
 *
 * client-node's own authenticator would try to renew an expired token, and fails: it gives openid-client a
 * text where a URL is expected, and the error does not say what is wrong. Renewal is left to the owner of the
 * kubeconfig, which is kubectl or an exec plugin: a provider can issue a new refresh token each time, which
 * has to be stored.
 */
export function takeOverIdTokens(config: KubeConfig): void {
  config.users = config.users.map((user) =>
    providerOf(user)?.name === 'oidc'
      ? { ...user, authProvider: { ...providerOf(user), name: provider } }
      : user,
  );
}

/**
 * Applies the id tokens of users that {@link takeOverIdTokens} took over.
 *
 * @throws KubeConfigError if the token of the current user has expired or is missing.
 */
export function addIdTokenAuthenticator(source: string, config: KubeConfig, now = Date.now()): void {
  const user = config.getCurrentUser();
  if (user !== null && providerOf(user)?.name === provider) {
    const token = idTokenOf(user);
    const expiry = token === undefined ? undefined : expiryOf(token);
    const problem =
      token === undefined
        ? 'has no id-token'
        : expiry !== undefined && expiry <= now
          ? `has an id-token that has expired at ${new Date(expiry).toISOString()}, and is not renewed here`
          : undefined;
    if (problem !== undefined) {
      throw new KubeConfigError(
        `${source}: user "${user.name}" with auth-provider oidc ${problem}; have it renewed by kubectl, or use an exec plugin such as kubelogin`,
      );
    }
  }
  config.addAuthenticator({
    isAuthProvider: (each) => providerOf(each)?.name === provider,
    applyAuthentication: (each, options) => {
      const request = options as RequestOptions;
      request.headers = {
        ...(request.headers as Record<string, string>),
        Authorization: `Bearer ${idTokenOf(each) ?? ''}`,
      };
      return Promise.resolve();
    },
  });
}

function providerOf({ authProvider }: User): OidcProvider | undefined {
  return (authProvider as OidcProvider | null | undefined) ?? undefined;
}

function idTokenOf(user: User): string | undefined {
  const token = providerOf(user)?.config?.['id-token'];
  return token === '' ? undefined : token;
}

/**
 * Returns `exp` of a JWT in milliseconds of Unix time; undefined if it has none or the token is not a JWT.
 */
function expiryOf(token: string): number | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly exp?: unknown;
    } | null;
    return typeof claims?.exp === 'number' ? claims.exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
