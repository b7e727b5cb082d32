import { describe, expect, test } from '@jest/globals';
import { statefulSets, type Lease } from '@holdfast/core';
import { gates as retentionGates } from '@holdfast/statefulset-pvc-retention/decide';
import { workloadNamed } from '../src/cluster/workload-kinds.ts';
import type { Container, Deployment } from '../src/cluster/deployment.ts';
import { atWorkIn } from '../src/cluster/at-work-in.ts';
import { gatesOf, hiddenAmong, judgeAtWork } from '../src/cluster/holdfast-at-work.ts';
import { stageIn, stockFeatures } from '../src/cluster/release.ts';
import { retainersOf, type Assumed } from '../src/cluster/retainers.ts';
import { claimWindowKeeper } from '../src/cluster/window-keeper.ts';
import { bySet, claimOf, kruise, namespace, now, setOf, worldOf } from './objects.ts';

const app = 'statefulset-pvc-retention';

function lease(
  renewTime: string,
  holderIdentity = 'pod-1',
  of = 'holdfast-system',
  name = `holdfast-${app}`,
): Lease {
  return {
    metadata: { name, namespace: of, uid: 'u', resourceVersion: '1' },
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
  };
}

function deployment(args: readonly string[], readyReplicas = 1, of = 'holdfast-system'): Deployment {
  return {
    metadata: {
      ...{ name: app, namespace: of, uid: 'u', resourceVersion: '1' },
      labels: { 'app.kubernetes.io/name': app },
    },
    spec: {
      template: {
        spec: { containers: [{ args, env: [{ name: 'HOLDFAST_FEATURE_GATES', value: 'AllAlpha=true' }] }] },
      },
    },
    status: { readyReplicas },
  };
}

const fresh = lease('2026-03-01T11:59:50.000000Z');
const expired = lease('2026-03-01T11:59:40.000000Z');

describe('statefulset-pvc-retention', () => {
  test.each<
    readonly [string, string, readonly Lease[] | undefined, readonly Deployment[] | 'unread' | undefined]
  >([
    ['lease renewed in time', 'atWork', [fresh], []],
    ['lease expired', 'absent', [expired], []],
    ['lease given back', 'absent', [lease('2026-03-01T11:59:50.000000Z', '')], []],
    ['no lease', 'absent', [], []],
    ['no lease, ready without election', 'atWork', [], [deployment(['--leader-elect=false'])]],
    ['no lease, not ready without election', 'absent', [], [deployment(['--leader-elect=false'], 0)]],
    ['lease renewed, dry run', 'absent', [fresh], [deployment(['--dry-run'])]],
    ['leases may not be listed', 'unknown', undefined, []],
    ['nothing may be listed', 'unknown', undefined, 'unread'],
    ['no lease, deployments may not be listed', 'unknown', [], 'unread'],
    ['no lease, deployments are not served', 'absent', [], undefined],
    ['lease renewed, deployments may not be listed', 'atWork', [fresh], 'unread'],
  ])('%s -> %s', (_, state, leases, deployments) => {
    expect(judgeAtWork(app, { leases, deployments }, now).state).toBe(state);
  });

  test('flags of arguments and environment -> the arguments win', () => {
    const { flags } = judgeAtWork(
      app,
      {
        leases: [fresh],
        deployments: [deployment(['--feature-gates=DeletionGracePeriod=true', '--namespaces', 'shop,bank'])],
      },
      now,
    );
    expect(flags.get('feature-gates')).toBe('DeletionGracePeriod=true');
    expect(flags.get('namespaces')).toBe('shop,bank');
  });

  test('gates of two components, each with a flag of its own -> both count', () => {
    const args = ['--feature-gates=DeletionGracePeriod=true', '--feature-gates=CollectMissedScaleDown=true'];
    const seen = judgeAtWork(app, { leases: [fresh], deployments: [deployment(args)] }, now);
    const gates = gatesOf(retentionGates, seen);
    expect([gates.enabled('DeletionGracePeriod'), gates.enabled('CollectMissedScaleDown')]).toEqual([
      true,
      true,
    ]);
  });

  test('flag with one value given twice -> the last one counts', () => {
    const args = ['--leader-elect=false', '--leader-elect=true'];
    const { flags } = judgeAtWork(app, { leases: [fresh], deployments: [deployment(args)] }, now);
    expect(flags.get('leader-elect')).toBe('true');
  });
});

