import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import type { ConnectedClient } from '@holdfast/runtime';
import { loadAll } from 'js-yaml';
import { answerPreflight } from '../src/answers/preflight.ts';
import type { Access } from '../src/cluster/access.ts';
import { readImage, type Container, type Deployment } from '../src/cluster/deployment.ts';
import { judgeAtWork, type AtWork } from '../src/cluster/holdfast-at-work.ts';
import type { AppName, Release } from '../src/cluster/release.ts';
import { featureOf } from '../src/preflight/kubernetes-feature.ts';
import { installedOf } from '../src/preflight/installed.ts';
import { needsOf } from '../src/preflight/need.ts';
import { obstaclesOf, type Findings } from '../src/preflight/obstacles.ts';
import { judgeProvisioner, type ProvisionerFinding } from '../src/preflight/provisioner.ts';
import { accessesOf, ownAccesses, rules } from '../src/preflight/rights.ts';
import { preflightReport } from '../src/report/preflight-report.ts';
import { appNames } from '../src/survey/controllers.ts';
import { version } from '../src/version.ts';
import { now } from './objects.ts';

const releaseOf = (minor: number): Release => ({ minor, text: `v1.${String(minor)}.0` });

describe('feature of Kubernetes', () => {
  test.each([
    [22, undefined, 'absent', 'not in v1.22.0'],
    [26, undefined, 'off', "off by default in v1.26.0: the API server's metrics don't say"],
    [26, true, 'on', "on in the API server's metrics"],
    [31, undefined, 'on', "on by default in v1.31.0: the API server's metrics don't say"],
    [31, false, 'off', "off in the API server's metrics"],
    [36, undefined, 'on', 'always on in v1.36.0'],
  ] as const)(
    'StatefulSetAutoDeletePVC in 1.%i, gate of the API server %s -> %s',
    (minor, own, state, because) => {
      const gates = own === undefined ? undefined : new Map([['StatefulSetAutoDeletePVC', own]]);
      expect(featureOf('statefulset-pvc-retention', releaseOf(minor), gates)).toEqual({
        ...{ gate: 'StatefulSetAutoDeletePVC', state, because },
      });
    },
  );

  test.each([
    [true, 'on'],
    [undefined, 'unknown'],
  ] as const)('release that is not known, gate of the API server %s -> %s', (own, state) => {
    const gates = own === undefined ? undefined : new Map([['HonorPVReclaimPolicy', own]]);
    expect(featureOf('pv-reclaim-honor', undefined, gates).state).toBe(state);
  });
});

test.each([
  ['registry.k8s.io/sig-storage/csi-provisioner:v5.1.0', 'csi-provisioner', 'v5.1.0'],
  ['localhost:5000/csi-provisioner', 'csi-provisioner', undefined],
  ['a/b@sha256:0123', 'b', undefined],
  ['a/b:v1@sha256:0123', 'b', 'v1'],
])('image %s -> %s, tag %s', (image, name, tag) => {
  expect(readImage(image)).toEqual({ name, tag });
});

const provisionerOf = (tag: string, gates?: string): ProvisionerFinding =>
  judgeProvisioner({
    ...{ workload: 'deployment/csi-disks', namespace: 'storage' },
    image: `registry.example.com/mirrored-csi-provisioner:${tag}`,
    flags: new Map(gates === undefined ? [] : [['feature-gates', gates]]),
  });

test.each([
  ['v2.2.2', undefined, 'ignores'],
  ['v3.0.0', 'HonorPVReclaimPolicy=true', 'ignores'],
  ['v3.1.0', undefined, 'strips'],
  ['v3.6.4', 'Topology=true,HonorPVReclaimPolicy=true', 'strips'],
  ['v4.0.1', 'AllAlpha=true', 'strips'],
  ['v5.0.2', undefined, 'hangs'],
  ['v5.0.2', 'HonorPVReclaimPolicy=false', 'strips'],
  ['v5.1.0', undefined, 'honors'],
  ['v5.10.0-eks-1-33-2', undefined, 'honors'],
  ['v6.0.0', 'AllBeta=false', 'strips'],
  ['v6.0.0', 'AllBeta=false,HonorPVReclaimPolicy=true', 'honors'],
  ['latest', undefined, 'unknown'],
] as const)('csi-provisioner %s, --feature-gates=%s -> %s', (tag, gates, does) => {
  expect(provisionerOf(tag, gates).does).toBe(does);
});

