import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namespaces, secrets, type ApiResource, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import type { RealControlPlane } from '@holdfast/testing';

/** The namespace of the replicas, their leases and their service accounts. */
export const systemNamespace = 'holdfast-system';

/** How a replica gets its credentials. */
export type CredentialSource = 'token file' | 'plugin';

/** The credentials of one replica. */
export interface Access {
  readonly kubeconfigFile: string;
  /**
   * Replaces the credentials by new ones. From now on the API server refuses the old ones (it caches them for
   * up to ten seconds).
   */
  rotate(): Promise<void>;
  /**
   * Makes the plugin wait for a minute whenever it is called from now on. Has no effect for other sources.
   */
  setHanging(isHanging: boolean): Promise<void>;
}

interface Answered extends KubernetesObject {
  readonly status?: { readonly token?: string };
}

const serviceAccounts: ApiResource<Answered> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

interface Manifest {
  readonly kind: string;
  readonly subjects?: readonly { readonly name: string }[];
}

const deploy = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'all');

/**
 * Gives every replica the permissions that `deploy/` ships for its app, with a service account of its own, so
 * that the audit log distinguishes the replicas.
 *
 * @throws if kubectl fails, with its output
 */
export async function prepareAccess(
  plane: RealControlPlane,
  client: ApiClient,
  replicas: readonly { readonly name: string; readonly app: string }[],
): Promise<void> {
  await client.create(namespaces, undefined, { metadata: { name: systemNamespace } });
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await plane.kubectl(args, input === undefined ? {} : { input });
    if (code !== 0) {
      throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    }
    return stdout;
  };
  const shipped = JSON.parse(await kubectl(['apply', '-k', deploy, '--dry-run=client', '-o', 'json'])) as {
    readonly items: readonly Manifest[];
  };
  const items = shipped.items
    .filter(({ kind }) => kind.includes('Role'))
    .map((manifest) => ({
      ...manifest,
      ...(manifest.subjects === undefined
        ? {}
        : {
            subjects: manifest.subjects.flatMap((subject) =>
              replicas.filter(({ app }) => app === subject.name).map(({ name }) => ({ ...subject, name })),
            ),
          }),
    }));
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  for (const { name } of replicas) {
    await client.create(serviceAccounts, systemNamespace, { metadata: { name } });
  }
}

/** The requested lifetime of tokens, in seconds. They really end by rotation. */
const tokenLifetime = 3_600;
/** The lifetime that the plugin states for its credentials, in milliseconds. */
const pluginLifetime = 30_000;

/**
 * @param port the port of the replica's front
 * @param folder for the kubeconfig and the files that it names; created here
 */
export async function createAccess(
  client: ApiClient,
  kubeconfig: string,
  options: {
    readonly replica: string;
    readonly port: number;
    readonly folder: string;
    readonly source: CredentialSource;
  },
): Promise<Access> {
  const { replica, port, source, folder } = options;
  await mkdir(folder, { recursive: true });
  const tokenFile = join(folder, 'token');
  const hangs = join(folder, 'hangs');
  let number = 0;
  let secret: ObjectRef | undefined;

  const rotate = async (): Promise<void> => {
    const old = secret;
    const next = { namespace: systemNamespace, name: `${replica}-${String((number += 1))}` };
    const { metadata } = await client.create(secrets, systemNamespace, { metadata: { name: next.name } });
    // A token that is bound to a Secret becomes invalid when the Secret is deleted.
    const { status } = await client.create(
      { ...serviceAccounts, kind: 'TokenRequest', plural: `serviceaccounts/${replica}/token` },
      systemNamespace,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          expirationSeconds: tokenLifetime,
          boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: next.name, uid: metadata.uid },
        },
      },
    );
    secret = next;
    await writeFile(`${tokenFile}.new`, status?.token ?? '', { mode: 0o600 });
    await rename(`${tokenFile}.new`, tokenFile);
    if (old !== undefined) {
      await client.delete(secrets, old);
    }
  };
  await rotate();

  const config = JSON.parse(kubeconfig) as {
    readonly clusters: readonly { readonly cluster: { server: string } }[];
    readonly users: { user: object }[];
  };
  for (const { cluster } of config.clusters) {
    cluster.server = `https://127.0.0.1:${String(port)}`;
  }
  const plugin = join(folder, 'plugin.sh');
  for (const each of config.users) {
    each.user = source === 'token file' ? { tokenFile } : { exec: pluginOf(plugin) };
  }
  await writeFile(plugin, pluginScript(tokenFile, hangs), { mode: 0o700 });
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeconfigFile, JSON.stringify(config), { mode: 0o600 });
  return {
    kubeconfigFile,
    rotate,
    setHanging: (isHanging) => (isHanging ? writeFile(hangs, '') : rm(hangs, { force: true })),
  };
}

const execVersion = 'client.authentication.k8s.io/v1';

function pluginOf(command: string): object {
  return { apiVersion: execVersion, command, interactiveMode: 'Never' };
}

function pluginScript(tokenFile: string, hangs: string): string {
  const seconds = String(pluginLifetime / 1000);
  return `#!/bin/sh
if test -e '${hangs}'; then sleep 60; fi
cat <<END
{"apiVersion": "${execVersion}", "kind": "ExecCredential", "status":
 {"token": "$(cat '${tokenFile}')", "expirationTimestamp": "$(date -u -d '+${seconds} seconds' +%Y-%m-%dT%H:%M:%SZ)"}}
END
`;
}
