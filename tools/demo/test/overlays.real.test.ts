import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeUnless } from '@holdfast/scenario';
import { load } from 'js-yaml';
import { build, deploy, kubectlMissing, writeOverlay, type Manifest, type Overlay } from './kustomize.ts';
import { blocksOf } from './markdown.ts';

/*
 * What an administrator's own kustomization of a few lines makes of deploy/. Only kustomize runs here, which comes with
 * kubectl; that the API server takes the result is shown by deploy.real.test.ts.
 */

const apps = [
  'pvc-protection',
  'retroactive-default-sc',
  'statefulset-pvc-retention',
  'pv-reclaim-honor/sidecar',
  'pv-reclaim-honor/standalone',
];
const uninstalls = [
  'pvc-protection/uninstall',
  'statefulset-pvc-retention/uninstall',
  'pv-reclaim-honor/uninstall',
];
const gates = ['pvc-protection/claim-unused-condition', 'pvc-protection/terminating-claim-guard'];

/** Kinds that belong to the cluster. */
const ofTheCluster = new Set([
  'Namespace',
  'PriorityClass',
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
const clusterObjects = (manifests: readonly Manifest[]): readonly string[] =>
  manifests
    .filter(({ kind }) => ofTheCluster.has(kind))
    .map(idOf)
    .toSorted();

describeUnless(kubectlMissing(), 'deploy/ by overlays', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-overlays-')));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const render = async (overlay: Overlay): Promise<readonly Manifest[]> =>
    build(await writeOverlay(folder, overlay));

  test.each<Overlay & { readonly components: readonly string[] }>([
    ...['all', ...apps, ...uninstalls].map((resource) => ({ resources: [resource], components: [] })),
    { resources: ['all'], components: [...gates, 'monitoring', 'secure-metrics'] },
    { resources: ['all'], components: ['pvc-protection/claim-unused-condition', 'one-namespace'] },
    { resources: ['all'], components: ['secure-metrics', 'one-namespace'] },
    { resources: ['all'], components: ['one-namespace', 'secure-metrics'] },
  ])(
    'B1: $resources with components $components, one line with a namespace -> it is everywhere',
    async (overlay) => {
      const manifests = await render({ ...overlay, namespace: 'storage-x' });
      expect(manifests.length).toBeGreaterThan(0);
      expect(JSON.stringify(manifests)).not.toMatch(/holdfast-(system|storage)/);
      const accounts = manifests
        .filter(({ kind }) => kind === 'ServiceAccount')
        .map(({ metadata }) => metadata.name);
      for (const manifest of manifests) {
        const { kind, metadata, subjects = [], webhooks = [] } = manifest;
        if (!ofTheCluster.has(kind)) {
          expect([idOf(manifest), metadata.namespace]).toEqual([idOf(manifest), 'storage-x']);
        }
        for (const subject of subjects) {
          expect(subject).toEqual({ kind: 'ServiceAccount', name: subject.name, namespace: 'storage-x' });
          expect(accounts).toContain(subject.name);
        }
        for (const { clientConfig } of webhooks) {
          expect(clientConfig.service.namespace).toBe('storage-x');
          expect(manifests.map(idOf)).toContain(`Service ${clientConfig.service.name}`);
        }
        if (kind === 'Namespace') {
          expect(metadata.name).toBe('storage-x');
        }
      }
    },
  );

  test('B2: sidecar and standalone -> no object of the cluster in common', async () => {
    const sidecar = clusterObjects(await render({ resources: ['pv-reclaim-honor/sidecar'] }));
    const standalone = clusterObjects(await render({ resources: ['pv-reclaim-honor/standalone'] }));
    expect(sidecar.filter((name) => standalone.includes(name))).toStrictEqual([]);
  });

  test('B2: two drivers, each with a namespace and a suffix of its own -> no object of the cluster in common, all roles and accounts are found', async () => {
    const [ebs, efs] = await Promise.all(
      ['ebs', 'efs'].map((driver) =>
        render({
          resources: ['pv-reclaim-honor/sidecar'],
          namespace: `${driver}-csi`,
          nameSuffix: `-${driver}`,
        }),
      ),
    );
    const others = clusterObjects(efs ?? []);
    expect(clusterObjects(ebs ?? []).filter((name) => others.includes(name))).toStrictEqual([]);
    for (const manifests of [ebs ?? [], efs ?? []]) {
      const ids = manifests.map(idOf);
      const used = manifests.flatMap(({ roleRef, subjects = [], spec }) => {
        const pod = (
          spec as
            { template?: { spec: { serviceAccountName: string; priorityClassName: string } } } | undefined
        )?.template?.spec;
        return [
          ...(roleRef === undefined ? [] : [`${roleRef.kind} ${roleRef.name}`]),
          ...subjects.map(({ kind, name }) => `${kind} ${name}`),
          ...(pod === undefined
            ? []
            : [`ServiceAccount ${pod.serviceAccountName}`, `PriorityClass ${pod.priorityClassName}`]),
        ];
      });
      expect(used.length).toBeGreaterThan(5);
      expect(used.filter((id) => !ids.includes(id))).toStrictEqual([]);
    }
  });

  test.each([
    ['pvc-protection', ['list volumeattachments', 'watch volumeattachments']],
    ['retroactive-default-sc', ['list storageclasses', 'watch storageclasses']],
    ['statefulset-pvc-retention', []],
    [
      'pv-reclaim-honor',
      [
        ...['create', 'patch'].map((verb) => `${verb} events`),
        ...['delete', 'get', 'list', 'patch', 'watch'].map((verb) => `${verb} persistentvolumes`),
        ...['get', 'list', 'watch'].map((verb) => `${verb} storageclasses`),
        ...['list', 'watch'].map((verb) => `${verb} volumeattachments`),
      ].toSorted(),
    ],
  ])('%s with component one-namespace -> what is left in the cluster: %p', async (app, rights) => {
    const manifests = await render({
      resources: [app === 'pv-reclaim-honor' ? `${app}/sidecar` : app],
      components: [`one-namespace/${app}`],
      namespace: 'team-a',
      nameSuffix: '-team-a',
    });
    const left = manifests
      .filter(({ kind }) => kind === 'ClusterRole')
      .flatMap(({ rules = [] }) => rules)
      .flatMap(({ resources = [], verbs }) =>
        resources.flatMap((name) => verbs.map((verb) => `${verb} ${name}`)),
      );
    expect(left.toSorted()).toEqual(rights);
    expect(new Set(manifests.map(({ kind }) => kind))).not.toContain('Namespace');
    // Whatever belongs to the cluster bears the namespace, and is not overwritten by the next one.
    for (const name of clusterObjects(manifests)) {
      expect(name).toMatch(/^ClusterRole(Binding)? .+-team-a$/);
    }
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    expect(JSON.stringify(deployment)).toContain(
      '"env":[{"name":"HOLDFAST_NAMESPACES","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}}]',
    );
    expect(JSON.stringify(deployment)).not.toContain('webhook');
  });

  test.each(apps.map((app) => [app] as const))(
    'B3: %s with component secure-metrics -> its account may ask for the reviews, and is started with the flag',
    async (path) => {
      const app = path.split('/')[0] ?? '';
      const manifests = await render({ resources: [path], components: [`secure-metrics/${app}`] });
      const role = manifests.find(
        ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === `holdfast-${app}-metrics`,
      );
      expect(role?.rules).toEqual([
        { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
        { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      ]);
      expect(JSON.stringify(manifests.find(({ kind }) => kind === 'Deployment'))).toContain(
        '"--metrics-secure"',
      );
    },
  );

  test('B8: the port of the API server patched by the label of the policies -> set in each of them', async () => {
    const manifests = await render({
      resources: ['all'],
      patches: [
        {
          target: { kind: 'NetworkPolicy', labelSelector: 'holdfast.dev/network-role=api-server' },
          patch:
            '[{ "op": "add", "path": "/spec/egress/0/ports/-", "value": { "port": 16443, "protocol": "TCP" } }]',
        },
      ],
    });
    const policies = manifests.filter(
      ({ metadata }) => metadata.labels?.['holdfast.dev/network-role'] === 'api-server',
    );
    expect(policies).toHaveLength(3);
    for (const { spec } of policies) {
      const { egress } = spec as { egress: { ports: { port: number }[] }[] };
      expect(egress[0]?.ports.map(({ port }) => port)).toEqual([443, 6443, 16443]);
    }
  });

  test.each(apps)(
    'B8: %s -> nobody reaches it but by the webhook; probes come from the node',
    async (app) => {
      const manifests = await render({ resources: [app] });
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
      expect(policies).not.toHaveLength(0);
      const open = policies.flatMap(({ spec }) => {
        const { policyTypes, ingress = [] } = spec as {
          policyTypes: string[];
          ingress?: { from?: unknown; ports: { port: string }[] }[];
        };
        expect(policyTypes).toContain('Ingress');
        return ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
      });
      expect(open).toEqual(app === 'pvc-protection' ? ['webhook'] : []);
    },
  );

  test('B8: component monitoring -> metrics are reached from the namespace monitoring alone', async () => {
    const manifests = await render({ resources: ['all'], components: ['monitoring'] });
    const policies = manifests.filter(
      ({ metadata }) => metadata.labels?.['holdfast.dev/network-role'] === 'metrics',
    );
    expect(policies).toHaveLength(4);
    for (const { spec } of policies) {
      expect(spec).toMatchObject({
        ingress: [
          {
            from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
            ports: [{ port: 'metrics', protocol: 'TCP' }],
          },
        ],
      });
    }
  });

  test('component monitoring/prometheus-operator -> each ServiceMonitor selects the metrics Service of its controller, and no other', async () => {
    const manifests = await render({
      resources: ['all'],
      components: ['monitoring', 'monitoring/prometheus-operator'],
    });
    const monitors = manifests.filter(({ kind }) => kind === 'ServiceMonitor');
    expect(monitors).toHaveLength(4);
    for (const { metadata, spec } of monitors) {
      const { selector, endpoints } = spec as {
        selector: { matchLabels: Readonly<Record<string, string>> };
        endpoints: { port: string }[];
      };
      const selected = manifests.filter(
        ({ kind, metadata: { labels = {} } }) =>
          kind === 'Service' &&
          Object.entries(selector.matchLabels).every(([name, value]) => labels[name] === value),
      );
      expect(selected.map((service) => service.metadata.name)).toEqual([`${metadata.name}-metrics`]);
      expect(selected[0]?.spec).toMatchObject({ ports: [{ name: endpoints[0]?.port }] });
    }
  });

  test('the lines of docs/monitoring.md for runbooks -> runbook_url leads there, for each alert', async () => {
    const [lines] = blocksOf(join(deploy, '../docs/monitoring.md')).filter(({ text }) =>
      text.includes('replacements:'),
    );
    const manifests = await render({
      resources: ['all'],
      components: ['monitoring', 'monitoring/prometheus-operator'],
      ...(load(lines?.text ?? '') as Pick<Overlay, 'configMapGenerator' | 'replacements'>),
    });
    expect(manifests.map(({ kind }) => kind)).not.toContain('ConfigMap');
    const rules = JSON.stringify(manifests.filter(({ kind }) => kind === 'PrometheusRule'));
    const urls = [...rules.matchAll(/"runbook_url":"(.+?)"/g)].map(([, url]) => url);
    expect(urls.length).toBeGreaterThan(10);
    const elsewhere = /^https:\/\/git\.example\.com\/holdfast\/docs\/runbooks\/Holdfast\w+\.md$/;
    expect(urls.filter((url) => url === undefined || !elsewhere.test(url))).toStrictEqual([]);
  });
});
