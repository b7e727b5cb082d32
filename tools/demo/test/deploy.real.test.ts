import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, pods, subjectAccessReviews } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { describeUnless, eventually, kubeconfigOfAccount } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  startCsiDriver,
  startRealControlPlane,
  type CsiDriver,
  type RealControlPlane,
} from '@holdfast/testing';
import { load, loadAll } from 'js-yaml';
import { connectAs } from '../src/cluster.ts';
import { alerts, metricsIn } from './alerts.ts';
import { appNames, runApp, samplesOf, type AppName, type RunningApp } from './four-apps.ts';
import { build, deploy, writeOverlay, type Manifest, type Overlay } from './kustomize.ts';

/*
 * What is in deploy/, as an administrator would use it. That each app does all its work under its own role, and that no
 * verb of it can be spared, is shown by the apps' own tests; here are the things that have no app of their own, and the
 * four together.
 */

const missing = controlPlaneMissing({ backend: 'real', release: '1.36' });
const system = 'holdfast-system';
/** How strict the manifests of a namespace want its pods to be. */
const podSecurity = { [system]: 'restricted', 'holdfast-storage': 'privileged' };

const folders = readdirSync(deploy, { recursive: true, encoding: 'utf8' })
  .filter((path) => basename(path) === 'kustomization.yaml')
  .map((path) => dirname(path))
  .toSorted();
const kindOf = (folder: string): unknown =>
  (load(readFileSync(join(deploy, folder, 'kustomization.yaml'), 'utf8')) as { kind: unknown }).kind;
const components = folders.filter((folder) => kindOf(folder) === 'Component');
/** Made to be put into a namespace by an overlay. */
const bases = folders.filter((folder) => basename(folder) === 'base');
const whole = folders.filter((folder) => !components.includes(folder) && !bases.includes(folder));