describe('how long it waits after nobody led it for long', () => {
  const ledAgain = '2026-03-01T11:30:00.000Z';
  const hour = { kind: 'until', time: Date.parse('2026-03-01T12:30:00Z') };
  const none = { kind: 'none' };
  const again = (renewTime: string, holder?: string, of?: string, name?: string): Lease => {
    const { metadata, ...rest } = lease(renewTime, holder, of, name);
    return { ...rest, metadata: { ...metadata, annotations: { 'holdfast.dev/led-again': ledAgain } } };
  };
  const renewed = '2026-03-01T11:59:50.000000Z';
  const longAgo = '2026-03-01T11:00:00.000000Z';

  test.each<readonly [string, readonly Lease[] | undefined, readonly Deployment[], object]>([
    ['led all the time', [fresh], [], none],
    ['led again half an hour ago', [again(renewed)], [deployment([])], hour],
    ['the same, given back a moment ago', [again(renewed, '')], [deployment([])], hour],
    [
      'not led for long',
      [again(longAgo)],
      [deployment([])],
      { kind: 'onceLed', time: Date.parse('2026-03-01T13:00:00Z') },
    ],
    ['no lease', [], [deployment([])], none],
    ['leases may not be listed', undefined, [deployment([])], { kind: 'unread' }],
    ['without leader election', [again(longAgo)], [deployment(['--leader-elect=false'])], none],
    ['the same, leases may not be listed', undefined, [deployment(['--leader-elect=false'])], none],
    ['in a dry run', [again(renewed)], [deployment(['--dry-run'])], none],
    [
      'lease of another name',
      [again(renewed, 'a', 'holdfast-system', 'mine')],
      [deployment(['--leader-elect-resource-name=mine'])],
      hour,
    ],
    ['an old lease beside the one that is held', [fresh, again(longAgo, 'b', 'trial')], [], none],
    ['two are held, and which counts is not known', [again(renewed), lease(renewed, 'b', 'trial')], [], none],
  ])('%s -> as the lease shows it', (_, leases, deployments, wait) => {
    expect(judgeAtWork(app, { leases, deployments }, now).wait).toEqual(wait);
  });

  test('a Deployment for each of two namespaces -> by the lease of each', () => {
    const leases = [again(renewed, 'a', 'shop'), lease(renewed, 'b', 'bank')];
    const deployments = [
      deployment(['--namespaces=shop'], 1, 'shop'),
      deployment(['--namespaces=bank'], 1, 'bank'),
    ];
    const atWork = judgeAtWork(app, { leases, deployments }, now);
    expect(['shop', 'bank'].map((of) => claimWindowKeeper(atWork, of).wait)).toEqual([hour, none]);
    const world = worldOf(setOf(), [], []);
    expect(retainersOf({ world, release: undefined, atWork, namespace }, {}).wait).toEqual(hour);
  });

  test.each<readonly [string, readonly Lease[], readonly string[], string | undefined]>([
    ['at work', [fresh], [], undefined],
    ['holds no lease', [], [], 'no process holds a lease holdfast-statefulset-pvc-retention'],
    ['holds no lease, and may have another name for it', [], ['--config=/x'], undefined],
    ['looks after other namespaces', [fresh], ['--namespaces=bank'], 'its --namespaces do not name shop'],
  ])('%s -> why it ends no window in shop', (_, leases, args, absent) => {
    const atWork = judgeAtWork(app, { leases, deployments: [deployment(args)] }, now);
    expect(claimWindowKeeper(atWork, 'shop').absent).toBe(absent);
  });
});

