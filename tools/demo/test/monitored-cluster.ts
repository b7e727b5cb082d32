import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  finalizers,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import {
  createFaultPlan,
  dnsSubdomain,
  nameColumn,
  startCsiDriver,
  startEmbeddedControlPlane,
  type FaultPlan,
} from '@holdfast/testing';
import { load } from 'js-yaml';
import { connectAs } from '../src/cluster.ts';
import { runApp, type RunningApp } from './four-apps.ts';
import { deploy } from './kustomize.ts';
import type { ScrapeConfig } from './prometheus.ts';

/**
 * The four apps on an embedded control plane, with what it takes to give them trouble. pvc-protection has two replicas.
 */
export interface MonitoredCluster {
  readonly client: ApiClient;
  /**
   * As the Service and the ServiceMonitor of component monitoring have them scraped, and pvc-protection without
   * honor_labels besides.
   */
  readonly scrapeConfigs: readonly ScrapeConfig[];
  /** Everyday work, all of which succeeds: resolves when it is done. */
  everydayWork(): Promise<void>;
  /** All that alerts are for and that takes seconds. Goes on until the cluster is closed. */
  trouble(): Promise<void>;
  stopApps(): Promise<void>;
  close(): Promise<void>;
}

const system = 'holdfast-system';
const provisioner = 'csi.holdfast.dev';
const scraper = { name: 'prometheus', token: 'token-of-the-scraper-of-metrics' };
const refused = { kind: 'status', code: 403, reason: 'Forbidden', message: 'refused by the test' } as const;

/** A kind whose CustomResourceDefinition checks nothing. */
const cloneSets = {
  group: 'apps.example.com',
  version: 'v1',
  kind: 'CloneSet',
  plural: 'clonesets',
  namespaced: true,
} as const satisfies ApiResource<KubernetesObject>;