const featuresIn = (minor: number): Findings['features'] =>
  Object.fromEntries(
    appNames.map((app) => [app, featureOf(app, releaseOf(minor), undefined)]),
  ) as Findings['features'];

test.each<readonly [AppName, number, readonly ProvisionerFinding[] | undefined, string]>([
  ['pvc-protection', 36, [], 'no'],
  ['statefulset-pvc-retention', 24, [], 'yes'],
  ['statefulset-pvc-retention', 31, [], 'no'],
  ['retroactive-default-sc', 25, [], 'noUse'],
  ['retroactive-default-sc', 27, [], 'no'],
  ['pv-reclaim-honor', 30, [provisionerOf('v5.1.0')], 'yes'],
  ['pv-reclaim-honor', 36, [provisionerOf('v5.1.0')], 'no'],
  ['pv-reclaim-honor', 36, [provisionerOf('v5.1.0'), provisionerOf('v3.6.0')], 'yes'],
  ['pv-reclaim-honor', 36, [provisionerOf('v5.1.0'), provisionerOf('main')], 'unknown'],
  ['pv-reclaim-honor', 36, [], 'unknown'],
  ['pv-reclaim-honor', 36, undefined, 'unknown'],
])('%s, Kubernetes 1.%i, provisioners %j -> needed: %s', (app, minor, provisioners, needed) => {
  expect(needsOf(featuresIn(minor), provisioners).find((each) => each.app === app)?.needed).toBe(needed);
});

interface Shape {
  readonly namespace?: string;
  readonly args?: readonly string[];
  readonly replicas?: number;
  readonly tag?: string;
  readonly beside?: readonly Container[];
}

function deploymentOf(app: AppName, shape: Shape = {}): Deployment {
  const { namespace = 'holdfast-system', args = [], replicas = 2, tag = version, beside = [] } = shape;
  return {
    metadata: {
      ...{ name: app, namespace, uid: `uid-of-${app}-${namespace}`, resourceVersion: '1' },
      labels: { 'app.kubernetes.io/name': app, 'app.kubernetes.io/part-of': 'holdfast' },
    },
    spec: {
      replicas,
      template: {
        spec: {
          serviceAccountName: app,
          containers: [{ name: app, image: `holdfast/${app}:${tag}`, args }, ...beside],
        },
      },
    },
    status: { readyReplicas: replicas },
  };
}

test('csi-provisioner beside the controller, both with --feature-gates -> the flags of each are its own', () => {
  const deployment = deploymentOf('pv-reclaim-honor', {
    args: ['--feature-gates=ReclaimGracePeriod=true'],
    beside: [{ name: 'csi-provisioner', args: ['--feature-gates=HonorPVReclaimPolicy=false'] }],
  });
  const { flags } = judgeAtWork('pv-reclaim-honor', { leases: [], deployments: [deployment] }, 0);
  expect(flags.get('feature-gates')).toBe('ReclaimGracePeriod=true');
  expect(installedOf([deployment])[0]?.flags).toEqual(flags);
});

const allAtWork = Object.fromEntries(
  appNames.map((app) => [app, { state: 'atWork', isDeployed: true, flags: new Map(), because: '' } as const]),
) as unknown as Findings['atWork'];