describe('one Deployment for each of two namespaces', () => {
  const renewed = '2026-03-01T11:59:50.000000Z';
  const retainersIn = (leases: readonly Lease[], deployments: readonly Deployment[], of = namespace) => {
    const world = worldOf(setOf({ whenDeleted: 'Delete' }), [], []);
    const atWork = judgeAtWork(app, { leases, deployments }, now);
    return retainersOf({ world, release: undefined, atWork, namespace: of }, {});
  };
  const both = [
    deployment(['--namespaces=shop', '--feature-gates=DeletionGracePeriod=true'], 1, 'shop'),
    deployment(['--namespaces=bank', '--feature-gates=DeletionGracePeriod=false'], 1, 'bank'),
  ];

  test.each(['shop', 'bank'])('both at work -> at work in %s, each with its own gates', (of) => {
    const { holdfast } = retainersIn([lease(renewed, 'a', 'shop'), lease(renewed, 'b', 'bank')], both, of);
    expect(typeof holdfast === 'object' && holdfast.enabled('DeletionGracePeriod')).toBe(of === 'shop');
  });

  test.each([
    ['shop', 'absent'],
    ['bank', 'object'],
  ])('that of bank alone has its lease -> in %s: %s', (of, state) => {
    const { holdfast } = retainersIn([lease(renewed, 'b', 'bank')], both, of);
    expect(typeof holdfast === 'object' ? 'object' : holdfast).toBe(state);
  });

  test('one in a dry run -> the other is at work all the same', () => {
    const dry = deployment(['--dry-run', '--namespaces=shop'], 1, 'trial');
    const { holdfast } = retainersIn(
      [lease(renewed), lease(renewed, 'c', 'trial')],
      [deployment(['--namespaces=shop']), dry],
    );
    expect(typeof holdfast).toBe('object');
  });

  test('somebody else labels a Deployment so -> what is at work is judged by its own flags', () => {
    const theirs = deployment(['--namespaces=nowhere', '--dry-run'], 1, 'tenant');
    const { holdfast } = retainersIn([lease(renewed)], [deployment([]), theirs]);
    expect(typeof holdfast).toBe('object');
  });

  // Whoever may create Deployments and Leases in some namespace can make this look so.
  test.each([
    ['other gates', '--feature-gates=StatefulSetAutoDeletePVC=false', 'unknown'],
    ['gates that are not known', '--config=/x', 'unknown'],
    ['the same gates', '--kube-api-qps=1', 'object'],
  ])('somebody else labels one so, at work for all namespaces, %s (%s) -> %s', (_, arg, known) => {
    const leases = [lease(renewed, 'c', 'a-tenant'), lease(renewed)];
    const theirs = deployment([arg], 1, 'a-tenant');
    for (const deployments of [
      [theirs, deployment([])],
      [deployment([]), theirs],
    ]) {
      const { holdfast, because } = retainersIn(leases, deployments);
      expect(typeof holdfast === 'object' ? 'object' : holdfast).toBe(known);
      expect(because.holdfast.includes('a-tenant')).toBe(known === 'unknown' || deployments[0] === theirs);
    }
  });

  test('one for each kind of set -> for each kind by its own', () => {
    const deployments = [
      deployment(
        ['--workloads=apps.kruise.io/v1beta1/StatefulSet', '--feature-gates=AllAlpha=false'],
        1,
        'a',
      ),
      deployment([]),
    ];
    const { holdfast } = retainersIn([lease(renewed, 'a', 'a'), lease(renewed)], deployments);
    expect(typeof holdfast === 'object' && holdfast.enabled('DeletionGracePeriod')).toBe(true);
  });

  test('the lease of the name is held in a namespace without a Deployment -> not at work', () => {
    expect(retainersIn([lease(renewed, 'c', 'a-tenant')], [deployment([])]).holdfast).toBe('absent');
    const elsewhere = deployment(['--leader-elect-resource-namespace=leases']);
    expect(typeof retainersIn([lease(renewed, 'c', 'leases')], [elsewhere]).holdfast).toBe('object');
    const hidden = deployment(['--config=/x']);
    expect(retainersIn([lease(renewed, 'c', 'leases')], [hidden]).holdfast).toBe('unknown');
  });

  test('in the same namespace, each with a lease of its own name -> judged by that lease', () => {
    const named = (of: string) =>
      deployment([`--namespaces=${of}`, `--leader-elect-resource-name=lease-of-${of}`]);
    const leases = [lease(renewed, 'b', 'holdfast-system', 'lease-of-bank')];
    const deployments = [named('shop'), named('bank')];
    expect(retainersIn(leases, deployments, 'shop').holdfast).toBe('absent');
    expect(typeof retainersIn(leases, deployments, 'bank').holdfast).toBe('object');
    const atWork = judgeAtWork(app, { leases: [], deployments }, now);
    expect(atWork.because).toBe('no process holds a lease lease-of-shop');
  });

  test('status -> each of them', () => {
    const atWork = judgeAtWork(app, { leases: [lease(renewed, 'b', 'bank')], deployments: both }, now);
    expect([atWork, ...(atWork.others ?? [])].map(({ state }) => state)).toEqual(['atWork', 'absent']);
    expect(atWorkIn(atWork, 'shop').state).toBe('absent');
  });
});