/** Resolves when each app leads, and has all it follows in its caches. @param folder gets volumes and kubeconfigs. */
export async function startMonitoredCluster(folder: string): Promise<MonitoredCluster> {
  const faults = createFaultPlan();
  const plane = await startEmbeddedControlPlane({
    // Protection is what pvc-protection is for here.
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults,
    users: [scraper],
    resources: [
      {
        ...cloneSets,
        singular: 'cloneset',
        nameRule: dnsSubdomain,
        columns: [nameColumn],
        cells: ({ metadata }) => [metadata.name ?? ''],
      },
    ],
  });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  const client = connectAs('prometheus-test', kubeconfig);
  for (const name of [system, 'team-a', 'team-b']) {
    await client.create(namespaces, undefined, { metadata: { name } });
  }
  await letScrape(client);
  const driver = await startCsiDriver({
    name: provisioner,
    folder: join(folder, 'volumes'),
    socket: join(folder, 'csi.sock'),
    canListVolumes: true,
  });

  const common = [
    `--kubeconfig=${kubeconfig}`,
    `--leader-elect-resource-namespace=${system}`,
    // However busy the machine is, nobody loses the lease: who does, ends.
    '--leader-elect-lease-duration=2m',
    '--leader-elect-renew-deadline=90s',
  ];
  const protection = [
    ...common,
    '--namespaces=team-a,team-b',
    '--webhook-bind-address=127.0.0.1:0',
    '--webhook-self-signed',
    `--webhook-namespace=${system}`,
  ];
  const apps: readonly RunningApp[] = [
    runApp('pvc-protection', protection),
    runApp('pvc-protection', protection),
    runApp('retroactive-default-sc', [...common, '--metrics-secure']),
    runApp('statefulset-pvc-retention', [
      ...common,
      `--workloads=apps/v1/StatefulSet,${cloneSets.group}/${cloneSets.version}/${cloneSets.kind}`,
    ]),
    runApp('pv-reclaim-honor', [
      ...common,
      `--csi-address=${driver.address}`,
      '--feature-gates=ReclaimGracePeriod=true,LeakReport=true',
    ]),
  ];
  let churn: NodeJS.Timeout | undefined;
  const stopApps = async (): Promise<void> => {
    // Some wait for answers that never come.
    await Promise.all(apps.map(({ process }) => process.end('SIGKILL')));
  };
  const close = async (): Promise<void> => {
    clearInterval(churn);
    driver.heal();
    await stopApps();
    await driver.stop();
    await client.close();
    await plane.stop();
  };

  try {
    for (const { name, process } of apps.slice(1)) {
      await eventually(`${name} leads`, () =>
        (name === 'pvc-protection' ? apps.slice(0, 2).map((each) => each.process) : [process]).some((each) =>
          each.stderr().includes('"msg":"Became leader"'),
        ),
      );
    }
    const scrapeConfigs = await scrapeConfigsOf(apps);
    return {
      client,
      scrapeConfigs,
      everydayWork: () => everydayWork(client, driver.addVolume),
      trouble: async () => {
        driver.inject({ kind: 'fail', code: 'INTERNAL', message: 'the array is on fire' });
        churn = await trouble(client, faults, driver.addVolume);
        await plane.restartApiServer();
      },
      stopApps,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * What a ServiceMonitor gives its targets; and a scrape that lets the labels of the target win, as is Prometheus'
 * default.
 */
async function scrapeConfigsOf(apps: readonly RunningApp[]): Promise<readonly ScrapeConfig[]> {
  const configs: ScrapeConfig[] = [];
  for (const [index, app] of apps.entries()) {
    const { name } = app;
    const labels = { namespace: system, pod: `${name}-${String(index)}` };
    const target = { static_configs: [{ targets: [await app.address('metrics')], labels }] };
    const job = { job_name: `${name}-${String(index)}`, honor_labels: true, ...target };
    if (name === 'retroactive-default-sc') {
      configs.push({
        ...job,
        scheme: 'https',
        tls_config: { insecure_skip_verify: true },
        authorization: { credentials: scraper.token },
      });
    } else {
      configs.push(job);
    }
    if (name === 'pvc-protection') {
      configs.push({ ...job, job_name: `${job.job_name}-without-honor-labels`, honor_labels: false });
    }
  }
  return configs;
}

/** Component secure-metrics' role, bound to the scraper. */
async function letScrape(client: ApiClient): Promise<void> {
  const role = load(
    await readFile(join(deploy, 'secure-metrics', 'metrics-reader.yaml'), 'utf8'),
  ) as KubernetesObject;
  await client.create(rbac('ClusterRole'), undefined, role);
  await client.create(rbac('ClusterRoleBinding'), undefined, {
    metadata: { name: 'scraper' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: role.metadata.name,
    },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: scraper.name }],
  });
}

function rbac(kind: string): ApiResource<KubernetesObject> {
  return {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: false,
  };
}

const isDefaultClass = 'storageclass.kubernetes.io/is-default-class';
const size = { resources: { requests: { storage: '1Gi' } }, accessModes: ['ReadWriteOnce'] };

async function createClaim(client: ApiClient, namespace: string, name: string): Promise<void> {
  await client.create(persistentVolumeClaims, namespace, {
    metadata: { name },
    spec: { ...size, storageClassName: 'none' },
  });
}

async function createPod(client: ApiClient, namespace: string, claimName: string): Promise<void> {
  await client.create(pods, namespace, {
    metadata: { name: `uses-${claimName}` },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });
}

/** A volume whose claim is gone. No volume binder is here, which would give claims their class too. */
async function createReleased(client: ApiClient, name: string, source: object): Promise<void> {
  await client.create(persistentVolumes, undefined, {
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'none',
      claimRef: { namespace: 'team-a', name: `of-${name}`, uid: crypto.randomUUID() },
      ...source,
    },
  });
  const phase = { op: 'add', path: '/status/phase', value: 'Released' } as const;
  await client.patch(persistentVolumes, { name }, [phase], { subresource: 'status' });
}

const csi = (name: string): object => ({ csi: { driver: provisioner, volumeHandle: name } });

async function isGone(
  client: ApiClient,
  resource: ApiResource<KubernetesObject>,
  ref: { readonly namespace?: string; readonly name: string },
): Promise<boolean> {
  const { items } = await client.list(resource, {
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
    fieldSelector: `metadata.name=${ref.name}`,
  });
  return items.length === 0;
}

async function everydayWork(client: ApiClient, addVolume: (handle: string) => Promise<void>): Promise<void> {
  const namespace = 'team-a';
  await createClaim(client, namespace, 'used');
  await createPod(client, namespace, 'used');
  await eventually('the claim is protected', async () => {
    const { metadata } = await client.get(persistentVolumeClaims, { namespace, name: 'used' });
    return metadata.finalizers?.includes(finalizers.pvcProtection) === true;
  });
  await client.delete(pods, { namespace, name: 'uses-used' }, { gracePeriodSeconds: 0 });
  await client.delete(persistentVolumeClaims, { namespace, name: 'used' });
  await eventually('the claim is gone', () =>
    isGone(client, persistentVolumeClaims, { namespace, name: 'used' }),
  );

  await addVolume('wanted-no-more');
  await createReleased(client, 'wanted-no-more', csi('wanted-no-more'));
  await eventually('the volume is deleted', () =>
    isGone(client, persistentVolumes, { name: 'wanted-no-more' }),
  );

  const early = { namespace, name: 'early' };
  await client.create(persistentVolumeClaims, namespace, { metadata: { name: early.name }, spec: size });
  await client.create(storageClasses, undefined, {
    metadata: { name: 'gold', annotations: { [isDefaultClass]: 'true' } },
    provisioner: 'example.com/disk',
  });
  await eventually(
    'the claim has its class',
    async () => (await client.get(persistentVolumeClaims, early)).spec?.storageClassName === 'gold',
  );
}