describe('in the way', () => {
  const obstacles = (
    deployed: readonly Deployment[],
    { minor = 36, provisioners = [], ...own }: Partial<Findings> & { readonly minor?: number } = {},
  ): readonly string[] => {
    const installed = installedOf(deployed);
    return obstaclesOf({
      ...{ features: featuresIn(minor), provisioners, installed, version, ownLacking: [] },
      atWork: allAtWork,
      lacking: new Map(installed.map(({ namespace, name }) => [`${namespace}/${name}`, []])),
      ...own,
    }).map(({ level, what }) => `${level}: ${what}`);
  };
  const reclaim = (...args: readonly string[]) => [
    deploymentOf('pv-reclaim-honor', { args: ['--csi-address=unix:///csi/csi.sock', ...args] }),
  ];
  const shared = [provisionerOf('v3.6.0')];
  const beside = (...args: readonly string[]) => [
    deploymentOf('pv-reclaim-honor', { args }),
    deploymentOf('pv-reclaim-honor', { namespace: 'storage', args: ['--host-path-root=/srv'] }),
  ];
  const named = (name: string, args: readonly string[] = [], replicas = 2): Deployment => {
    const other = deploymentOf('pvc-protection', { args, replicas });
    return { ...other, metadata: { ...other.metadata, name, uid: name } };
  };

  test('one of several Deployments is not at work -> said which, and commands for it alone', () => {
    const installed = installedOf([
      deploymentOf('pvc-protection', { namespace: 'storage' }),
      deploymentOf('pvc-protection', { namespace: 'shop', args: ['--namespaces=shop'] }),
    ]);
    const [one, other] = (['storage', 'shop'] as const).map((namespace): AtWork => ({
      state: namespace === 'shop' ? 'atWork' : 'absent',
      ...{ isDeployed: true, deployment: `${namespace}/pvc-protection`, because: 'no lease' },
      flags: new Map(),
    }));
    const atWork = { ...allAtWork, 'pvc-protection': { ...other, others: [one] } } as Findings['atWork'];
    const found = obstaclesOf({
      ...{ features: featuresIn(36), provisioners: [], installed, atWork, version, ownLacking: [] },
      lacking: new Map(installed.map((each) => [`${each.namespace}/${each.name}`, []])),
    });
    expect(found[0]).toEqual({
      level: 'stops',
      what: 'pvc-protection is deployed as storage/pvc-protection, and not at work: no lease',
      wayOut:
        'kubectl describe pods -l app.kubernetes.io/name=pvc-protection -n storage; kubectl logs deployment/pvc-protection -n storage',
    });
  });

  test('deployed and not at work -> commands that kubectl knows: describe takes all namespaces, logs takes one', () => {
    const installed = installedOf([deploymentOf('pvc-protection', { namespace: 'storage' })]);
    const absent: AtWork = { state: 'absent', isDeployed: true, flags: new Map(), because: 'no lease' };
    const atWork = Object.fromEntries(appNames.map((app) => [app, absent])) as unknown as Findings['atWork'];
    const found = obstaclesOf({
      ...{ features: featuresIn(36), provisioners: [], installed, atWork, version, ownLacking: [] },
      lacking: new Map([['storage/pvc-protection', []]]),
    });
    expect(found.map(({ wayOut }) => wayOut)).toEqual([
      'kubectl describe pods -l app.kubernetes.io/name=pvc-protection -A; kubectl logs -l app.kubernetes.io/name=pvc-protection -n storage',
    ]);
  });

  test.each<readonly [string, readonly Deployment[]]>([
    ['in one namespace', [deploymentOf('pvc-protection'), named('pvc-protection-b')]],
    [
      'in a namespace that both name',
      ['a', 'b'].map((namespace) =>
        deploymentOf('pvc-protection', { namespace, args: ['--leader-elect-resource-namespace=leases'] }),
      ),
    ],
  ])('deployed twice, with one lease %s -> nothing: one of them acts', (_, deployed) => {
    expect(obstacles(deployed)).toStrictEqual([]);
  });

  test('all deployed once, with all permissions -> nothing', () => {
    expect(obstacles(appNames.map((app) => deploymentOf(app)))).toStrictEqual([]);
  });

  test.each<readonly [string, readonly Deployment[], Parameters<typeof obstacles>[1], RegExp]>([
    [
      'provisioner strips the shared finalizer',
      reclaim(),
      { provisioners: shared },
      /^stops: csi-provisioner of storage\/deployment\/csi-disks .* takes off the finalizer/,
    ],
    [
      'provisioner deletes by itself, mode reclaim',
      reclaim(),
      { provisioners: [provisionerOf('v5.1.0')] },
      /^look: .* deletes storage as pv-reclaim-honor in holdfast-system does/,
    ],
    [
      'retention does not yield, stock controller at work',
      [deploymentOf('statefulset-pvc-retention', { args: ['--yield-to-stock-controller=false'] })],
      {},
      /^stops: .* both write the owner references/,
    ],
    [
      'two namespaces, no --namespaces',
      [deploymentOf('pvc-protection'), deploymentOf('pvc-protection', { namespace: 'other' })],
      {},
      /^stops: pvc-protection is deployed as holdfast-system\/pvc-protection and as other\/pvc-protection, and both/,
    ],
    [
      'one namespace, each with a lease of its own',
      [deploymentOf('pvc-protection'), named('pvc-protection-b', ['--leader-elect-resource-name=b'])],
      {},
      /^stops: pvc-protection is deployed as holdfast-system\/pvc-protection and as holdfast-system\/pvc-protection-b, and both look after the same namespaces$/,
    ],
    [
      'one namespace, one without leader election',
      [deploymentOf('pvc-protection'), named('pvc-protection-b', ['--leader-elect=false'], 1)],
      {},
      /^stops: pvc-protection is deployed as holdfast-system\/pvc-protection and as/,
    ],
    [
      'a process for the folders of a node, beside one for a driver that handles folders as well',
      beside('--csi-address=/csi.sock'),
      {},
      /^stops: pv-reclaim-honor is deployed as .* and both look after the same namespaces$/,
    ],
    [
      'two replicas without leader election',
      [deploymentOf('pvc-protection', { args: ['--leader-elect=false'] })],
      {},
      /^stops: 2 replicas of pvc-protection in holdfast-system all act/,
    ],
    [
      'namespaces that do not exist',
      [deploymentOf('pvc-protection', { args: ['--namespaces=shop,shpo,shop2'] })],
      { existing: new Set(['shop']) },
      /^look: pvc-protection in holdfast-system is to work in 2 namespaces that do not exist: shpo, shop2$/,
    ],
    [
      'flags in a file',
      [deploymentOf('pvc-protection', { args: ['--config=/etc/holdfast.yaml'] })],
      {},
      /^look: not all flags of pvc-protection in holdfast-system are known: --config names a file/,
    ],
    [
      'another version',
      [deploymentOf('pvc-protection', { tag: 'v0.0.9' })],
      {},
      /^look: pvc-protection in holdfast-system is of version v0\.0\.9/,
    ],
    [
      'service account lacks a permission',
      [deploymentOf('pvc-protection')],
      {
        lacking: new Map([
          [
            'holdfast-system/pvc-protection',
            [{ verb: 'patch', group: '', resource: 'persistentvolumeclaims' }],
          ],
        ]),
      },
      /^stops: pvc-protection in holdfast-system may not patch persistentvolumeclaims$/,
    ],
    [
      'permissions of others are not told',
      [deploymentOf('pvc-protection')],
      { lacking: new Map() },
      /^look: whether pvc-protection in holdfast-system has its permissions is not known/,
    ],
    [
      'own permission is missing',
      [],
      { ownLacking: ownAccesses.slice(3, 4).map(({ access }) => access) },
      /^look: you may not list persistentvolumes in all namespaces/,
    ],
  ])('%s -> said', (_, deployed, own, words) => {
    expect(obstacles(deployed, own)).toEqual([expect.stringMatching(words)]);
  });

  test.each<readonly [string, readonly Deployment[], Parameters<typeof obstacles>[1]]>([
    ['finalizer of its own', reclaim('--csi-finalizer=example.com/reclaim'), { provisioners: shared }],
    ['mode guard', reclaim('--mode=guard'), { provisioners: [provisionerOf('v5.1.0')] }],
    ['no CSI driver', [deploymentOf('pv-reclaim-honor')], { provisioners: shared }],
    [
      'retention does not yield, no stock controller',
      [deploymentOf('statefulset-pvc-retention', { args: ['--yield-to-stock-controller=false'] })],
      { minor: 24 },
    ],
    [
      'namespaces that exist',
      [deploymentOf('pvc-protection', { args: ['--namespaces=shop'] })],
      { existing: new Set(['shop', 'other']) },
    ],
    [
      'namespaces of which it is not known whether they exist',
      [deploymentOf('pvc-protection', { args: ['--namespaces=shop'] })],
      {},
    ],
    [
      'two namespaces, parted',
      ['a', 'b'].map((namespace) =>
        deploymentOf('pvc-protection', { namespace, args: [`--namespaces=${namespace}`] }),
      ),
      {},
    ],
    [
      'a process for each driver',
      ['a', 'b'].map((namespace) =>
        deploymentOf('pv-reclaim-honor', { namespace, args: ['--csi-address=/csi.sock'] }),
      ),
      {},
    ],
    [
      'a process for the folders of a node, beside one for a driver',
      beside('--csi-address=/csi.sock', '--host-path-root=none'),
      {},
    ],
  ])('%s -> nothing', (_, deployed, own) => {
    expect(obstacles(deployed, own)).toStrictEqual([]);
  });
});