describe('flags by way of the environment', () => {
  type Env = NonNullable<Container['env']>;
  const inNamespace = (container: Container, leases: readonly Lease[] = [fresh]) => {
    const shape = deployment([]);
    const own = { ...shape, spec: { template: { spec: { containers: [container] } } } };
    const atWork = judgeAtWork(app, { leases, deployments: [own] }, now);
    const world = worldOf(setOf({ whenDeleted: 'Delete' }), [], []);
    return { atWork, ...retainersOf({ world, release: undefined, atWork, namespace }, {}) };
  };
  const pod: Env[number] = {
    name: 'POD_NAMESPACE',
    valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } },
  };

  test.each<readonly [string, Env, string, string]>([
    ['field of the pod', [pod], '--namespaces=$(POD_NAMESPACE)', 'holdfast-system'],
    ['value', [{ name: 'TEAM', value: 'shop' }], '--namespaces=$(TEAM)-$(TEAM)', 'shop-shop'],
    [
      'value of a value',
      [pod, { name: 'ALL', value: '$(POD_NAMESPACE),b' }],
      '--namespaces=$(ALL)',
      'holdfast-system,b',
    ],
    ['none of this name', [], '--namespaces=$(TEAM)', '$(TEAM)'],
    ['escaped', [{ name: 'TEAM', value: 'shop' }], '--namespaces=$$(TEAM)', '$(TEAM)'],
  ])('argument with a variable: %s -> as the kubelet expands it', (_, env, arg, expected) => {
    expect(inNamespace({ args: [arg], env }).atWork.flags.get('namespaces')).toBe(expected);
  });

  const fromMap = { valueFrom: { configMapKeyRef: {} } };
  test.each<readonly [string, Container, string]>([
    ['a file', { args: ['--config', '/etc/holdfast.yaml'] }, '--config names a file'],
    ['a file', { env: [{ name: 'HOLDFAST_CONFIG', value: '/x' }] }, '--config names a file'],
    [
      'a ConfigMap',
      { env: [{ name: 'HOLDFAST_NAMESPACES', ...fromMap }] },
      'HOLDFAST_NAMESPACES has no value of its own',
    ],
    ['a whole ConfigMap', { envFrom: [{}] }, 'variables come from a ConfigMap or a Secret'],
    [
      'a ConfigMap, named in an argument',
      { args: ['--namespaces=$(TEAM)'], env: [{ name: 'TEAM', ...fromMap }] },
      'TEAM has no value of its own',
    ],
  ])('some are in %s -> whether it retains is unknown, at work or not', (_, container, why) => {
    for (const leases of [[fresh], []]) {
      const { holdfast, because } = inNamespace(container, leases);
      expect(holdfast).toBe('unknown');
      expect(because.holdfast).toContain(`; not all of its flags are known: ${why}`);
    }
  });

  test('a variable of another program from a ConfigMap -> nothing is unknown', () => {
    expect(typeof inNamespace({ env: [{ name: 'HTTPS_PROXY', ...fromMap }] }).holdfast).toBe('object');
  });
});

test('shipped for one namespace, by the field of its pod -> at work there, and not elsewhere', () => {
  const own = deployment([], 1, 'shop');
  const env = [{ name: 'HOLDFAST_NAMESPACES', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }];
  const shipped = { ...own, spec: { template: { spec: { containers: [{ env }] } } } };
  const atWork = judgeAtWork(
    app,
    { leases: [lease('2026-03-01T11:59:50.000000Z', 'a', 'shop')], deployments: [shipped] },
    now,
  );
  const world = worldOf(setOf({ whenDeleted: 'Delete' }), [], []);
  const stateIn = (of: string) => {
    const { holdfast } = retainersOf({ world, release: undefined, atWork, namespace: of }, {});
    return typeof holdfast === 'object' ? 'object' : holdfast;
  };
  expect([stateIn('shop'), stateIn('bank')]).toEqual(['object', 'absent']);
});

test.each([
  [
    'Deployments may not be listed',
    'unread' as const,
    /its flags are not known: you may not list deployments/,
  ],
  ['no Deployment of it', [], /its flags are not known: no deployment is labelled as its own/],
] as const)('lease held, %s -> its gates are not known, and that is said', (_, deployments, because) => {
  const atWork = judgeAtWork(app, { leases: [fresh], deployments }, now);
  const seen = retainersOf({ world: worldOf(setOf(), [], []), release: undefined, atWork, namespace }, {});
  expect([seen.holdfast, seen.because.holdfast]).toEqual(['gatesUnknown', expect.stringMatching(because)]);
});

test.each([
  [22, 'absent'],
  [23, 'alpha'],
  [26, 'alpha'],
  [27, 'beta'],
  [31, 'beta'],
  [32, 'GA'],
])('StatefulSetAutoDeletePVC in 1.%i -> %s', (minor, stage) => {
  expect(stageIn(stockFeatures[app], { minor, text: `v1.${String(minor)}.0` })).toBe(stage);
});

