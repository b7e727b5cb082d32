import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { load } from 'js-yaml';
import type { ControlPlane } from './plane/control-plane.ts';
import type { Environment } from './real/binaries.ts';

/**
 * This module reads kubeconfigs by itself: client-node's KubeConfig reads them well, but its `exportConfig`
 * leaves out `tokenFile` and impersonated groups, and the kubeconfig that is passed on here must equal the
 * user's.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The lists of a kubeconfig, whose entries have a name each. */
const lists = ['clusters', 'users', 'contexts'] as const;

/** The fields with paths relative to the kubeconfig's folder, as in client-go's `clientcmd`. */
const paths = {
  clusters: { body: 'cluster', fields: ['certificate-authority'] },
  users: { body: 'user', fields: ['client-certificate', 'client-key', 'tokenFile'] },
  contexts: { body: 'context', fields: [] },
} as const;

/**
 * Uses the cluster of the user's current context; `stop()` leaves it as it is. $KUBECONFIG can list several
 * files, of which the first one to define something wins; if it is not set, ~/.kube/config is read. Relative
 * paths in it are returned as absolute ones.
 *
 * @throws unless $USE_EXISTING_CLUSTER is `true`: scenarios create and delete objects in that cluster, so the
 *   user must decide this. Also throws if no kubeconfig can be read, or if it has no usable current context.
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

/** Merges as `clientcmd` does: the first file that sets a value, or defines an entry of a list, wins. */
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