/** @returns the timer of what is done again and again. */
async function trouble(
  client: ApiClient,
  faults: FaultPlan,
  addVolume: (handle: string) => Promise<void>,
): Promise<NodeJS.Timeout> {
  // HoldfastClaimHeldLong, before its writes are refused.
  await createClaim(client, 'team-a', 'held');
  await createPod(client, 'team-a', 'held');
  const held = { namespace: 'team-a', name: 'held' };
  await eventually(
    'the claim is protected',
    async () =>
      (await client.get(persistentVolumeClaims, held)).metadata.finalizers?.includes(
        finalizers.pvcProtection,
      ) === true,
  );
  await client.delete(persistentVolumeClaims, held);

  // HoldfastWritesFailing, HoldfastStorageClassRefused: the right to patch claims is gone.
  faults.on(
    {
      verb: 'patch',
      resource: 'persistentvolumeclaims',
      namespace: 'team-a',
      userAgent: /^(?!prometheus-test)/,
    },
    refused,
  );
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await createClaim(client, 'team-a', name);
  }
  const setDefault = (value: string) =>
    client.patch(storageClasses, { name: 'gold' }, [
      { op: 'add', path: `/metadata/annotations/${isDefaultClass.replace('/', '~1')}`, value },
    ]);
  await setDefault('false');
  await client.create(persistentVolumeClaims, 'team-a', { metadata: { name: 'classless' }, spec: size });
  await setDefault('true');

  // HoldfastQueueStuck: more writes hang than a namespace has workers.
  faults.on(
    { verb: 'patch', resource: 'persistentvolumeclaims', namespace: 'team-b', userAgent: /^pvc-protection/ },
    { kind: 'delay', milliseconds: 120_000 },
  );
  for (let index = 0; index < 30; index += 1) {
    await createClaim(client, 'team-b', `waiting-${String(index)}`);
  }

  // HoldfastResourceNotFollowed, HoldfastWorkloadKindNotFollowed: from the restart of the API server on.
  const reads = ['list', 'watch'] as const;
  faults.on({ verb: reads, resource: 'pods', namespace: 'team-b', userAgent: /^pvc-protection/ }, refused);
  faults.on({ verb: reads, resource: cloneSets.plural, userAgent: /^statefulset-pvc-retention/ }, refused);
  // HoldfastWatchFailing: each watch breaks when it has brought something.
  faults.on(
    { verb: 'watch', resource: 'storageclasses', userAgent: /^retroactive/ },
    { kind: 'cutWatch', afterEvents: 1 },
  );

  // HoldfastObjectsSkipped.
  await client.create(cloneSets, 'team-a', { metadata: { name: 'odd' }, spec: 'not as it should be' });

  // HoldfastVolumeDeletionFailing.
  for (let index = 0; index < 5; index += 1) {
    const name = `burning-${String(index)}`;
    await addVolume(name);
    await createReleased(client, name, csi(name));
  }
  // HoldfastVolumeMayLeak: nothing deletes the storage of a static volume of this kind.
  await createReleased(client, 'nobody-s', { nfs: { server: 'nfs.example.com', path: '/data' } });

  let round = 0;
  const again = async (): Promise<void> => {
    round += 1;
    await client.patch(storageClasses, { name: 'gold' }, [
      { op: 'add', path: '/metadata/annotations/example.com~1round', value: String(round) },
    ]);
    // HoldfastFinalizerFight.
    for (const { metadata } of (await client.list(persistentVolumes)).items) {
      if (metadata.name === 'nobody-s' || metadata.finalizers === undefined) {
        continue;
      }
      await client.patch(persistentVolumes, metadata, [{ op: 'remove', path: '/metadata/finalizers' }]);
    }
  };
  return setInterval(() => void again().catch(() => undefined), 300);
}
