import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeUnless } from '@holdfast/scenario';
import { chart, helm, template } from './helm.ts';
import { build, deploy, kubectlMissing, writeOverlay, type Manifest, type Overlay } from './kustomize.ts';

/*
 * The chart, compared with what kustomize makes of deploy/, and with itself. Only helm and kustomize run here; that an
 * API server takes the result is shown by docs.real.test.ts and `npm run lint:deploy`.
 */

const missing = helm.found ? kubectlMissing() : helm.reason;

const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

/** By their names, so that a difference is shown by the object that has it. */
const byId = (manifests: readonly Manifest[]): Readonly<Record<string, Manifest>> => {
  const entries = manifests.map((manifest) => [idOf(manifest), manifest] as const);
  expect(new Set(entries.map(([id]) => id)).size).toBe(entries.length);
  return Object.fromEntries(entries);
};

const rightsOf = (manifests: readonly Manifest[], kind: string): readonly string[] =>
  manifests
    .filter((manifest) => manifest.kind === kind)
    .flatMap(({ metadata, rules = [] }) =>
      rules.flatMap(({ resources = [], verbs }) =>
        resources.map((name) => `${metadata.namespace ?? ''} ${verbs.join(',')} ${name}`),
      ),
    )
    .toSorted();

const ofKind = (manifests: readonly Manifest[], kind: string): readonly Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly resources?: object;
}
const containersOf = (manifest: Manifest | undefined): readonly Container[] =>
  (manifest?.spec as { template: { spec: { containers: Container[] } } } | undefined)?.template.spec
    .containers ?? [];
const argsOf = (manifests: readonly Manifest[], name: string): readonly string[] =>
  containersOf(manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name))[0]
    ?.args ?? [];

const others = (name: string): object =>
  Object.fromEntries(
    ['pvcProtection', 'retroactiveDefaultSc', 'statefulsetPvcRetention', 'pvReclaimHonor']
      .filter((each) => each !== name)
      .map((each) => [each, { enabled: false }]),
  );
/** The chart names the objects of each driver by it; so do the lines of docs/install.md for several drivers. */
const exampleDriver = {
  name: 'example',
  sidecar: {
    container: { image: 'example.com/csi-driver:latest', args: ['--endpoint=unix:///csi/csi.sock'] },
    secret: 'csi-provisioner-secret',
  },
};

