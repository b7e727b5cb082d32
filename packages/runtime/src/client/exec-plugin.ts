import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { resolve as resolvePath } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import type { AuthenticatedOptions } from './credentials.ts';

/** `users[].user.exec` of a kubeconfig. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
}

/** What the plugin prints. */
interface ExecCredential {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    /** RFC 3339. If absent, the credentials are valid until the API server refuses them. */
    readonly expirationTimestamp?: string;
  };
}

type Status = NonNullable<ExecCredential['status']>;

/** What a plugin has printed. */
interface Known {
  readonly status: Status;
  /** When it expires, and from when the plugin is run again, in milliseconds of Unix time. */
  readonly expiry: number;
  readonly due: number;
}

/** How many milliseconds before their end credentials are renewed: enough for several tries of a plugin that hangs. */
const ahead = 60_000;
/** Output of more bytes than this cannot be credentials. */
const outputLimit = 1024 * 1024;
/** The `authProvider` of users with an exec plugin after {@link takeOverExecPlugins}. */
const provider = 'exec-plugin';

/**
 * Makes Holdfast run the exec plugins of the kubeconfig itself (client.authentication.k8s.io, KEP-541).
 *
 * client-node's own authenticator waits for a plugin forever and passes no `KUBERNETES_EXEC_INFO`. It also
 * puts what the plugin wrote to standard error into its error, which ends up in the log with all secrets (H2,
 * H4).
 *
 * @param folder of the kubeconfig. A command with a slash is relative to it, as in kubectl.
 */
export function takeOverExecPlugins(config: KubeConfig, folder: string): void {
  config.users = config.users.map((user) => {
    const plugin = user.exec as ExecConfig | null | undefined;
    return plugin === undefined || plugin === null
      ? user
      : { ...user, exec: undefined, authProvider: { name: provider, config: { plugin, folder } } };
  });
}

/** Limits on the plugins of a kubeconfig. */
export interface ExecOptions {
  /**
   * A plugin that has not ended after this many milliseconds, or when the request's signal is aborted or this process
   * exits, is killed, together with the processes that it started. Default: 20000.
   */
  readonly timeLimit?: number;
  /** Wall clock, for credentials that expire. Default: the machine's. */
  readonly now?: () => number;
}

/**
 * Applies the credentials of plugins to requests, for users that {@link takeOverExecPlugins} took over.
 *
 * In the last minute before credentials expire, or the second half of their time if that is shorter, they are still
 * used while the plugin runs. A leader would lose its lease while it waits for a plugin that takes long.
 */
export function addExecAuthenticator(
  config: KubeConfig,
  { timeLimit = 20_000, now = Date.now }: ExecOptions = {},
): void {
  const known = new Map<string, Known>();
  const running = new Map<string, Promise<Status>>();

  const begin = (user: User, signal?: AbortSignal): Promise<Status> => {
    const { plugin, folder } = (
      user.authProvider as { readonly config: { readonly plugin: ExecConfig; readonly folder: string } }
    ).config;
    const run = runPlugin(plugin, folder, config.getCurrentCluster(), { timeLimit, signal })
      .then((status) => {
        const expiry = expiryOf(status);
        known.set(user.name, { status, expiry, due: expiry - Math.min(ahead, (expiry - now()) / 2) });
        return status;
      })
      .finally(() => running.delete(user.name));
    running.set(user.name, run);
    return run;
  };

  const statusOf = (user: User, signal?: AbortSignal): Promise<Status> => {
    const kept = known.get(user.name);
    const at = now();
    if (kept !== undefined && at < kept.due) {
      return Promise.resolve(kept.status);
    }
    const run = running.get(user.name) ?? begin(user, signal);
    if (kept !== undefined && at < kept.expiry) {
      // A failure matters only if it lasts until they expire.
      run.catch(() => undefined);
      return Promise.resolve(kept.status);
    }
    return run;
  };

  config.addAuthenticator({
    isAuthProvider: ({ authProvider }) =>
      (authProvider as { readonly name?: string } | null | undefined)?.name === provider,
    applyAuthentication: async (user, options) => {
      const request = options as AuthenticatedOptions;
      const status = await statusOf(user, request.signal);
      const { token, clientCertificateData, clientKeyData } = status;
      request.expires = expiryOf(status);
      if (token !== undefined) {
        request.headers = {
          ...(request.headers as Record<string, string>),
          Authorization: `Bearer ${token}`,
        };
      }
      if (clientCertificateData !== undefined) {
        Object.assign(request, { cert: clientCertificateData, key: clientKeyData });
      }
    },
  });
}

