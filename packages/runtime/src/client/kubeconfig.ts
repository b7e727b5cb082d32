import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
// Imported from its own file, because the index also loads unused parts such as web sockets.
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Cluster, User } from '@kubernetes/client-node';
import { load, YAMLException } from 'js-yaml';
import { addExecAuthenticator, takeOverExecPlugins } from './exec-plugin.ts';
import { addIdTokenAuthenticator, takeOverIdTokens } from './id-token.ts';
import { keepSecrets } from './keep-secrets.ts';
import { checkNamedFile, readNamedFile } from '../flags/read-file.ts';
import { quoted } from '../logging/quoted.ts';
import { KubeConfigError } from './kubeconfig-error.ts';
import { readShape } from './kubeconfig-shape.ts';

/** Selects the cluster to talk to. */
export interface KubeConfigOptions {
  /** Path of a kubeconfig. Default: $KUBECONFIG, else the service account in a pod, else ~/.kube/config. */
  readonly kubeconfig?: string | undefined;
  /** Name of the context to use instead of the current one. */
  readonly context?: string | undefined;
  /** Sends credentials over plain http, where anyone on the way can read them. Default: false. */
  readonly insecureHttp?: boolean | undefined;
}

const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * Loads the kubeconfig that the options and the environment name. Default: only the environment.
 *
 * @throws KubeConfigError if there is no kubeconfig, if it cannot be read or parsed, lacks the requested
 *   context, its cluster or its user, names an unreadable file or an unusable server or proxy, would send
 *   credentials over plain http, or has an expired id token.
 */
export function loadKubeConfig(options: KubeConfigOptions = {}): KubeConfig {
  const { source, config } = read(options);
  if (options.context !== undefined) {
    if (config.getContextObject(options.context) === null) {
      const known = config.getContexts().map((context) => context.name);
      throw new KubeConfigError(
        `${source} has no context "${options.context}"; it has ${known.length === 0 ? 'none' : known.join(', ')}`,
      );
    }
    config.setCurrentContext(options.context);
  }
  keepSecrets(config);
  checkFiles(source, config);
  refuseCommandsOfProviders(source, config);
  const cluster = clusterOfContext(source, config);
  if (!URL.canParse(cluster.server) || !/^https?:$/.test(new URL(cluster.server).protocol)) {
    throw new KubeConfigError(
      `${source}: server "${withoutUser(cluster.server)}" is not an http or https URL`,
    );
  }
  const { proxyUrl } = cluster;
  if (proxyUrl !== undefined && !(URL.canParse(proxyUrl) && /^https?:$/.test(new URL(proxyUrl).protocol))) {
    throw new KubeConfigError(
      `${source}: proxy-url "${withoutUser(proxyUrl)}" is not an http or https URL; name an HTTP proxy that knows CONNECT, or none`,
    );
  }
  const isPlain = new URL(cluster.server).protocol === 'http:';
  const user = config.getCurrentUser();
  if (isPlain && options.insecureHttp !== true && user !== null && hasCredentials(user)) {
    throw new KubeConfigError(
      `${source}: server "${withoutUser(cluster.server)}" is plain http, over which the credentials of user "${user.name}" could be read by others; use https, a user without credentials (as for kubectl proxy), or --insecure-http`,
    );
  }
  if (isPlain && !cluster.skipTLSVerify) {
    // client-node refuses plain http unless TLS checks are off. There is no TLS here to check.
    config.clusters = config.clusters.map((each) =>
      each.name === cluster.name ? { ...each, skipTLSVerify: true } : each,
    );
  }
  addExecAuthenticator(config);
  addIdTokenAuthenticator(source, config);
  return config;
}

/**
 * Returns the cluster of the current context. As in kubectl, a cluster or a user that the context names and
 * the file lacks is an error: without its user, the requests would be those of nobody.
 */
function clusterOfContext(source: string, config: KubeConfig): Cluster {
  const current = (config.getCurrentContext() as string | undefined) ?? '';
  const context = config.getContextObject(current);
  if (context === null) {
    const known = config.getContexts().map(({ name }) => name);
    const found =
      current === ''
        ? 'it has no current-context'
        : `its current-context is ${quoted(current)}, which is not in it`;
    throw new KubeConfigError(
      known.length === 0
        ? `${source} can't be used: it has no contexts; name another file`
        : `${source} can't be used: ${found}; set it to one of ${known.join(', ')}, or give --context`,
    );
  }
  const notThere = (kind: string, name: string): KubeConfigError =>
    new KubeConfigError(
      `${source}: context ${quoted(current)} names ${kind} ${quoted(name)}, which is not in it; add it, or choose another context with --context`,
    );
  const cluster = config.getCluster(context.cluster);
  if (cluster === null) {
    throw notThere('cluster', context.cluster);
  }
  const user = (context.user as string | undefined) ?? '';
  if (user !== '' && config.getUser(user) === null) {
    throw notThere('user', user);
  }
  return cluster;
}

/**
 * Refuses a file that can't be read, which would make every request fail, and one that is a pipe: client-node
 * would block the whole process waiting for it.
 */
function checkFiles(source: string, config: KubeConfig): void {
  const user = config.getCurrentUser();
  const provided = user?.authProvider as { readonly config?: { readonly tokenFile?: string } } | undefined;
  const files = {
    'certificate-authority': config.getCurrentCluster()?.caFile,
    'client-certificate': user?.certFile,
    'client-key': user?.keyFile,
    tokenFile: provided?.config?.tokenFile,
  };
  for (const [field, path] of Object.entries(files)) {
    if (typeof path === 'string' && path !== '') {
      try {
        checkNamedFile(path);
        accessSync(path, constants.R_OK);
      } catch (error) {
        throw new KubeConfigError(`${source}: ${field} ${path} can't be used: ${reasonOf(error)}`);
      }
    }
  }
}

