import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { z } from 'zod';
import {
  configMaps,
  leases,
  objectKey,
  parseKey,
  secrets,
  serviceAccounts,
  validatingWebhookConfigurations,
  type ClusterResource,
  type NamespacedResource,
  type Stored,
} from '@holdfast/core';
import { defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import {
  appCommand,
  checkWebhookConfig,
  connect,
  createProjection,
  createWebhookServer,
  loadKubeConfig,
  Registry,
  serviceAccountToken,
  wake,
  webhookFlags,
  type ProgramApp,
  type RuntimeConfig,
  type WebhookConfig,
  type WritingClient,
} from '@holdfast/runtime';
import { testOperator } from '@holdfast/runtime/testing';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { rbacCommand } from '../src/rbac-command.ts';

const sites = defineResource({
  group: 'web.example.com',
  version: 'v1',
  kind: 'Site',
  spec: z.object({ title: z.string() }),
  status: z.object({ published: z.boolean() }),
});
type Site = ObjectOf<typeof sites>;

const command = appCommand({
  name: 'publisher',
  version: '1.0.0',
  description: 'publishes sites.',
  gates: {},
  flags: webhookFlags('publisher'),
  check: checkWebhookConfig,
});

/** Has a config map for each site, says so, and deletes what nobody wants. */
function publish({ client, events, watch, controller }: ProgramApp): void {
  const all = watch(sites, createProjection<Site>(sites, { spec: { title: true } }));
  controller({
    wakes: [wake(all, { added: objectKey })],
    reconcile: async (key, _batch, signal) => {
      const site = all.store.get(key);
      if (site === undefined) {
        return { kind: 'done' };
      }
      const { namespace, name } = parseKey(key);
      const ref = { namespace: namespace ?? '', name };
      const data = { title: site.spec.title };
      await client.apply(configMaps, ref, { data }, { fieldManager: 'publisher', force: true, signal });
      const live = await client.get(sites, ref, { signal });
      await client.mergePatch(sites, ref, { status: { published: true } }, { subresource: 'status', signal });
      events.record(sites, live, {
        type: 'Normal',
        reason: 'Published',
        action: 'Publishing',
        note: 'It can be read.',
      });
      return { kind: 'done' };
    },
  });
}

const guard = (app: ProgramApp<RuntimeConfig & WebhookConfig>) =>
  createWebhookServer({
    ...app,
    configurations: [validatingWebhookConfigurations],
    routes: { '/validate': () => ({ kind: 'allowed' }) },
  });

const guardConfiguration = {
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'publisher' },
  webhooks: [
    {
      name: 'sites.web.example.com',
      clientConfig: { service: { namespace: 'web', name: 'publisher', path: '/validate' } },
      rules: [
        { apiGroups: [sites.group], apiVersions: ['v1'], operations: ['CREATE'], resources: ['sites'] },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
} as const;

export interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
export type Role = Stored<{ readonly rules: readonly Rule[] }>;
type Binding = Stored<{ readonly roleRef: object; readonly subjects: readonly object[] }>;
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const clusterRoles: ClusterResource<Role> = {
  ...{ ...rbac, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false },
};
const clusterRoleBindings: ClusterResource<Binding> = {
  ...{ ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', namespaced: false },
};
const roles: NamespacedResource<Role> = { ...rbac, kind: 'Role', plural: 'roles', namespaced: true };
const roleBindings: NamespacedResource<Binding> = {
  ...{ ...rbac, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true },
};

const home = 'kube-system';
const missing = controlPlaneMissing();

/** How the operator is played by a test. */
interface PlayOptions {
  /** Its credentials; default: an admin's. */
  readonly kubeconfig?: string;
  readonly recordRequests?: string;
  readonly patience?: number;
  /** Whether it has no certificate yet, which takes its time to make. */
  readonly isFirst?: boolean;
}

/** An operator, and the roles that `holdfast rbac` makes of what it asked. */
export interface Publisher {
  readonly made: () => readonly Role[];
  /** Has the operator do all that it does; gives what was forbidden to it. */
  readonly play: (options?: PlayOptions) => Promise<readonly string[]>;
  /** A service account with these roles, and its kubeconfig. */
  readonly accountWith: (wanted: readonly Role[]) => Promise<string>;
}

/** Declares tests on whatever control plane is chosen. */
export function describePublisher(declare: (publisher: Publisher) => void): void {
  (missing === undefined ? describe : describe.skip)('role of holdfast rbac', () => {
    let plane: ControlPlane;
    let folder: string;
    let admin: WritingClient;
    let made: readonly Role[];
    let count = 0;

    const play = async ({
      kubeconfig,
      recordRequests,
      patience = 10_000,
      isFirst = true,
    }: PlayOptions = {}): Promise<readonly string[]> => {
      // As before its first installation; to make another certificate takes its time.
      const own = { namespace: home, name: 'publisher' };
      await Promise.allSettled([
        admin.delete(leases, own),
        admin.delete(validatingWebhookConfigurations, { name: own.name }),
      ]);
      if (isFirst) {
        await admin.delete(secrets, { ...own, name: 'publisher-webhook' }).catch(() => undefined);
      }
      const name = `site-${count++}`;
      await using t = await testOperator({
        plane,
        command,
        compose: publish,
        resources: [sites],
        webhooks: guard,
        webhookConfigurations: [guardConfiguration],
        flags: ['--leader-elect'],
        patience,
        ...(kubeconfig === undefined ? {} : { kubeconfig: () => kubeconfig }),
        ...(recordRequests === undefined ? {} : { recordRequests }),
      });
      await t.client.create(sites, 'default', { metadata: { name }, spec: { title: 'A' } });
      await t.eventually(() => t.requests.some(({ resource }) => resource === 'events'));
      await t.stop();
      return t.requests.filter(({ code }) => code === 403).map(({ verb, path }) => `${verb} ${path}`);
    };

    const accountWith = async (wanted: readonly Role[]): Promise<string> => {
      const name = `publisher-${count++}`;
      await admin.create(serviceAccounts, home, { metadata: { name } });
      const subjects = [{ kind: 'ServiceAccount', namespace: home, name }];
      for (const role of wanted) {
        const kind = String(role.kind);
        const draft = { metadata: { name }, rules: role.rules };
        const binding = {
          metadata: { name },
          roleRef: { apiGroup: rbac.group, kind, name },
          subjects,
        };
        if (kind === 'ClusterRole') {
          await admin.create(clusterRoles, undefined, draft);
          await admin.create(clusterRoleBindings, undefined, binding);
        } else {
          await admin.create(roles, home, draft);
          await admin.create(roleBindings, home, binding);
        }
      }
      const issued = await admin.createSubresource(
        serviceAccountToken,
        { namespace: home, name },
        { spec: {} },
      );
      if (issued.kind !== 'written') {
        throw new Error(`no token: ${issued.kind}`);
      }
      const config = JSON.parse(plane.kubeconfig) as { users: { user: object }[] };
      return JSON.stringify({
        ...config,
        users: config.users.map((user) => ({ ...user, user: { token: issued.object.status?.token } })),
      });
    };

    beforeAll(async () => {
      plane = await startControlPlane({ tls: false });
      folder = await mkdtemp(join(tmpdir(), 'holdfast-rbac-'));
      const path = join(folder, 'kubeconfig');
      await writeFile(path, plane.kubeconfig);
      admin = connect({
        kubeConfig: () => loadKubeConfig({ kubeconfig: path, insecureHttp: true }),
        registry: new Registry(),
        program: 'test',
        version: '0',
      });
      expect(await play({ recordRequests: join(folder, 'requests') })).toStrictEqual([]);
      const out = join(folder, 'role.yaml');
      const said: string[] = [];
      await rbacCommand([join(folder, 'requests'), '--out', out], {
        write: () => undefined,
        say: (line) => void said.push(line),
      });
      expect(said).toEqual([`${out} written`]);
      made = loadAll(await readFile(out, 'utf8')) as readonly Role[];
    });
    afterAll(async () => {
      await admin.close();
      await plane.stop();
      await rm(folder, { recursive: true });
    });

    declare({ made: () => made, play, accountWith });
  });
}
