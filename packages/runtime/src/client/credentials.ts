import type { RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node';
import { processSecrets } from '../logging/secret-values.ts';
import { backoffDelay } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import { keepSecrets } from './keep-secrets.ts';

/** What authenticates a request. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
  /** When they expire, in milliseconds of Unix time. Default: not known. */
  readonly expires?: number;
}

/**
 * What an authenticator changes. One that knows when its credentials expire says so here. One that takes long ends at
 * the signal.
 */
export interface AuthenticatedOptions extends RequestOptions {
  expires?: number;
}

/** The part of node:tls's options that a kubeconfig decides. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

/**
 * client-node re-reads token files once a minute. Asking it more often than this only costs file reads of the
 * CA.
 */
const freshness = 10_000;
/** An authenticator that takes longer than this many milliseconds has failed. */
const patience = 30_000;
/**
 * After how many milliseconds without an answer of the authenticator the last credentials are tried. A leader's try at
 * its lease needs time after that.
 */
const lastAfter = 2_000;
/**
 * After how many milliseconds, from when it was last asked, an authenticator is asked again that has failed, or whose
 * credentials were refused even though they were new. An exec plugin runs for each time. The first delays are shorter
 * than the two seconds between a leader's tries, so that each try can have the token that comes late: after ten
 * seconds without one the lease is lost.
 */
export const askedAgain = { initial: 1_000, max: 10_000, factor: 1.2 };

/** Supplies a client with {@link Credentials}. */
export interface CredentialSource {
  /**
   * Returns the cached credentials while they are fresh. It is synchronous, so that a request need not wait
   * for a turn of the event loop.
   */
  fresh(): Credentials | undefined;
  /**
   * Asks the authenticator for the credentials again. Simultaneous callers share one call of the
   * authenticator. One that has failed is asked again after a second, and ever less often, up to every ten
   * seconds; until then its error counts again.
   *
   * If it fails, or takes longer than two seconds, the last credentials that it gave are returned, unless they are
   * known to have expired: that a file can't be read for a while, or is only half written, or that an identity
   * provider does not answer, says nothing about them.
   *
   * @throws what the authenticator throws, for example if an exec plugin fails; Error if it does not answer
   *   within 30 s.
   */
  get(): Promise<Credentials>;
  /**
   * Reports that the API server refused these credentials, or that nothing can be sent with them, so that the
   * next ones come from a freshly read kubeconfig. No effect if they have been replaced since, or are being
   * replaced: when a rotation affects several requests, the first one renews for all.
   */
  renew(refused: Credentials): void;
  /**
   * Ends the authenticator's work that is under way, which would keep the process from ending: an exec plugin runs for
   * up to 20 s. Whoever waits for it gets its error. Absent: nothing can be under way for long.
   */
  close?(): void;
}

export interface CredentialSourceOptions {
  /** Wall clock, for credentials that expire. Default: the machine's. */
  readonly now?: () => number;
  /**
   * Called with the error when the authenticator fails after a success, or the kubeconfig can't be read again, and what
   * was read before is used. Called for the first of several failures in a row. Default: nobody learns of it before the
   * API server refuses the credentials.
   */
  readonly onKept?: (error: unknown) => void;
}

/**
 * Creates a source of credentials from a kubeconfig, based on client-node's authenticators (static, token
 * file, exec, OIDC). It asks them again every ten seconds, so that rotated token, certificate and CA files
 * take effect without a restart.
 *
 * @param load reads the kubeconfig. It is called again by `renew`, to discard what authenticators hold in
 *   memory, and before an authenticator that has failed is asked again, since the file might name another by then.
 */