describe('who retains', () => {
  const atWork = judgeAtWork(app, { leases: [], deployments: [] }, now);
  const owned = claimOf(0, { owners: [bySet] });
  const ourOwn = claimOf(0, { owners: [{ ...bySet, blockOwnerDeletion: false }] });

  test.each([
    ['1.36', 'atWork', 36, true, claimOf(0), {}],
    ['1.31, nothing shows it', 'unknown', 31, true, claimOf(0), {}],
    ['1.31, its reference is there', 'atWork', 31, true, owned, {}],
    ['1.31, a reference of Holdfast', 'unknown', 31, true, ourOwn, {}],
    ['1.26', 'absent', 26, true, claimOf(0), {}],
    ['1.36, field dropped', 'absent', 36, false, claimOf(0), {}],
    ['1.31, assumed', 'atWork', 31, true, claimOf(0), { stock: 'atWork' }],
  ] as const)('%s -> kube-controller-manager %s', (_, stock, minor, field, claim, assumed: Assumed) => {
    const world = worldOf(setOf({ field, whenDeleted: 'Delete' }), [claim], []);
    const release = { minor, text: `v1.${String(minor)}.0` };
    const seen = retainersOf({ world, release, atWork, namespace }, assumed);
    expect([seen.stock, seen.holdfast]).toEqual([stock, 'absent']);
  });

  test('Holdfast looks after other namespaces only -> absent', () => {
    const elsewhere = judgeAtWork(
      app,
      { leases: [fresh], deployments: [deployment(['--namespaces=bank'])] },
      now,
    );
    const world = worldOf(setOf(), [], []);
    const seen = retainersOf({ world, release: undefined, atWork: elsewhere, namespace }, {});
    expect(seen.holdfast).toBe('absent');
    expect(seen.because.holdfast).toBe('its --namespaces do not name shop');
  });

  test.each([
    ['apps.kruise.io/v1beta1/StatefulSet', 'object', 'absent'],
    ['apps/v1/StatefulSet', 'absent', 'absent'],
  ] as const)(
    'set of Kruise, --workloads=%s -> Holdfast %s, kube-controller-manager %s',
    (workloads, holdfast, stock) => {
      const here = judgeAtWork(
        app,
        { leases: [fresh], deployments: [deployment([`--workloads=${workloads}`])] },
        now,
      );
      const world = worldOf(setOf({ whenDeleted: 'Delete' }), [], [], { resource: kruise });
      const seen = retainersOf(
        { world, release: { minor: 36, text: 'v1.36.3' }, atWork: here, namespace },
        {},
      );
      const state = typeof seen.holdfast === 'object' ? 'object' : seen.holdfast;
      expect([state, seen.stock]).toEqual([holdfast, stock]);
    },
  );

  test('StatefulSet, --workloads without it -> Holdfast absent', () => {
    const here = judgeAtWork(
      app,
      { leases: [fresh], deployments: [deployment(['--workloads=apps.kruise.io/v1beta1/StatefulSet'])] },
      now,
    );
    const seen = retainersOf(
      { world: worldOf(setOf(), [], []), release: undefined, atWork: here, namespace },
      {},
    );
    expect(seen.because.holdfast).toBe('its --workloads do not name apps/v1/StatefulSet');
    expect(seen.holdfast).toBe('absent');
  });

  test('kind by its name -> with its group; unknown -> those that are known, and the way out', () => {
    const known = [statefulSets, kruise];
    expect(workloadNamed('StatefulSets.apps.kruise.io', known)).toBe(kruise);
    expect(workloadNamed('statefulset.apps', known)).toBe(statefulSets);
    expect(() => workloadNamed('clonesets.apps.kruise.io', known)).toThrow(
      /\(statefulsets\.apps, statefulsets\.apps\.kruise\.io\); name it as --workloads=/,
    );
  });

  test('Holdfast is at work -> with the gates that its flags give it', () => {
    const here = judgeAtWork(
      app,
      { leases: [fresh], deployments: [deployment(['--feature-gates=DeletionGracePeriod=true'])] },
      now,
    );
    const world = worldOf(setOf(), [], []);
    const { holdfast } = retainersOf({ world, release: undefined, atWork: here, namespace }, {});
    expect(typeof holdfast === 'object' && holdfast.enabled('DeletionGracePeriod')).toBe(true);
  });
});

test.each<readonly [string, readonly string[], string | undefined]>([
  ['all are in arguments', [], undefined],
  ['some are in a file', ['--config=/x'], '--config names a file'],
  ['some are in a file, and these are not', ['--config=/x', '--namespaces=shop'], undefined],
])('why the namespaces of a controller are not known: %s -> %s', (_, args, why) => {
  const atWork = judgeAtWork(app, { leases: [fresh], deployments: [deployment([...args])] }, now);
  expect(hiddenAmong(atWork, ['namespaces'])).toBe(why);
});