test('two Deployments of a controller, one at work -> each is judged by its own lease', () => {
  const deployed = ['a', 'b'].map((namespace) => deploymentOf('pvc-protection', { namespace }));
  const held = {
    metadata: { name: 'holdfast-pvc-protection', namespace: 'b', uid: 'uid-of-lease', resourceVersion: '1' },
    spec: { holderIdentity: 'b-1', renewTime: new Date(now).toISOString(), leaseDurationSeconds: 15 },
  };
  const report = preflightReport({
    ...{ release: releaseOf(36), serverGates: undefined, features: featuresIn(36), needs: [] },
    ...{ provisioners: [], installed: installedOf(deployed), obstacles: [] },
    atWork: {
      ...allAtWork,
      'pvc-protection': judgeAtWork('pvc-protection', { leases: [held], deployments: deployed }, now),
    },
  });
  expect(report.object).toMatchObject({
    installed: [
      { namespace: 'a', atWork: 'absent' },
      { namespace: 'b', atWork: 'atWork' },
    ],
  });
});

describe('permissions of the controllers', () => {
  const folders: Readonly<Record<AppName, string>> = {
    'pvc-protection': 'pvc-protection',
    'statefulset-pvc-retention': 'statefulset-pvc-retention',
    'pv-reclaim-honor': 'pv-reclaim-honor/base',
    'retroactive-default-sc': 'retroactive-default-sc',
  };
  interface ClusterRole {
    readonly kind: string;
    readonly rules: readonly {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
      readonly resourceNames?: readonly string[];
    }[];
  }

  test.each(appNames)('%s -> those of its ClusterRole', (app) => {
    const file = join(import.meta.dirname, '../../../deploy', folders[app], 'role.yaml');
    const roles = loadAll(readFileSync(file, 'utf8')) as unknown as readonly ClusterRole[];
    const installed = roles
      .filter(({ kind }) => kind === 'ClusterRole')
      .flatMap((role) => role.rules)
      .filter(({ resourceNames }) => resourceNames === undefined)
      .map(({ apiGroups, resources, verbs }) => ({ group: apiGroups[0], resource: resources[0], verbs }));
    const inOrder = (all: readonly { readonly resource?: string | undefined }[]) =>
      all.toSorted((a, b) => ((a.resource ?? '') < (b.resource ?? '') ? -1 : 1));
    expect(inOrder(rules[app])).toEqual(inOrder(installed));
  });

  test('some namespaces -> asked for in each, but for what has no namespace; the lease at home', () => {
    const [installed] = installedOf([
      deploymentOf('retroactive-default-sc', { namespace: 'home', args: ['--namespaces=a,b'] }),
    ]);
    const accesses = installed === undefined ? [] : accessesOf(installed);
    const of = (resource: string) =>
      accesses.flatMap((each) => (each.resource === resource ? [[each.verb, each.namespace]] : []));
    expect(of('storageclasses')).toEqual([
      ['list', undefined],
      ['watch', undefined],
    ]);
    expect(of('events')).toEqual(
      ['create', 'patch'].flatMap((verb) => ['a', 'b'].map((namespace) => [verb, namespace])),
    );
    expect(of('leases')).toEqual(['create', 'get', 'patch'].map((verb) => [verb, 'home']));
  });

  test.each([
    ['claim-unused-condition', '--feature-gates=ClaimUnusedCondition=true'],
    ['terminating-claim-guard', '--feature-gates=TerminatingClaimGuard=true'],
  ])('gate of component %s on -> those of its ClusterRole, too', (component, gate) => {
    const file = join(import.meta.dirname, '../../../deploy/pvc-protection', component, 'role.yaml');
    const roles = loadAll(readFileSync(file, 'utf8')) as unknown as readonly ClusterRole[];
    const needed = roles
      .filter(({ kind }) => kind === 'ClusterRole')
      .flatMap(({ rules: own }) => own)
      .filter(({ resourceNames }) => resourceNames === undefined)
      .flatMap(({ resources, verbs }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
      );
    const asked = (...args: readonly string[]): readonly string[] =>
      installedOf([deploymentOf('pvc-protection', { args })]).flatMap((each) =>
        accessesOf(each).map(({ verb, resource }) => `${verb} ${resource}`),
      );
    const [without, withGate] = [asked(), asked(gate, '--webhook-bind-address=:9443')];
    expect(withGate.filter((each) => !without.includes(each)).toSorted()).toEqual(needed.toSorted());
  });

  test('no leader election -> no lease is asked for', () => {
    const [installed] = installedOf([deploymentOf('pvc-protection', { args: ['--leader-elect=false'] })]);
    const asked = installed === undefined ? [] : accessesOf(installed);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ resource }) => resource === 'leases')).toStrictEqual([]);
  });

  test.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'its own certificate',
      ['--webhook-bind-address=:9443', '--webhook-self-signed'],
      ['home/holdfast-pvc-protection-webhook', '/holdfast-pvc-protection'],
    ],
    [
      'its own, under other names',
      [
        '--webhook-bind-address=:9443',
        '--webhook-self-signed',
        '--webhook-secret-name=s',
        '--webhook-namespace=n',
        '--webhook-configuration-name=c',
      ],
      ['n/s', '/c'],
    ],
    ['a certificate in files', ['--webhook-bind-address=:9443', '--webhook-cert-dir=/tls'], []],
    ['none, since it serves no webhook', ['--webhook-self-signed'], []],
    ['none, by the flag', ['--webhook-bind-address=0', '--webhook-self-signed'], []],
  ])('webhooks with %s -> Secret and configuration are asked for by name', (_, args, named) => {
    const [installed] = installedOf([deploymentOf('pvc-protection', { namespace: 'home', args })]);
    const asked = installed === undefined ? [] : accessesOf(installed);
    const ofWebhooks = asked.filter(({ resource }) => /^(secrets|mutatingwebhook)/.test(resource));
    expect(
      ofWebhooks.map(({ verb, namespace = '', name }) => `${verb} ${namespace}/${String(name)}`),
    ).toEqual(named.flatMap((each) => [`get ${each}`, `patch ${each}`]));
  });

  test.each<readonly [string, string, string, readonly string[]]>([
    ['none', 'home', 'holdfast-pv-reclaim-honor', []],
    ['a name', 'home', 'other', ['--leader-elect-resource-name=other']],
    ['a namespace', 'leases', 'holdfast-pv-reclaim-honor', ['--leader-elect-resource-namespace=leases']],
  ])('flags that state of the lease %s -> asked for in %s, by name %s', (_, where, name, args) => {
    const [installed] = installedOf([deploymentOf('pv-reclaim-honor', { namespace: 'home', args })]);
    const asked = installed === undefined ? [] : accessesOf(installed);
    expect(asked.filter(({ resource }) => resource === 'leases')).toEqual([
      { verb: 'create', group: 'coordination.k8s.io', resource: 'leases', namespace: where },
      { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: where, name },
      { verb: 'patch', group: 'coordination.k8s.io', resource: 'leases', namespace: where, name },
    ]);
  });
});