describeUnless(missing, 'deploy/ on kube-apiserver', () => {
  let plane: RealControlPlane;
  let client: ApiClient;
  let folder: string;

  beforeAll(async () => {
    plane = await startRealControlPlane({ release: '1.36' });
    client = connectAs('deploy-test', plane.kubeconfigFile);
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-deploy-')));
    for (const [namespace, level] of Object.entries(podSecurity)) {
      await kubectl(['create', 'namespace', namespace]);
      // It warns of every deployment whose pods the namespace would refuse.
      await kubectl(['label', 'namespace', namespace, `pod-security.kubernetes.io/warn=${level}`]);
    }
    const kinds = ['ServiceMonitor', 'PrometheusRule'].map(definitionOf).map((each) => JSON.stringify(each));
    await kubectl(['apply', '-f', '-'], kinds.join('\n---\n'));
    await kubectl(['wait', 'crd', '--all', '--for=condition=established', '--timeout=30s']);
  }, 90_000);

  afterAll(async () => {
    await client.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await plane.kubectl(args, input === undefined ? {} : { input });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };

  const ownKustomization = (content: Overlay): Promise<string> => writeOverlay(folder, content);

  /** A kubeconfig of a service account. */
  const kubeconfigOf = async (account: string, namespace: string): Promise<string> => {
    const file = join(folder, `${namespace}-${account}`);
    await writeFile(file, await kubeconfigOfAccount(client, plane.kubeconfig, { namespace, name: account }));
    return file;
  };
  const tokenOf = async (account: string, namespace: string): Promise<string> =>
    (await kubectl(['create', 'token', account, `--namespace=${namespace}`])).trim();

  /** Built by the client, then taken by the server, which stores nothing. */
  const dryRun = async (kustomization: string): Promise<DryRun> => {
    const manifests = await kubectl(['kustomize', kustomization]);
    const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
    return { manifests, answers: (await kubectl(apply, manifests)).trim().split('\n') };
  };
  /** What is built without any component, by its path below `deploy/`: most components are for the same. */
  const builtWithout = new Map<string, Promise<string>>();
  const buildWithout = (resource: string): Promise<string> => {
    const built =
      builtWithout.get(resource) ??
      ownKustomization({ resources: [resource] }).then((own) => kubectl(['kustomize', own]));
    builtWithout.set(resource, built);
    return built;
  };

  test.each(whole)(
    '%s -> built, and taken by the server',
    async (name) => {
      const { manifests, answers } = await dryRun(join(deploy, name));
      expect(answers).toHaveLength(loadAll(manifests).length);
    },
    30_000,
  );

  test.each(bases)(
    '%s in a namespace -> built, and taken by the server',
    async (name) => {
      const own = await ownKustomization({ resources: [name], namespace: system });
      const { manifests, answers } = await dryRun(own);
      expect(answers).toHaveLength(loadAll(manifests).length);
    },
    30_000,
  );

  test.each(components)(
    'component %s with what it is for -> built, and taken by the server',
    async (component) => {
      const resource = component.startsWith('pvc-protection') ? dirname(component) : 'all';
      const own = await ownKustomization({ resources: [resource], components: [component] });
      const { manifests, answers } = await dryRun(own);
      expect(answers).toHaveLength(loadAll(manifests).length);
      expect(loadAll(manifests)).not.toEqual(loadAll(await buildWithout(resource)));
    },
    30_000,
  );

  describe('all, with component one-namespace', () => {
    const team = 'team-a';
    const running = new Map<AppName, RunningApp>();
    let driver: CsiDriver;

    beforeAll(async () => {
      await kubectl(['create', 'namespace', team]);
      const own = await ownKustomization({
        resources: ['all'],
        components: ['pvc-protection/claim-unused-condition', 'one-namespace'],
        namespace: team,
        nameSuffix: `-${team}`,
      });
      await kubectl(['apply', '--server-side', '-k', own]);
      driver = await startCsiDriver({
        folder: join(folder, 'team-volumes'),
        socket: join(folder, 'team.sock'),
      });
      for (const name of appNames) {
        running.set(
          name,
          runApp(name, [
            `--kubeconfig=${await kubeconfigOf(`${name}-${team}`, team)}`,
            `--namespaces=${team}`,
            `--leader-elect-resource-namespace=${team}`,
            ...(name === 'pv-reclaim-honor' ? [`--csi-address=${driver.address}`] : []),
            ...(name === 'pvc-protection' ? ['--feature-gates=ClaimUnusedCondition=true'] : []),
          ]),
        );
      }
    }, 90_000);

    afterAll(async () => {
      await Promise.all([...running.values()].map((app) => app.stop()));
      await driver.stop();
    }, 60_000);

    test('claim in that namespace -> protected, as is no claim of another', async () => {
      await client.create(persistentVolumeClaims, 'default', claim('of-others'));
      await client.create(persistentVolumeClaims, team, claim('ours'));
      const written = async (namespace: string, name: string): Promise<boolean> =>
        (await client.get(persistentVolumeClaims, { namespace, name })).status?.conditions?.some(
          ({ type }) => type === 'Unused',
        ) === true;
      await eventually('the condition is written', () => written(team, 'ours'), 40_000);
      expect(await written('default', 'of-others')).toBe(false);
    }, 60_000);

    test.each(appNames)(
      '%s -> leads with its caches filled, and nothing is forbidden',
      async (name) => {
        const metricsOf = async (): Promise<string> => (await running.get(name)?.metrics()) ?? '';
        await eventually(
          `${name} leads, and has listed everything`,
          async () => {
            const metrics = await metricsOf();
            const lists = samplesOf(metrics, 'reflector_lists_total');
            return (
              metrics.includes(`leader_election_master_status{name="holdfast-${name}"} 1`) &&
              lists.length > 0 &&
              lists.length === samplesOf(metrics, 'reflector_watches_total').length
            );
          },
          40_000,
        );
        expect(await metricsOf()).not.toMatch(/^rest_client_requests_total\{code="40[13]"/m);
        expect(running.get(name)?.process.stderr()).not.toMatch(/forbidden/i);
      },
      60_000,
    );
  });

  describe('all, with every component, in a namespace of another name', () => {
    const storage = 'storage-x';
    let driver: CsiDriver;
    let manifests: readonly Manifest[];
    const running = new Map<AppName, RunningApp>();

    beforeAll(async () => {
      const own = await ownKustomization({
        resources: ['all'],
        components: [
          'monitoring',
          'monitoring/prometheus-operator',
          'secure-metrics',
          'pvc-protection/claim-unused-condition',
          'pvc-protection/terminating-claim-guard',
        ],
        namespace: storage,
      });
      manifests = await build(own);
      await kubectl(['apply', '--server-side', '--force-conflicts', '-k', own]);
      driver = await startCsiDriver({ folder: join(folder, 'volumes'), socket: join(folder, 'csi.sock') });
      const further: Readonly<Record<AppName, readonly string[]>> = {
        'pvc-protection': [
          '--feature-gates=ClaimUnusedCondition=true,TerminatingClaimGuard=true',
          '--webhook-bind-address=127.0.0.1:0',
          '--webhook-self-signed',
          `--webhook-namespace=${storage}`,
        ],
        'retroactive-default-sc': [],
        'statefulset-pvc-retention': [],
        'pv-reclaim-honor': [`--csi-address=${driver.address}`],
      };
      for (const name of appNames) {
        const kubeconfig = await kubeconfigOf(name, storage);
        running.set(
          name,
          runApp(name, [
            `--kubeconfig=${kubeconfig}`,
            `--leader-elect-resource-namespace=${storage}`,
            ...further[name],
          ]),
        );
      }
    }, 90_000);

    afterAll(async () => {
      await Promise.all([...running.values()].map((app) => app.stop()));
      await driver.stop();
    }, 60_000);

    const metricsOf = async (name: AppName): Promise<string> => (await running.get(name)?.metrics()) ?? '';

    test.each(appNames)(
      '%s as its own service account -> leads with its caches filled, and nothing is forbidden',
      async (name) => {
        await eventually(
          `${name} leads`,
          async () =>
            (await metricsOf(name)).includes(`leader_election_master_status{name="holdfast-${name}"} 1`),
          40_000,
        );
        await eventually('it has listed everything', async () => {
          const metrics = await metricsOf(name);
          const lists = samplesOf(metrics, 'reflector_lists_total');
          return lists.length > 0 && lists.length === samplesOf(metrics, 'reflector_watches_total').length;
        });
        expect(await metricsOf(name)).not.toMatch(/^rest_client_requests_total\{code="40[13]"/m);
        expect(running.get(name)?.process.stderr()).not.toMatch(/forbidden/i);
      },
      60_000,
    );

    test('B1: each right of each role -> granted to the account that it is bound to', async () => {
      const rights = rightsOf(manifests);
      expect(rights.length).toBeGreaterThan(50);
      const refused: object[] = [];
      for (const { user, namespace, ...attributes } of rights) {
        const { status } = await client.create(subjectAccessReviews, undefined, {
          spec: {
            user,
            resourceAttributes: { ...attributes, ...(namespace === undefined ? {} : { namespace }) },
          },
        });
        if (status?.allowed !== true) {
          refused.push({ user, namespace, ...attributes });
        }
      }
      expect(refused).toStrictEqual([]);
    }, 30_000);

    test('B3: --metrics-secure with component secure-metrics -> served to who is bound to metrics-reader, and to no other', async () => {
      await kubectl(['create', 'serviceaccount', 'prometheus', `--namespace=${storage}`]);
      await kubectl(['create', 'serviceaccount', 'stranger', `--namespace=${storage}`]);
      await kubectl([
        ...['create', 'clusterrolebinding', 'prometheus-holdfast', '--clusterrole=holdfast-metrics-reader'],
        `--serviceaccount=${storage}:prometheus`,
      ]);
      const app = runApp('retroactive-default-sc', [
        `--kubeconfig=${await kubeconfigOf('retroactive-default-sc', storage)}`,
        '--leader-elect=false',
        '--feature-gates=RetroactiveDefaultStorageClass=false',
        '--metrics-secure',
      ]);
      try {
        const address = await app.address('metrics');
        const prometheus = await tokenOf('prometheus', storage);
        // Until the API server has learnt of the binding it refuses, and the app keeps that answer for a minute: ask it
        // first.
        await eventually('the binding is in force', async () => {
          const as = `--as=system:serviceaccount:${storage}:prometheus`;
          return (await plane.kubectl(['auth', 'can-i', 'get', '/metrics', as])).stdout.trim() === 'yes';
        });
        expect(await scrape(address, prometheus)).toBe(200);
        expect(await scrape(address, await tokenOf('stranger', storage))).toBe(403);
        expect(await scrape(address)).toBe(401);
      } finally {
        await app.stop();
      }
    }, 60_000);

    test('alerts -> use only what is exported, and match the names under which we export it', async () => {
      expect(alerts.length).toBeGreaterThan(0);
      const texts = await Promise.all(appNames.map(metricsOf));
      const exported = new Set(
        texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)),
      );
      const used = alerts.flatMap(({ expr }) => metricsIn(expr));
      expect(new Set(used).size).toBeGreaterThan(10);
      expect(used.filter((name) => !exported.has(name))).toStrictEqual([]);
      for (const name of appNames) {
        expect(await metricsOf(name)).toContain(`holdfast_build_info{app="${name}"`);
      }
    }, 30_000);

    test('component claim-unused-condition -> pvc-protection may write the condition', async () => {
      await client.create(persistentVolumeClaims, 'default', claim('unused'));
      await eventually('the condition is written', async () => {
        const found = await client.get(persistentVolumeClaims, { namespace: 'default', name: 'unused' });
        return found.status?.conditions?.some(({ type }) => type === 'Unused') === true;
      });
      expect(await metricsOf('pvc-protection')).not.toMatch(/^rest_client_requests_total\{code="403"/m);
    }, 60_000);

    test('component terminating-claim-guard -> its webhook trusts the app, which may read pod and claims', async () => {
      const configuration = 'validatingwebhookconfiguration/holdfast-pvc-protection';
      const caBundle = '{.webhooks[0].clientConfig.caBundle}';
      await eventually(
        'the certificate is trusted',
        async () => (await kubectl(['get', configuration, `-o=jsonpath=${caBundle}`])) !== '',
        40_000,
      );
      // No network of pods is here: the API server is sent to the app's own address, and must not go on without it.
      const address = (await running.get('pvc-protection')?.address('webhook')) ?? '';
      const patch = [
        { op: 'remove', path: '/webhooks/0/clientConfig/service' },
        { op: 'add', path: '/webhooks/0/clientConfig/url', value: `https://${address}/validate-v1-binding` },
        { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
      ];
      await kubectl(['patch', configuration, '--type=json', `--patch=${JSON.stringify(patch)}`]);
      const created = await client.create(persistentVolumeClaims, 'default', {
        ...claim('doomed'),
        metadata: { name: 'doomed', finalizers: ['example.com/keep'] },
      });
      expect(created.metadata.deletionTimestamp).toBeUndefined();
      await client.delete(persistentVolumeClaims, { namespace: 'default', name: 'doomed' });
      let answer = '';
      await eventually('the webhook is called', async () => {
        const pod = await client.create(pods, 'default', {
          metadata: { generateName: 'late-' },
          spec: {
            containers: [{ name: 'c', image: 'example.com/none' }],
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'doomed' } }],
          },
        });
        const { name } = pod.metadata;
        answer = await client
          .create({ ...pods, kind: 'Binding', plural: `pods/${name}/binding` }, 'default', {
            metadata: { name },
            target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' },
          })
          .then(
            () => 'bound',
            (error: unknown) => String(error),
          );
        // Until the API server has learnt of the configuration it calls the Service, which nobody serves, and goes on.
        return answer !== 'bound';
      });
      expect(answer).toContain('PVC (doomed) is in scheduled for deletion state');
      expect(await metricsOf('pvc-protection')).not.toMatch(/^rest_client_requests_total\{code="403"/m);
    }, 90_000);
  });
});

interface DryRun {
  /** As kustomize has built them, in YAML. */
  readonly manifests: string;
  /** What the server said of each object. */
  readonly answers: readonly string[];
}

/** As much of a kind of the Prometheus operator as it takes to store one. Its own definitions check more. */
function definitionOf(kind: string) {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Each verb of each resource of the roles, with the user that it is for. */
function rightsOf(manifests: readonly Manifest[]) {
  return manifests.flatMap(({ roleRef, subjects = [], metadata: { namespace } }) => {
    const role = manifests.find(
      ({ kind, metadata }) => kind === roleRef?.kind && metadata.name === roleRef.name,
    );
    return (role?.rules ?? []).flatMap(({ apiGroups = [], resources = [], resourceNames = [''], verbs }) =>
      subjects.flatMap((subject) =>
        resources.flatMap((path) =>
          resourceNames.flatMap((name) =>
            verbs.map((verb) => {
              const [resource = '', subresource = ''] = path.split('/');
              const user = `system:serviceaccount:${subject.namespace ?? ''}:${subject.name}`;
              return { user, namespace, group: apiGroups[0] ?? '', resource, subresource, name, verb };
            }),
          ),
        ),
      ),
    );
  });
}

/** The status of an answer to a scrape over TLS. The certificate is made at start, and nobody vouches for it. */
async function scrape(address: string, token?: string): Promise<number | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request(`https://${address}/metrics`, { headers, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

function claim(name: string) {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}
