import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { load } from 'js-yaml';
import type { ControlPlane } from './plane/control-plane.ts';
import type { Environment } from './real/binaries.ts';

/**
 * Why this reads kubeconfigs by itself: client-node's KubeConfig reads them well, but its `exportConfig` leaves out
 * `tokenFile` and impersonated groups, and what is handed on here must be what the user has.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The lists of a kubeconfig, each of entries that have a name. */
const lists = ['clusters', 'users', 'contexts'] as const;

/** The fields that hold a path relative to the kubeconfig's folder, as client-go's `clientcmd` has them. */
const paths = {
  clusters: { body: 'cluster', fields: ['certificate-authority'] },
  users: { body: 'user', fields: ['client-certificate', 'client-key', 'tokenFile'] },
  contexts: { body: 'context', fields: [] },
} as const;

/**
 * The cluster of the user's current context; `stop()` leaves it as it is. $KUBECONFIG may list several files, of which the
 * first to name a thing wins; not set, it is ~/.kube/config. Relative paths in it come back absolute.
 *
 * @throws unless $USE_EXISTING_CLUSTER is `true`: scenarios create and delete things in that cluster, so it takes a
 *   decision. Also when no kubeconfig can be read or it has no usable current context.
 */
export async function useExistingCluster(env: Environment = process.env): Promise<ControlPlane> {
  if (env['USE_EXISTING_CLUSTER'] !== 'true') {
    throw new Error(
      'refusing to work on an existing cluster: set USE_EXISTING_CLUSTER=true if things may be created and deleted in the current context of your kubeconfig',
    );
  }
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (files.length === 0) {
    files.push(join(env['HOME'] || homedir(), '.kube', 'config'));
  }
  const config = merge(await Promise.all(files.map(readKubeconfig)));
  return {
    backend: 'existing',
    url: currentServer(config, files),
    kubeconfig: JSON.stringify(config),
    restartApiServer: () =>
      Promise.reject(
        new Error('an existing cluster is not ours to restart: choose another back end for this suite'),
      ),
    stop: () => Promise.resolve(),
  };
}

async function readKubeconfig(file: string): Promise<Fields> {
  const config = parseKubeconfig(await readFile(file, 'utf8'), file);
  const folder = dirname(resolve(file));
  return {
    ...config,
    ...Object.fromEntries(
      lists.map((list) => [
        list,
        entries(config, list).map((entry) => withAbsolutePaths(entry, list, folder)),
      ]),
    ),
  };
}

function parseKubeconfig(content: string, file: string): Fields {
  let parsed: unknown;
  try {
    parsed = load(content);
  } catch (error) {
    throw new Error(`${file} is no kubeconfig: ${String(error)}`, { cause: error });
  }
  const config = asFields(parsed);
  if (config === undefined) {
    throw new Error(`${file} is no kubeconfig: it holds no map`);
  }
  return config;
}

function withAbsolutePaths(entry: Fields, list: (typeof lists)[number], folder: string): Fields {
  const { body, fields } = paths[list];
  const content = asFields(entry[body]) ?? {};
  const absolute = fields.flatMap((field): readonly (readonly [string, string])[] => {
    const value = content[field];
    return typeof value === 'string' && value !== '' ? [[field, resolve(folder, value)]] : [];
  });
  return { ...entry, [body]: { ...content, ...Object.fromEntries(absolute) } };
}

/** As `clientcmd` merges: the first file that sets a value, or names an entry of a list, keeps it. */
function merge(configs: readonly Fields[]): Fields {
  const merged = Object.assign({}, ...configs.toReversed()) as Fields;
  const current = configs.map((config) => config['current-context']).find((name) => Boolean(name));
  return {
    ...merged,
    ...(current === undefined ? {} : { 'current-context': current }),
    ...Object.fromEntries(
      lists.map((list) => {
        const byName = new Map<unknown, Fields>();
        for (const entry of configs.flatMap((config) => entries(config, list))) {
          if (!byName.has(entry['name'])) {
            byName.set(entry['name'], entry);
          }
        }
        return [list, [...byName.values()]];
      }),
    ),
  };
}

function currentServer(config: Fields, files: readonly string[]): string {
  const where = files.join(', ');
  const context = config['current-context'];
  if (typeof context !== 'string' || context === '') {
    throw new Error(`no current-context in ${where}: choose one with "kubectl config use-context"`);
  }
  const cluster = body(config, 'contexts', context)?.['cluster'];
  const server = body(config, 'clusters', cluster)?.['server'];
  if (typeof server !== 'string') {
    throw new Error(`the current context "${context}" in ${where} leads to no cluster with a server`);
  }
  return server;
}

function body(config: Fields, list: (typeof lists)[number], name: unknown): Fields | undefined {
  return asFields(entries(config, list).find((entry) => entry['name'] === name)?.[paths[list].body]);
}

function entries(config: Fields, list: string): readonly Fields[] {
  const value = config[list];
  return Array.isArray(value) ? value.map(asFields).filter((entry) => entry !== undefined) : [];
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}