describe('answer', () => {
  /** A cluster with one Deployment, and metrics or none. */
  const clientOf = (deployed: readonly Deployment[], allowed: boolean): ConnectedClient =>
    ({
      document: () => Promise.resolve({ gitVersion: 'v1.31.0' }),
      text: () =>
        Promise.resolve(
          '# TYPE kubernetes_feature_enabled gauge\nkubernetes_feature_enabled{name="StatefulSetAutoDeletePVC",stage="BETA"} 0\n',
        ),
      list: ({ plural }: { readonly plural: string }) =>
        Promise.resolve({ metadata: {}, items: plural === 'deployments' ? deployed : [] }),
      listPages: async function* () {
        yield await Promise.resolve({ metadata: {}, items: [] });
      },
      create: () => Promise.resolve({ status: { allowed } }),
      serverTime: () => undefined,
    }) as unknown as ConnectedClient;

  test('nothing deployed -> what is needed, exit code 0', async () => {
    const { code, names, object } = await answerPreflight(clientOf([], true));
    expect({ code, names }).toEqual({ code: 0, names: ['controller/statefulset-pvc-retention'] });
    expect(object).toMatchObject({ kind: 'Preflight', gatesFrom: 'apiServerMetrics', obstacles: [] });
  });

  test('a container of a CSI driver holds the lease -> not said that nothing is deployed, nor that all is well', async () => {
    const held = {
      metadata: { name: 'holdfast-pv-reclaim-honor', namespace: 'drivers', uid: 'l', resourceVersion: '1' },
      spec: {
        holderIdentity: 'csi-driver-0',
        leaseDurationSeconds: 15,
        renewTime: new Date(Date.now()).toISOString(),
      },
    };
    const list = ({ plural }: { readonly plural: string }) =>
      Promise.resolve({ metadata: {}, items: plural === 'leases' ? [held] : [] });
    const client = { ...clientOf([], true), list } as unknown as ConnectedClient;
    const { code, object, parts } = await answerPreflight(client);
    expect(code).toBe(0);
    expect(object).toMatchObject({
      obstacles: [
        {
          level: 'look',
          what: 'pv-reclaim-honor is at work, and its version, flags and permissions are not checked: csi-driver-0 holds lease drivers/holdfast-pv-reclaim-honor; its flags are not known: no deployment is labelled as its own',
        },
      ],
    });
    expect(JSON.stringify(parts)).not.toMatch(/No controller of Holdfast|Nothing stands/);
  });

  test('works in many namespaces, with permissions of the whole cluster -> asked once for all namespaces', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `team-${String(index)}`);
    const deployed = deploymentOf('pvc-protection', { args: [`--namespaces=${names.join(',')}`] });
    const create = jest.fn(() => Promise.resolve({ status: { allowed: true } }));
    await answerPreflight({ ...clientOf([deployed], true), create } as unknown as ConnectedClient);
    expect(create.mock.calls.length).toBeLessThan(50);
  });

  test('gate ClaimUnusedCondition on -> the review names the subresource', async () => {
    const deployed = deploymentOf('pvc-protection', { args: ['--feature-gates=ClaimUnusedCondition=true'] });
    const create = (_resource: unknown, _namespace: unknown, { spec }: { readonly spec: object }) =>
      Promise.resolve({ status: { allowed: !JSON.stringify(spec).includes('"subresource":"status"') } });
    const client = { ...clientOf([deployed], true), create } as unknown as ConnectedClient;
    const { object } = await answerPreflight(client);
    expect(object).toMatchObject({
      obstacles: expect.arrayContaining([
        expect.objectContaining({
          what: 'pvc-protection in holdfast-system may not patch persistentvolumeclaims/status',
        }),
      ]),
    });
  });

  test('works in two namespaces, with permissions in one -> named for the other', async () => {
    const deployed = deploymentOf('pvc-protection', { args: ['--namespaces=shop,other'] });
    const create = (
      _resource: unknown,
      _namespace: unknown,
      { spec }: { readonly spec: { readonly resourceAttributes: Access; readonly user?: string } },
    ) => {
      const { namespace, resource } = spec.resourceAttributes;
      const allowed = spec.user === undefined || namespace === 'shop' || resource !== 'pods';
      return Promise.resolve({ status: { allowed } });
    };
    const client = { ...clientOf([deployed], true), create } as unknown as ConnectedClient;
    const { object } = await answerPreflight(client);
    expect(object).toMatchObject({
      obstacles: expect.arrayContaining([
        expect.objectContaining({
          what: 'pvc-protection in holdfast-system may not list pods in other, watch pods in other',
        }),
      ]),
    });
  });

  test('deployed for a namespace that does not exist -> said', async () => {
    const deployed = deploymentOf('pvc-protection', { args: ['--namespaces=shpo'] });
    const listPages = async function* ({ plural }: { readonly plural: string }) {
      const items = plural === 'namespaces' ? [{ metadata: { name: 'shop' } }] : [];
      yield await Promise.resolve({ metadata: {}, items });
    };
    const client = { ...clientOf([deployed], true), listPages } as unknown as ConnectedClient;
    const { object } = await answerPreflight(client);
    expect(object).toMatchObject({
      obstacles: expect.arrayContaining([
        expect.objectContaining({ what: expect.stringMatching(/that does not exist: shpo$/) }),
      ]),
    });
  });

  test('deployed without permissions -> exit code 3, named first', async () => {
    const { code, object } = await answerPreflight(clientOf([deploymentOf('pvc-protection')], false));
    expect(code).toBe(3);
    expect(object).toMatchObject({
      obstacles: expect.arrayContaining([
        expect.objectContaining({
          level: 'stops',
          what: expect.stringMatching(
            /^pvc-protection in holdfast-system may not list persistentvolumeclaims, /,
          ),
        }),
      ]),
    });
  });
});
