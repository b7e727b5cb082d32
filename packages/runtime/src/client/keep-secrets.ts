import type { KubeConfig } from '@kubernetes/client-node';
import { processSecrets } from '../logging/secret-values.ts';

/** What an identity provider issues or requires. */
const ofProviders = ['id-token', 'refresh-token', 'access-token', 'client-secret'];

/**
 * Registers the current user's credentials, and the passwords in the URLs of the current cluster, as secrets
 * that no output shows.
 */
export function keepSecrets(config: KubeConfig): void {
  const user = config.getCurrentUser();
  const { token, password, keyData } = user ?? {};
  const { config: provided = {} } = (user?.authProvider ?? {}) as {
    readonly config?: Readonly<Record<string, unknown>>;
  };
  const { server, proxyUrl } = config.getCurrentCluster() ?? {};
  for (const secret of [
    token,
    password,
    keyData,
    ...ofProviders.map((name) => provided[name]),
    ...[server, proxyUrl].flatMap(passwordsIn),
  ]) {
    if (typeof secret === 'string') {
      processSecrets.add(secret);
    }
  }
}

/** Returns the password both as it stands in the URL and decoded. */
function passwordsIn(url: string | undefined): readonly string[] {
  if (url === undefined || !URL.canParse(url)) {
    return [];
  }
  const { password } = new URL(url);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