describeUnless(missing, 'deploy/chart', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-chart-')));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** A Namespace is helm's own affair (`--create-namespace`). */
  const kustomize = async (overlay: Overlay): Promise<readonly Manifest[]> => {
    const components = [...(overlay.components ?? []), 'existing-namespace'];
    return build(await writeOverlay(folder, { ...overlay, components }));
  };

  /** In kustomize of component secure-metrics for the four only, not of those for one. */
  const reader = 'ClusterRole /holdfast-metrics-reader';
  const three = ['pvc-protection', 'all/retroactive-default-sc', 'all/statefulset-pvc-retention'];

  test.each<{ readonly what: string; readonly values?: object; readonly overlay: Overlay }>([
    { what: 'default values', overlay: { resources: three } },
    {
      what: 'pvc-protection alone',
      values: others('pvcProtection'),
      overlay: { resources: ['pvc-protection'] },
    },
    {
      what: 'retroactive-default-sc alone',
      values: others('retroactiveDefaultSc'),
      overlay: { resources: ['retroactive-default-sc'] },
    },
    {
      what: 'statefulset-pvc-retention alone',
      values: others('statefulsetPvcRetention'),
      overlay: { resources: ['statefulset-pvc-retention'] },
    },
    {
      what: 'gate ClaimUnusedCondition',
      values: { pvcProtection: { gates: { ClaimUnusedCondition: true } } },
      overlay: { resources: three, components: ['pvc-protection/claim-unused-condition'] },
    },
    {
      what: 'gate TerminatingClaimGuard',
      values: { pvcProtection: { gates: { TerminatingClaimGuard: true } } },
      overlay: { resources: three, components: ['pvc-protection/terminating-claim-guard'] },
    },
    {
      what: 'metrics.service',
      values: { metrics: { service: true } },
      overlay: {
        resources: three,
        components: [
          'monitoring/pvc-protection',
          'monitoring/retroactive-default-sc',
          'monitoring/statefulset-pvc-retention',
        ],
      },
    },
    {
      what: 'metrics for the Prometheus operator',
      values: {
        ...others('pvcProtection'),
        metrics: { service: true, serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } },
      },
      overlay: {
        resources: ['pvc-protection'],
        components: [
          'monitoring/pvc-protection',
          'monitoring/prometheus-operator/common',
          'monitoring/prometheus-operator/pvc-protection',
        ],
      },
    },
    {
      what: 'metrics.dashboards',
      values: { ...others('pvcProtection'), metrics: { dashboards: { enabled: true } } },
      overlay: { resources: ['pvc-protection'], components: ['monitoring/grafana/pvc-protection'] },
    },
    {
      what: 'metrics.secure',
      values: { ...others('pvcProtection'), metrics: { secure: true } },
      overlay: {
        resources: ['pvc-protection'],
        components: ['secure-metrics/pvc-protection'],
      },
    },
  ])('$what -> the same objects as kustomize makes', async ({ values = {}, overlay }) => {
    const namespace = 'holdfast-system';
    const expected = await kustomize({ ...overlay, namespace });
    const rendered = await template({ namespace, values });
    expect(byId(rendered.filter((object) => idOf(object) !== reader))).toEqual(byId(expected));
  });

  test('all that belongs to metrics, with a driver -> the same kinds and names as kustomize makes of the four with their components', async () => {
    const rendered = await template({
      namespace: 'holdfast-system',
      values: {
        metrics: {
          service: true,
          secure: true,
          serviceMonitor: { enabled: true },
          prometheusRule: { enabled: true },
        },
        pvReclaimHonor: { drivers: [exampleDriver] },
      },
    });
    const expected = await kustomize({
      resources: ['all'],
      components: ['monitoring', 'monitoring/prometheus-operator', 'secure-metrics'],
      namespace: 'holdfast-system',
    });
    const withoutDriver = rendered
      .map(idOf)
      // Alerts are of all drivers.
      .map((id) => id.replace(/-example$/, ''));
    expect(withoutDriver.toSorted()).toEqual(expected.map(idOf).toSorted());
    expect(withoutDriver).toContain(reader);
  });

  test('metrics over TLS for the Prometheus operator -> monitors as docs/monitoring.md patches them, selected by your Prometheus', async () => {
    const rendered = await template({
      namespace: 'holdfast-system',
      values: {
        nameSuffix: '-one',
        metrics: {
          service: true,
          secure: true,
          serviceMonitor: { enabled: true, labels: { release: 'main' }, interval: '30s' },
          prometheusRule: { enabled: true, labels: { release: 'main' } },
        },
      },
    });
    const monitors = ofKind(rendered, 'ServiceMonitor');
    expect(monitors).toHaveLength(3);
    for (const { spec } of monitors) {
      expect(spec?.['endpoints']).toMatchObject([
        {
          port: 'metrics',
          interval: '30s',
          scheme: 'https',
          tlsConfig: { insecureSkipVerify: true },
          bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        },
      ]);
      const { matchLabels } = spec?.['selector'] as { matchLabels: Readonly<Record<string, string>> };
      const selected = ofKind(rendered, 'Service').filter(({ metadata }) =>
        Object.entries(matchLabels).every(([name, value]) => metadata.labels?.[name] === value),
      );
      expect(selected).toHaveLength(1);
    }
    for (const { metadata } of [...monitors, ...ofKind(rendered, 'PrometheusRule')]) {
      expect(metadata.labels).toMatchObject({ release: 'main', 'app.kubernetes.io/part-of': 'holdfast' });
    }
  });

  test('runbooks of your own -> runbook_url leads there, for each alert', async () => {
    const runbooks = 'https://git.example.com/storage/holdfast/docs/runbooks/';
    const rendered = await template({
      namespace: 'storage',
      values: { metrics: { prometheusRule: { enabled: true, runbooks } } },
    });
    const urls = JSON.stringify(ofKind(rendered, 'PrometheusRule')).match(/"runbook_url":"[^"]+"/g) ?? [];
    expect(urls.length).toBeGreaterThan(10);
    const names = urls.map((url) => /"runbook_url":"(.+?)Holdfast\w+\.md"$/.exec(url)?.[1]);
    expect(new Set(names)).toEqual(new Set([runbooks]));
  });

  test('several drivers, a suffix -> HoldfastNoLeader asks for the leases that the processes take', async () => {
    const driver = (name: string) => ({ ...exampleDriver, name });
    const rendered = await template({
      namespace: 'storage',
      values: {
        nameSuffix: '-a',
        metrics: { prometheusRule: { enabled: true } },
        retroactiveDefaultSc: { enabled: false },
        pvReclaimHonor: { drivers: [driver('ebs'), driver('efs')] },
      },
    });
    const taken = ofKind(rendered, 'Deployment').flatMap((each) =>
      containersOf(each).flatMap(({ args = [] }) =>
        args.flatMap((arg) => /^--leader-elect-resource-name=(.*)$/.exec(arg)?.[1] ?? []),
      ),
    );
    const expressions = ofKind(rendered, 'PrometheusRule')
      .flatMap(({ spec }) => (spec as unknown as Rules).groups.flatMap(({ rules }) => rules))
      .flatMap(({ alert, expr }) => (alert === 'HoldfastNoLeader' ? [expr] : []));
    expect(expressions.filter((each) => each.includes('reclaim'))).toEqual([
      [
        'max by (namespace, name) (leader_election_master_status{name=~"holdfast-pv-reclaim-honor-ebs-a|holdfast-pv-reclaim-honor-efs-a"}) < 1',
        '  or absent(leader_election_master_status{name="holdfast-pv-reclaim-honor-ebs-a"}) or absent(leader_election_master_status{name="holdfast-pv-reclaim-honor-efs-a"})',
      ].join('\n'),
    ]);
    const asked = expressions.flatMap((each) => [...each.matchAll(/absent\([^"]*"([^"]*)"/g)]);
    expect(asked.map(([, lease]) => lease).toSorted()).toEqual(taken.toSorted());
  });

  test('a registry that ends with a slash -> images have one slash there', async () => {
    const rendered = await template({
      namespace: 'storage',
      values: { image: { registry: 'registry.example.com/' } },
    });
    expect(imagesOf(rendered)[0]).toMatch(/^registry\.example\.com\/pvc-protection:/);
  });

  test('the longest suffix, and a driver name beside it -> no name is too long for its kind', async () => {
    const nameSuffix = `-${'s'.repeat(19)}`;
    const driver = { ...exampleDriver, name: 'd'.repeat(16) };
    const common = { nameSuffix, metrics: { service: true }, pvReclaimHonor: { drivers: [driver] } };
    const leaving = {
      ...common,
      pvcProtection: { leave: true },
      statefulsetPvcRetention: { leave: true },
      pvReclaimHonor: { leave: true, drivers: [driver] },
    };
    const rendered = [
      ...(await template({ namespace: 'storage', values: common })),
      ...(await template({ namespace: 'storage', values: leaving })),
    ];
    const labels = rendered.filter(({ kind }) => ['Service', 'Job', 'Deployment'].includes(kind));
    expect(ofKind(labels, 'Job')).toHaveLength(3);
    expect(labels.map(({ metadata }) => metadata.name).filter((name) => name.length > 63)).toStrictEqual([]);
  });

  /** What docs/install.md has for several drivers in one namespace, in a kustomization. */
  const oneOfSeveral = {
    namespace: 'csi',
    nameSuffix: '-example',
    labels: [{ pairs: { 'app.kubernetes.io/instance': 'example' }, includeSelectors: true }],
    patches: [
      {
        target: { kind: 'Role', name: 'pv-reclaim-honor-(leader|uninstall)' },
        patch:
          '[{ "op": "replace", "path": "/rules/1/resourceNames/0", "value": "holdfast-pv-reclaim-honor-example" }]',
      },
      {
        target: { kind: 'Deployment|Job' },
        patch:
          '[{ "op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": "--leader-elect-resource-name=holdfast-pv-reclaim-honor-example" }]',
      },
    ],
  };

  test('a driver beside its controller -> the same objects as kustomize makes with suffix, label and lease of its own', async () => {
    const expected = await kustomize({ ...oneOfSeveral, resources: ['pv-reclaim-honor/sidecar'] });
    const rendered = await template({
      namespace: 'csi',
      values: { ...others('pvReclaimHonor'), pvReclaimHonor: { drivers: [exampleDriver] } },
    });
    expect(byId(rendered)).toEqual(byId(expected));
  });

  test('hostPath volumes of a node -> the same objects as kustomize makes, but for the names that keep a sidecar apart', async () => {
    const expected = await kustomize({ ...oneOfSeveral, resources: ['pv-reclaim-honor/standalone'] });
    const drivers = [{ name: 'example', standalone: { hostPathRoot: '/tmp/hostpath_pv' } }];
    const rendered = await template({
      namespace: 'csi',
      values: { ...others('pvReclaimHonor'), pvReclaimHonor: { drivers } },
    });
    // A driver's name keeps them apart in the chart.
    const named = JSON.parse(
      JSON.stringify(expected).replaceAll('honor-standalone-example', 'honor-example'),
    ) as Manifest[];
    expect(byId(rendered)).toEqual(byId(named));
  });

  test.each([
    ['pvcProtection', 'pvc-protection'],
    ['statefulsetPvcRetention', 'statefulset-pvc-retention'],
  ])('%s leaves -> the objects of its uninstall, and nothing that works', async (section, app) => {
    const values = { ...others(section), [section]: { leave: true } };
    const rendered = byId(await template({ namespace: 'holdfast-system', values }));
    const uninstall = byId(
      await kustomize({ resources: [`${app}/uninstall`], namespace: 'holdfast-system' }),
    );
    expect(rendered).toMatchObject(uninstall);
    const more = Object.keys(rendered).filter((id) => !(id in uninstall));
    expect(more.filter((id) => !/^(ServiceAccount|(Cluster)?Role(Binding)?) /.test(id))).toStrictEqual([]);
    // Its Job has the account of the controller.
    expect(more.length > 0).toBe(app === 'statefulset-pvc-retention');
  });

  test('pvReclaimHonor leaves -> the objects of its uninstall for each driver, with its lease', async () => {
    const expected = await kustomize({ ...oneOfSeveral, resources: ['pv-reclaim-honor/uninstall'] });
    const values = { ...others('pvReclaimHonor'), pvReclaimHonor: { leave: true, drivers: [exampleDriver] } };
    const rendered = await template({ namespace: 'csi', values });
    expect(rendered.map(idOf).toSorted()).toEqual(expected.map(idOf).toSorted());
    expect(containersOf(ofKind(rendered, 'Job')[0])).toEqual(containersOf(ofKind(expected, 'Job')[0]));
    expect(rightsOf(rendered, 'Role')).toEqual(rightsOf(expected, 'Role'));
  });

  test('leaves, and its flags are those of a dry run -> its Job writes: helm uninstall follows its completion', async () => {
    const values = { defaults: { flags: { 'dry-run': true } }, pvcProtection: { leave: true } };
    const [job] = ofKind(await template({ namespace: 'storage', values }), 'Job');
    expect(containersOf(job)).toMatchObject([{ args: ['--uninstall', '--dry-run=true', '--dry-run=false'] }]);
  });

  test.each([
    ['Deployment', false, ['--webhook-bind-address=:9443', '--webhook-self-signed']],
    ['Job', true, ['--uninstall']],
  ])('flags are emptied in both places -> the %s has only those of its form', async (kind, leave, args) => {
    const driver = { name: 'disks', standalone: { hostPathRoot: '/var/volumes' } };
    const values = {
      defaults: { flags: null },
      policies: { enabled: true },
      pvcProtection: { leave, flags: null },
      pvReclaimHonor: { enabled: true, flags: null, drivers: [driver] },
    };
    const [made] = ofKind(await template({ namespace: 'storage', values }), kind);
    expect(containersOf(made)).toMatchObject([{ args }]);
  });

  describe('notes', () => {
    /** `helm template` shows no notes, so a copy of the chart has them as an object. */
    const notesFor = async (values: object): Promise<string> => {
      const of = await mkdtemp(join(folder, 'notes-'));
      await cp(chart, of, { recursive: true });
      await cp(join(chart, 'templates/NOTES.txt'), join(of, 'notes'));
      const shown =
        'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: notes }\ndata: { notes: {{ tpl (.Files.Get "notes") . | toJson }} }\n';
      await writeFile(join(of, 'templates/shown.yaml'), shown);
      const rendered = await template({ namespace: 'storage', values, of });
      const maps = ofKind(rendered, 'ConfigMap') as readonly (Manifest & {
        readonly data: Readonly<Record<string, string>>;
      })[];
      return maps.find(({ metadata }) => metadata.name === 'notes')?.data['notes'] ?? '';
    };
    const leave = /First set to true \(docs\/leave\.md\):\n(.*)/;

    test.each<{ readonly what: string; readonly values: object; readonly first: string | undefined }>([
      { what: 'default values', values: {}, first: 'pvcProtection.leave, statefulsetPvcRetention.leave' },
      {
        what: 'one leaves, two drivers',
        values: {
          pvcProtection: { leave: true },
          pvReclaimHonor: { drivers: [exampleDriver, { ...exampleDriver, name: 'other' }] },
        },
        first: 'statefulsetPvcRetention.leave, pvReclaimHonor.leave',
      },
      { what: 'retroactive-default-sc alone', values: others('retroactiveDefaultSc'), first: undefined },
    ])('$what -> name the values to set before an uninstall: $first', async ({ values, first }) => {
      const notes = await notesFor(values);
      expect(leave.exec(notes)?.[1]).toBe(first);
      expect(notes.includes('Before you uninstall')).toBe(first !== undefined);
    });

    test('pv-reclaim-honor leaves, and no driver is left -> said that there is no Job', async () => {
      const values = { pvReclaimHonor: { leave: true } };
      expect(ofKind(await template({ namespace: 'storage', values }), 'Job')).toStrictEqual([]);
      expect(await notesFor(values)).toContain('pvReclaimHonor.leave makes no Job');
    });

    test.each<readonly [what: string, values: object, may: string | undefined]>([
      ['one namespace, its own', { namespaces: ['storage'] }, undefined],
      ['two of others', { namespaces: ['team-a', 'team-b'] }, undefined],
      ['its own and another', { namespaces: ['team-a', 'storage'] }, 'the claims of the other namespaces'],
      [
        'its own, with a driver',
        { namespaces: ['storage'], pvReclaimHonor: { drivers: [exampleDriver] } },
        'all volumes of the cluster',
      ],
      [
        'one of others, with a driver',
        { namespaces: ['team-a'], pvReclaimHonor: { drivers: [exampleDriver] } },
        undefined,
      ],
    ])('namespaces: %s -> warned of who may act as its accounts or not', async (_, values, may) => {
      const warning =
        /as the role edit allows, can act as the accounts of this release,\nwhich may write (.*?)[,.]/;
      expect(warning.exec(await notesFor(values))?.[1]).toBe(may);
    });
  });

  test('policies -> the same objects as kustomize makes', async () => {
    const rendered = await template({
      namespace: 'storage',
      values: {
        policies: { enabled: true, deletionProtection: true },
        pvReclaimHonor: { drivers: [exampleDriver] },
      },
    });
    const expected = await build(await writeOverlay(folder, { resources: ['policies'] }));
    const ofPolicies = rendered.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
    // kustomize breaks the lines of an expression anew; CEL does not mind.
    const unbroken = (manifests: readonly Manifest[]): unknown =>
      JSON.parse(JSON.stringify(byId(manifests)).replaceAll(/(\\n|\s)+/g, ' '));
    expect(unbroken(ofPolicies)).toEqual(unbroken(expected));
  });

  test('policies, where what a controller may change is wider by its values -> as wide, and no wider', async () => {
    const rendered = await template({
      namespace: 'storage',
      values: {
        policies: { enabled: true },
        statefulsetPvcRetention: {
          gates: { CollectMissedScaleDown: true },
          workloads: ['apps/v1/StatefulSet', 'apps.kruise.io/v1beta1/CloneSet'],
        },
        pvReclaimHonor: { drivers: [{ ...exampleDriver, flags: { 'csi-finalizer': 'example.com/hold' } }] },
      },
    });
    const text = JSON.stringify(rendered);
    expect(text).toContain("['Pod', 'StatefulSet', 'CloneSet']");
    expect(text).not.toContain("['Pod', 'StatefulSet']");
    expect(
      text.split("'holdfast.dev/undo-window', 'example.com/hold', 'holdfast.dev/host-path']"),
    ).toHaveLength(3);
    expect(text).not.toContain('holdfast-statefulset-pvc-retention-delete');
    expect(rightsOf(rendered, 'ClusterRole')).toContain(' get,list,watch clonesets');
  });

  const imagesOf = (rendered: readonly Manifest[]): readonly string[] =>
    ofKind(rendered, 'Deployment')
      .map((deployment) => containersOf(deployment)[0]?.image ?? '')
      .toSorted();

  test('tags of single controllers and of a driver -> each image has its own', async () => {
    const rendered = await template({
      namespace: 'storage',
      values: {
        image: { registry: 'registry.example.com/storage' },
        pvcProtection: { image: { tag: '0.7.1' } },
        retroactiveDefaultSc: { enabled: false },
        statefulsetPvcRetention: { image: { tag: '0.8.2' } },
        pvReclaimHonor: {
          image: { tag: '0.9.0' },
          drivers: [exampleDriver, { ...exampleDriver, name: 'other', image: { tag: '0.9.1' } }],
        },
      },
    });
    expect(imagesOf(rendered)).toEqual([
      'registry.example.com/storage/pv-reclaim-honor:0.9.0',
      'registry.example.com/storage/pv-reclaim-honor:0.9.1',
      'registry.example.com/storage/pvc-protection:0.7.1',
      'registry.example.com/storage/statefulset-pvc-retention:0.8.2',
    ]);
  });

  test('image.tag -> the tag of all images', async () => {
    const rendered = await template({ namespace: 'storage', values: { image: { tag: 'mine' } } });
    expect(imagesOf(rendered)).toEqual([
      'holdfast/pvc-protection:mine',
      'holdfast/retroactive-default-sc:mine',
      'holdfast/statefulset-pvc-retention:mine',
    ]);
  });

  test('any release name and namespace -> the namespace is everywhere, the name nowhere', async () => {
    const values = {
      metrics: { service: true, serviceMonitor: { enabled: true } },
      pvReclaimHonor: { drivers: [exampleDriver] },
    };
    const rendered = await template({ namespace: 'storage-x', values });
    const text = JSON.stringify(rendered);
    expect(text).not.toMatch(/holdfast-(system|storage)/);
    expect(text.replaceAll('storage-x', '')).not.toMatch(/"storage"/);
    for (const { subjects = [], webhooks = [] } of rendered) {
      const named = [...subjects, ...webhooks.map(({ clientConfig }) => clientConfig.service)];
      expect(named.map(({ namespace }) => namespace)).toEqual(named.map(() => 'storage-x'));
    }
  });

  test('two installations with suffixes, two drivers each -> no object in common, each role and account is found', async () => {
    const [one, two] = await Promise.all(
      ['-one', '-two'].map((nameSuffix) =>
        template({
          namespace: 'storage',
          values: {
            nameSuffix,
            metrics: { service: true },
            pvReclaimHonor: { drivers: [exampleDriver, { ...exampleDriver, name: 'other' }] },
          },
        }),
      ),
    );
    const ids = new Set(Object.keys(byId(one ?? [])));
    expect(Object.keys(byId(two ?? [])).filter((id) => ids.has(id))).toStrictEqual([]);
    // In one namespace each must know its own pods.
    const selectors = [...(one ?? []), ...(two ?? [])]
      .filter(({ kind }) => ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy', 'Service'].includes(kind))
      .map(({ kind, metadata, spec }) => {
        const { selector, podSelector = selector } = spec as { selector?: object; podSelector?: object };
        return [
          kind,
          metadata.name.replace(/^holdfast-|-(metrics|webhook)/g, ''),
          JSON.stringify(podSelector),
        ];
      });
    expect(selectors.length).toBeGreaterThan(40);
    for (const [kind, name, selector] of selectors) {
      const alike = selectors.filter((other) => other[0] === kind && other[2] === selector);
      expect(new Set(alike.map((other) => other[1]))).toEqual(new Set([name]));
    }
    const names = new Set((one ?? []).map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    const used = (one ?? []).flatMap(({ roleRef, subjects = [] }) => [
      ...(roleRef === undefined ? [] : [`${roleRef.kind} ${roleRef.name}`]),
      ...subjects.map(({ kind, name }) => `${kind} ${name}`),
    ]);
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((id) => !names.has(id))).toStrictEqual([]);
    const leases = (one ?? []).flatMap(({ kind, rules = [] }) =>
      kind === 'Role'
        ? rules.flatMap(({ resources, resourceNames = [] }) =>
            resources?.includes('leases') === true ? resourceNames : [],
          )
        : [],
    );
    const elected = ofKind(one ?? [], 'Deployment').flatMap((deployment) =>
      (containersOf(deployment)[0]?.args ?? []).flatMap(
        (arg) => /^--leader-elect-resource-name=(.+)/.exec(arg)?.slice(1) ?? [],
      ),
    );
    expect(elected.toSorted()).toEqual(leases.toSorted());
    expect(new Set(elected).size).toBe(5);
  });

  test('some namespaces -> roles there, and in the cluster only what has no namespace', async () => {
    const rendered = await template({
      namespace: 'storage',
      values: {
        namespaces: ['team-a', 'team-b'],
        pvReclaimHonor: { drivers: [exampleDriver] },
        metrics: { secure: true },
      },
    });
    const inCluster = rightsOf(rendered, 'ClusterRole').map((right) => right.trim().split(' ')[1]);
    expect(new Set(inCluster)).toEqual(
      new Set([
        ...['persistentvolumes', 'volumeattachments', 'storageclasses', 'events'],
        ...['tokenreviews', 'subjectaccessreviews'],
      ]),
    );
    const inTeams = rightsOf(rendered, 'Role').filter((right) => right.startsWith('team-'));
    expect(inTeams.filter((right) => right.startsWith('team-a')).map((right) => right.slice(7))).toEqual(
      inTeams.filter((right) => right.startsWith('team-b')).map((right) => right.slice(7)),
    );
    expect(inTeams).toContain('team-a list,watch,patch persistentvolumeclaims');
    for (const { kind, metadata } of rendered) {
      expect([metadata.name, kind.endsWith('WebhookConfiguration')]).toEqual([metadata.name, false]);
    }
    expect(argsOf(rendered, 'pvc-protection')).toContain('--namespaces=team-a,team-b');
    expect(argsOf(rendered, 'pvc-protection').join(' ')).not.toContain('webhook');
  });

  test.each([
    ['a certificate of cert-manager', { webhook: { certManager: { enabled: true } } }],
    ['no webhook', { webhook: { enabled: false } }],
  ])('pvc-protection with %s -> no right on secrets and webhooks', async (_, pvcProtection) => {
    const rendered = await template({
      namespace: 'storage',
      values: { ...others('pvcProtection'), pvcProtection },
    });
    const rights = [...rightsOf(rendered, 'Role'), ...rightsOf(rendered, 'ClusterRole')];
    expect(rights.length).toBeGreaterThan(4);
    expect(rights.filter((right) => /secrets|webhook/.test(right))).toStrictEqual([]);
    expect(ofKind(rendered, 'Secret')).toStrictEqual([]);
  });

  test('flags and gates -> arguments, numbers written in full', async () => {
    const rendered = await template({
      namespace: 'storage',
      values: {
        defaults: { flags: { 'kube-api-qps': 1000000, 'log-level': 'debug' } },
        statefulsetPvcRetention: {
          gates: { DeletionGracePeriod: true, CollectMissedScaleDown: false },
          flags: { 'log-level': 'warn', 'yield-to-stock-controller': false },
        },
      },
    });
    expect(argsOf(rendered, 'retroactive-default-sc').slice(2)).toEqual([
      '--kube-api-qps=1000000',
      '--log-level=debug',
    ]);
    expect(argsOf(rendered, 'statefulset-pvc-retention').slice(2)).toEqual([
      '--feature-gates=CollectMissedScaleDown=false,DeletionGracePeriod=true',
      '--kube-api-qps=1000000',
      '--log-level=warn',
      '--yield-to-stock-controller=false',
    ]);
  });

  test('durations as a flag takes them -> arguments', async () => {
    const flags = {
      'leader-elect-lease-duration': '1.5h',
      'leader-elect-renew-deadline': '1m30s',
      'leader-elect-retry-period': '.5s',
    };
    const pvReclaimHonor = { flags: { 'csi-timeout': '250ms' }, drivers: [exampleDriver] };
    const rendered = await template({
      namespace: 'storage',
      values: { defaults: { flags }, pvReclaimHonor },
    });
    expect(argsOf(rendered, 'pv-reclaim-honor-example')).toEqual(
      expect.arrayContaining([
        '--leader-elect-lease-duration=1.5h',
        '--leader-elect-renew-deadline=1m30s',
        '--leader-elect-retry-period=.5s',
        '--csi-timeout=250ms',
      ]),
    );
  });

  test.each(['log-level', 'log-format', 'mode'])(
    '--%s -> the values that the chart takes are those that the controller takes',
    async (flag) => {
      const schema = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8')) as {
        readonly properties: {
          readonly pvReclaimHonor: {
            readonly properties: {
              readonly flags: {
                readonly properties: Readonly<Record<string, { readonly enum: readonly string[] }>>;
              };
            };
          };
        };
      };
      const choices = schema.properties.pvReclaimHonor.properties.flags.properties[flag]?.enum ?? [];
      const main = join(deploy, '../apps/pv-reclaim-honor/src/main.ts');
      const started = promisify(execFile)(process.execPath, [
        '--conditions=@holdfast/source',
        main,
        `--${flag}=none-of-them`,
      ]);
      await expect(started).rejects.toThrow(`expected one of ${choices.join(', ')}\n`);
    },
  );

  test.each<{ readonly what: string; readonly values: object; readonly says: RegExp }>([
    { what: 'a key that is not there', values: { pvcProtecton: {} }, says: /pvcProtecton/ },
    {
      what: 'a gate of another controller',
      values: { retroactiveDefaultSc: { gates: { LeakReport: true } } },
      says: /LeakReport/,
    },
    {
      what: 'a flag that no controller has',
      values: { defaults: { flags: { 'kube-api-qsp': 1 } } },
      says: /kube-api-qsp/,
    },
    {
      what: 'a flag that the chart sets by a value of its own',
      values: { pvcProtection: { flags: { 'feature-gates': 'A=true' } } },
      says: /feature-gates/,
    },
    {
      what: 'a number as a text',
      values: { pvcProtection: { flags: { 'kube-api-qps': '50' } } },
      says: /kube-api-qps/,
    },
    {
      what: 'a duration without a unit that there is',
      values: { pvcProtection: { flags: { 'leader-elect-lease-duration': '5x' } } },
      says: /leader-elect-lease-duration of pvc-protection: "5x" is no duration: .* for example 15s or 1m30s/,
    },
    {
      what: 'a number as a duration',
      values: { defaults: { flags: { 'leader-elect-retry-period': 2 } } },
      says: /leader-elect-retry-period of [a-z-]+: "2" is no duration/,
    },
    {
      what: 'a duration of zero',
      values: { pvReclaimHonor: { flags: { 'csi-timeout': '0s' }, drivers: [exampleDriver] } },
      says: /csi-timeout of pv-reclaim-honor-example: "0s" is no duration/,
    },
    {
      what: 'several replicas without leader election',
      values: { statefulsetPvcRetention: { replicas: 2, flags: { 'leader-elect': false } } },
      says: /statefulset-pvc-retention has 2 replicas, and with flag leader-elect off all of them would act/,
    },
    {
      what: 'a level that nothing is logged at',
      values: { defaults: { flags: { 'log-level': 'loud' } } },
      says: /log-level': value must be one of 'trace', 'debug', 'info', 'warn', 'error'/,
    },
    {
      what: 'a mode that pv-reclaim-honor does not have',
      values: { pvReclaimHonor: { flags: { mode: 'both' } } },
      says: /mode': value must be one of 'guard', 'reclaim'/,
    },
    {
      what: "a driver's name that is too long beside the suffix",
      values: {
        nameSuffix: `-${'s'.repeat(19)}`,
        pvReclaimHonor: { drivers: [{ ...exampleDriver, name: 'd'.repeat(17) }] },
      },
      says: /d{17}.*s{19}.*64 characters, and 63 is the most/,
    },
    {
      what: 'a driver that is neither beside its controller nor alone',
      values: { pvReclaimHonor: { drivers: [{ name: 'ebs' }] } },
      says: /drivers/,
    },
    {
      what: 'two drivers of one name',
      values: { pvReclaimHonor: { drivers: [exampleDriver, exampleDriver] } },
      says: /two are named example/,
    },
    {
      what: 'the guard without its webhook',
      values: { pvcProtection: { gates: { TerminatingClaimGuard: true }, webhook: { enabled: false } } },
      says: /needs the webhook/,
    },
    {
      what: 'a controller that is to leave, and is off',
      values: { pvcProtection: { enabled: false, leave: true } },
      says: /pvcProtection\.leave needs pvcProtection\.enabled/,
    },
    {
      what: 'a ServiceMonitor without a Service',
      values: { metrics: { serviceMonitor: { enabled: true } } },
      says: /set metrics\.service/,
    },
  ])('$what -> refused by name', async ({ values, says }) => {
    await expect(template({ namespace: 'storage', values })).rejects.toThrow(says);
  });
});