export function createCredentialSource(
  load: () => KubeConfig,
  clock: Clock,
  { now = Date.now, onKept }: CredentialSourceOptions = {},
): CredentialSource {
  let kubeConfig = load();
  let current: { readonly at: number; readonly credentials: Credentials } | undefined;
  /** The last that came, even if the API server has refused them since. */
  let last: Credentials | undefined;
  let pending: { readonly since: number; readonly answer: Promise<Credentials> } | undefined;
  /** How often the authenticator has failed in a row. */
  let failures = 0;
  /** Its last failure, and until when it is not asked again. */
  let failed: { readonly error: unknown; readonly until: number } | undefined;
  const closing = new AbortController();

  let isKubeConfigRead = true;
  const reload = (): void => {
    try {
      kubeConfig = load();
      isKubeConfigRead = true;
    } catch (error) {
      // A file that it names might be away for a moment. The authenticator of the one that was read might work again.
      if (isKubeConfigRead) {
        isKubeConfigRead = false;
        onKept?.(error);
      }
    }
  };

  const read = async (): Promise<Credentials> => {
    if (failures > 0) {
      reload();
    }
    const credentials = await readCredentials(kubeConfig, closing.signal);
    if (last !== undefined && !sameTls(last.tls, credentials.tls)) {
      mustBeWhole(credentials.tls);
    }
    return credentials;
  };

  const usable = (): Credentials | undefined =>
    last?.expires === undefined || last.expires > now() ? last : undefined;

  const lastUnless = (error: unknown): Credentials => {
    const kept = usable();
    if (kept === undefined) {
      throw error;
    }
    return kept;
  };

  const ask = (): NonNullable<typeof pending> => {
    const since = clock.now();
    const answer = withinPatience(read(), clock)
      .then(
        (credentials) => {
          if (pending === asked) {
            current = { at: clock.now(), credentials };
            last = credentials;
            failures = 0;
            failed = undefined;
          }
          return credentials;
        },
        (error: unknown) => {
          if (closing.signal.aborted) {
            throw error;
          }
          if (pending === asked) {
            failed = { error, until: since + backoffDelay(failures, askedAgain) };
            failures += 1;
          }
          const kept = lastUnless(error);
          if (failures === 1) {
            onKept?.(error);
          }
          return kept;
        },
      )
      .finally(() => {
        if (pending === asked) {
          pending = undefined;
        }
      });
    const asked = { since, answer };
    return asked;
  };

  /** Returns what is asked for, or the last credentials if that takes long. */
  const orLast = ({ since, answer }: NonNullable<typeof pending>): Promise<Credentials> => {
    const kept = usable();
    const left = since + lastAfter - clock.now();
    if (kept === undefined) {
      return answer;
    }
    if (left <= 0) {
      return Promise.resolve(kept);
    }
    return new Promise((resolve, reject) => {
      const limit = clock.after(left, () => resolve(kept));
      answer.then(resolve, reject).finally(() => limit.cancel());
    });
  };

  return {
    fresh: () =>
      current !== undefined && clock.now() - current.at < freshness ? current.credentials : undefined,
    get: async () => {
      if (failed !== undefined && clock.now() < failed.until) {
        return lastUnless(failed.error);
      }
      pending ??= ask();
      return orLast(pending);
    },
    renew: (refused) => {
      if (current === undefined || !sameCredentials(current.credentials, refused)) {
        return;
      }
      reload();
      current = undefined;
      // Callers that already wait get what the old kubeconfig's authenticator is about to return, but it is
      // not kept.
      pending = undefined;
    },
    close: () => closing.abort(),
  };
}

function withinPatience(credentials: Promise<Credentials>, clock: Clock): Promise<Credentials> {
  return new Promise((resolve, reject) => {
    const limit = clock.after(patience, () =>
      reject(
        new Error(
          `no credentials came within ${patience} ms; look at what the user of the kubeconfig names: an exec plugin, an identity provider, a token file`,
        ),
      ),
    );
    credentials.then(resolve, reject).finally(() => limit.cancel());
  });
}

async function readCredentials(kubeConfig: KubeConfig, signal: AbortSignal): Promise<Credentials> {
  const options: AuthenticatedOptions = { signal };
  await kubeConfig.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // A token file can end with a newline, which no header can hold.
    headers[name.toLowerCase()] = String(value).trim();
  }
  const { tokenFile } = ((kubeConfig.getCurrentUser()?.authProvider ?? {}) as TokenFileProvider).config ?? {};
  if (tokenFile !== undefined && /^(Bearer)?$/.test(headers['authorization'] ?? '')) {
    // client-node would send the requests of nobody.
    throw new Error(`token file ${tokenFile} is empty`);
  }
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  const { ca, cert, key, rejectUnauthorized, servername } = options as TlsMaterial;
  const { expires } = options;
  // The secrets are added each time, because those that are not read any more are forgotten.
  keepSecrets(kubeConfig);
  for (const secret of [headers['authorization']?.replace(/^\S+\s+/, ''), key]) {
    if (secret !== undefined) {
      processSecrets.add(secret);
    }
  }
  return {
    headers,
    ...(expires === undefined ? {} : { expires }),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
      ...(servername === undefined ? {} : { servername }),
    },
  };
}

interface TokenFileProvider {
  readonly config?: { readonly tokenFile?: string } | null;
}

/**
 * @throws Error if nothing can be sent with these, as while their files are being replaced one after the other, or if
 *   there was no room on the disk to write them.
 */
function mustBeWhole(tls: TlsMaterial): void {
  if (tls.ca !== undefined && String(tls.ca).trim() === '') {
    throw new Error('the certificate authority is empty');
  }
  createSecureContext(tls);
}

function sameCredentials(a: Credentials, b: Credentials): boolean {
  return JSON.stringify(a.headers) === JSON.stringify(b.headers) && sameTls(a.tls, b.tls);
}

/** Returns whether connections made with one can serve requests of the other. */
export function sameTls(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    String(a.ca) === String(b.ca) &&
    String(a.cert) === String(b.cert) &&
    String(a.key) === String(b.key) &&
    a.rejectUnauthorized === b.rejectUnauthorized &&
    a.servername === b.servername
  );
}
