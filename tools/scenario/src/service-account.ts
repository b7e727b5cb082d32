import { readFileSync } from 'node:fs';
import type { ApiResource, KubernetesObject } from '@holdfast/core';
import { isAlreadyExists, type ApiClient } from '@holdfast/runtime';
import { loadAll } from 'js-yaml';
import { eventually } from './eventually.ts';

/** A rule of a role, as in the manifest. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly name: string }[];
}

export interface ServiceAccountOptions {
  readonly client: ApiClient;
  /** Kubeconfig text of the control plane. The returned kubeconfig names its cluster. */
  readonly kubeconfig: string;
  /** Manifests with the roles and bindings, relative to `deploy/`, for example `pvc-protection/role.yaml`. */
  readonly roles: readonly string[];
  readonly namespace: string;
  /**
   * A suffix for the names of the account and its roles, so that the same manifests can serve several
   * accounts.
   */
  readonly suffix: string;
  /**
   * Changes the rules of the manifest before they are granted; a rule without verbs is left out. Default: as
   * they are.
   */
  readonly edit?: (rule: PolicyRule) => PolicyRule;
}

/**
 * Creates a service account with the roles of an app's manifests, and waits until they take effect.
 *
 * @returns kubeconfig text with a token of the account
 */
export async function makeServiceAccount(options: ServiceAccountOptions): Promise<string> {
  const { client, namespace, suffix } = options;
  const edit = options.edit ?? ((rule: PolicyRule) => rule);
  const account = `app-${suffix}`;
  await client.create(serviceAccounts, namespace, { metadata: { name: account } });
  const granted: PolicyRule[] = [];
  for (const manifest of options.roles.flatMap(readManifests)) {
    const { kind, apiVersion, rules, roleRef, subjects } = manifest;
    const metadata = { name: `${manifest.metadata.name}-${suffix}` };
    const kept = rules?.map(edit).filter(({ verbs }) => verbs.length > 0);
    granted.push(...(kept ?? []));
    const isOfCluster = kind.startsWith('Cluster');
    await client.create(rbac(kind), isOfCluster ? undefined : namespace, {
      apiVersion,
      kind,
      metadata,
      ...(kept === undefined ? {} : { rules: kept }),
      ...(roleRef === undefined ? {} : { roleRef: { ...roleRef, name: `${roleRef.name}-${suffix}` } }),
      ...(subjects === undefined
        ? {}
        : { subjects: subjects.map((subject) => ({ ...subject, name: account, namespace })) }),
    });
  }
  const user = `system:serviceaccount:${namespace}:${account}`;
  await eventually(`the roles of ${account} are in force`, async () => {
    const allowed = await Promise.all(granted.map((rule) => isAllowed(client, namespace, user, rule)));
    return allowed.every(Boolean);
  });
  return kubeconfigOfAccount(client, options.kubeconfig, { namespace, name: account });
}

/**
 * Requests a token of a service account, as `kubectl create token` does, but without another process.
 *
 * @param kubeconfig text; the result names its cluster
 * @returns kubeconfig text with the token
 */
export async function kubeconfigOfAccount(
  client: ApiClient,
  kubeconfig: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const { status } = await client.create(
    { ...serviceAccounts, kind: 'TokenRequest', group: '', plural: `serviceaccounts/${name}/token` },
    namespace,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  );
  const config = JSON.parse(kubeconfig) as { users: { user: object }[] };
  for (const each of config.users) {
    each.user = { token: status?.token };
  }
  return JSON.stringify(config);
}

/** Creates the namespace that the manifests deploy to, if it does not exist. */
export async function makeNamespace(client: ApiClient, name: string): Promise<void> {
  try {
    await client.create(
      { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
      undefined,
      { metadata: { name } },
    );
  } catch (error) {
    if (!isAlreadyExists(error)) {
      throw error;
    }
  }
}

function readManifests(path: string): readonly Manifest[] {
  return loadAll(readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8')) as Manifest[];
}

async function isAllowed(
  client: ApiClient,
  namespace: string,
  user: string,
  { apiGroups, resources, resourceNames, verbs }: PolicyRule,
): Promise<boolean> {
  const [resource = '', subresource] = (resources[0] ?? '').split('/');
  const { status } = await client.create(subjectAccessReviews, undefined, {
    spec: {
      user,
      resourceAttributes: {
        group: apiGroups[0],
        resource,
        subresource,
        namespace,
        name: resourceNames?.[0],
        verb: verbs[0],
      },
    },
  });
  return status?.allowed === true;
}

interface Answered extends KubernetesObject {
  readonly status?: { readonly token?: string; readonly allowed?: boolean };
}

const serviceAccounts: ApiResource<Answered> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
const subjectAccessReviews: ApiResource<Answered> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};

function rbac(kind: string): ApiResource<KubernetesObject> {
  return {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: !kind.startsWith('Cluster'),
  };
}