/** Returns the URL for a message, without anything that stands before its host. */
function withoutUser(url: string): string {
  return url.replace(/\/\/.*@/s, '//[redacted]@');
}

/**
 * Kubernetes' own clients have refused these two providers since 1.26. client-node would run their command
 * with this process's standard error, block the whole process without a limit, and put the command's output
 * into an error.
 */
function refuseCommandsOfProviders(source: string, config: KubeConfig): void {
  const { name, config: provided } = (config.getCurrentUser()?.authProvider ?? {}) as {
    readonly name?: string;
    readonly config?: { readonly 'cmd-path'?: string };
  };
  if ((name === 'gcp' || name === 'azure') && provided?.['cmd-path'] !== undefined) {
    const plugin = name === 'gcp' ? 'gke-gcloud-auth-plugin' : 'kubelogin';
    throw new KubeConfigError(
      `${source}: the command of auth-provider ${name} is not run, as by kubectl since 1.26; use the exec plugin ${plugin}`,
    );
  }
}

/**
 * Returns whether the user has credentials. A client certificate counts too: plain http never asks for it,
 * but a user who names one relies on TLS.
 */
function hasCredentials(user: User): boolean {
  const { token, username, password, certData, certFile, keyData, keyFile } = user;
  const plugins: readonly unknown[] = [user.exec, user.authProvider];
  return [token, username, password, certData, certFile, keyData, keyFile, ...plugins].some(
    (each) => each !== undefined && each !== null && each !== '',
  );
}

function read(options: KubeConfigOptions): { readonly source: string; readonly config: KubeConfig } {
  const { env } = process;
  const config = new KubeConfig();
  const named = options.kubeconfig ?? (env['KUBECONFIG'] === '' ? undefined : env['KUBECONFIG']);
  if (named?.includes('\n') === true) {
    // The value is not shown, because it holds credentials.
    throw new KubeConfigError(
      `${options.kubeconfig === undefined ? 'KUBECONFIG' : '--kubeconfig'} has several lines; it takes the path of a file, not what is in it`,
    );
  }
  if (named === undefined && existsSync(serviceAccountToken)) {
    if ((env['KUBERNETES_SERVICE_HOST'] ?? '') === '' || (env['KUBERNETES_SERVICE_PORT'] ?? '') === '') {
      throw new KubeConfigError(
        `${serviceAccountToken} is there but KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set; use --kubeconfig`,
      );
    }
    config.loadFromCluster();
    return { source: 'the in-cluster configuration', config };
  }
  const path = named ?? join(homedir(), '.kube', 'config');
  if (named === undefined && !existsSync(path)) {
    throw new KubeConfigError(
      `no kubeconfig: KUBECONFIG is not set, there is no service account and no ${path}; use --kubeconfig PATH`,
    );
  }
  if (options.kubeconfig === undefined && named !== undefined) {
    return { source: `KUBECONFIG ${named}`, config: parse(named, () => loadList(named, config), config) };
  }
  return {
    source: `kubeconfig ${path}`,
    config: parse(path, () => loadFile(path, config), config),
  };
}

/**
 * Loads $KUBECONFIG, which can be a list of files. As in kubectl, missing files are skipped, and the first
 * file that defines something wins. client-node does neither, and uses the current context of the last file.
 */
function loadList(list: string, config: KubeConfig): void {
  const paths = list.split(delimiter).filter((path) => path !== '');
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0) {
    throw new Error('there is no such file');
  }
  for (const path of present) {
    const each = new KubeConfig();
    loadFile(path, each);
    config.clusters = firstOfEachName([...config.clusters, ...each.clusters]);
    config.users = firstOfEachName([...config.users, ...each.users]);
    config.contexts = firstOfEachName([...config.contexts, ...each.contexts]);
    config.currentContext ||= each.currentContext;
  }
}

/**
 * Loads one file. client-node ignores a user's `tokenFile`, and would send the requests of such a user
 * without credentials.
 */
function loadFile(path: string, config: KubeConfig): void {
  // The file is read only once, since it could be replaced in between.
  const text = readNamedFile(path).toString('utf8');
  const raw = readShape(text.trim() === '' ? undefined : load(text));
  config.loadFromString(JSON.stringify(raw));
  config.makePathsAbsolute(dirname(path));
  takeOverExecPlugins(config, dirname(path));
  takeOverIdTokens(config);
  config.users = config.users.map((user) => {
    const tokenFile = raw.users?.find(({ name }) => name === user.name)?.user?.tokenFile;
    return tokenFile === undefined || tokenFile === null
      ? user
      : {
          ...user,
          authProvider: { name: 'tokenFile', config: { tokenFile: resolve(dirname(path), tokenFile) } },
        };
  });
}

function firstOfEachName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return entries.filter(({ name }, index) => entries.findIndex((each) => each.name === name) === index);
}

function parse(path: string, load: () => void, config: KubeConfig): KubeConfig {
  try {
    load();
    return config;
  } catch (error) {
    // The cause is left out: its message shows lines of the file, which hold secrets (H4).
    throw new KubeConfigError(`kubeconfig ${path} can't be used: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof YAMLException) {
    const { line, column } = error.mark ?? { line: 0, column: 0 };
    return `it is not valid YAML at line ${line + 1}, column ${column + 1}`;
  }
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
}