/** Returns when they expire, in milliseconds of Unix time; Infinity if never, or not in a time that can be read. */
function expiryOf({ expirationTimestamp }: Status): number {
  const expiry = Date.parse(expirationTimestamp ?? '');
  return Number.isNaN(expiry) ? Infinity : expiry;
}

function runPlugin(
  plugin: ExecConfig,
  folder: string,
  cluster: Cluster | null,
  { timeLimit, signal }: { readonly timeLimit: number; readonly signal: AbortSignal | undefined },
): Promise<Status> {
  const { command, args, env, apiVersion, installHint, interactiveMode } = plugin;
  const failure = (what: string): Error => new Error(`exec plugin "${command}" of the kubeconfig ${what}`);
  if (interactiveMode === 'Always') {
    return Promise.reject(failure('wants a terminal (interactiveMode: Always), and there is none'));
  }
  if (signal?.aborted === true) {
    return Promise.reject(failure('is not run, because the client is closed'));
  }
  // An absolute path: "./plugin" beside a kubeconfig in "." must not become "plugin", which is looked for in the PATH.
  const path = /[\\/]/.test(command) ? resolvePath(folder, command) : command;
  const environment = {
    ...process.env,
    ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify({
      apiVersion,
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        ...(plugin.provideClusterInfo === true && cluster !== null ? { cluster: clusterInfo(cluster) } : {}),
      },
    }),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(path, args ?? [], {
      env: environment,
      // What it writes to standard error might hold secrets.
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      windowsHide: true,
    });
    // If the process has no file descriptor left, there are no streams, whatever the type says.
    const stdout = child.stdout as Readable | undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    let killed: string | undefined;
    const giveUp = (why: string): void => {
      killed = why;
      killGroup(child);
      stdout?.destroy();
    };
    // It leads a group of its own, which no signal to ours reaches.
    const onExit = (): void => killGroup(child);
    process.once('exit', onExit);
    const onClose = (): void => giveUp('was killed, because the client is closed');
    signal?.addEventListener('abort', onClose, { once: true });
    const timer = setTimeout(() => giveUp(`did not end within ${timeLimit} ms, and was killed`), timeLimit);
    stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > outputLimit) {
        giveUp('wrote more than 1 MiB, and was killed');
      }
    });
    const settle = (): void => {
      clearTimeout(timer);
      process.off('exit', onExit);
      signal?.removeEventListener('abort', onClose);
    };
    child.once('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
      settle();
      const hint = installHint === undefined ? '' : `: ${installHint}`;
      reject(failure(code === 'ENOENT' ? `is not there${hint}` : `can't be started (${code})`));
    });
    child.once('close', (code, signal) => {
      settle();
      if (killed !== undefined || code !== 0) {
        reject(failure(killed ?? endedWith(String(code ?? signal))));
        return;
      }
      try {
        resolve(readCredential(Buffer.concat(chunks).toString(), apiVersion));
      } catch (problem) {
        reject(failure((problem as Error).message));
      }
    });
  });
}

function endedWith(what: string): string {
  return `ended with ${what}; run it by hand to see why: what it writes might hold secrets, and is not logged`;
}

/**
 * Kills the process group that the child leads. Otherwise, for example, a hanging `curl` would outlive the
 * script that started it.
 */
function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid ?? NaN), 'SIGKILL');
  } catch {
    // There are no process groups (Windows), or the whole group has ended.
    child.kill('SIGKILL');
  }
}

/** @throws Error that says what is wrong, and shows nothing of the text. */
function readCredential(stdout: string, apiVersion: string): Status {
  let credential: ExecCredential;
  try {
    credential = JSON.parse(stdout) as ExecCredential;
  } catch {
    throw new Error('wrote no JSON');
  }
  const { kind, status } = credential;
  if (kind !== 'ExecCredential' || credential.apiVersion !== apiVersion) {
    throw new Error(`wrote no ExecCredential of ${apiVersion}, which the kubeconfig names`);
  }
  const { token, clientCertificateData, clientKeyData } = status ?? {};
  if (status === undefined || (token === undefined && clientCertificateData === undefined)) {
    throw new Error('wrote neither a token nor a certificate');
  }
  if ((clientCertificateData === undefined) !== (clientKeyData === undefined)) {
    throw new Error('wrote a certificate without its key, or a key without its certificate');
  }
  return status;
}

function clusterInfo({ server, caData, caFile, tlsServerName, skipTLSVerify, proxyUrl }: Cluster): object {
  const authority = caData ?? (caFile === undefined ? undefined : readFileSync(caFile).toString('base64'));
  return {
    server,
    ...(authority === undefined ? {} : { 'certificate-authority-data': authority }),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
    config: null,
  };
}
