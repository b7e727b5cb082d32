import { describe, expect, test } from '@jest/globals';
import { leases, type Lease, type PersistentVolume } from '@holdfast/core';
import { ApiError, type ConnectedClient } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { answerStatus } from '../src/answers/survey.ts';
import type { AtWork } from '../src/cluster/holdfast-at-work.ts';
import { readRelease, type AppName } from '../src/cluster/release.ts';
import { undoReport } from '../src/report/survey-reports.ts';
import { appNames, gateRows } from '../src/survey/controllers.ts';
import { leaksOf } from '../src/survey/leaks.ts';
import { pendingOf } from '../src/survey/undo.ts';
import { claimOf, now, volumeOf } from './objects.ts';

const markOf = (uid: string, time: string, claimUid = uid) => ({
  'holdfast.dev/delete-after': time,
  'holdfast.dev/delete-after-uid': uid,
  'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/web/uid-of-web/${claimUid}`,
});

const deletedRecord = (uid: string) => ({ annotations: { 'holdfast.dev/held-by': `deleted/${uid}` } });

describe('undo', () => {
  const soon = claimOf(1, { annotations: markOf('uid-of-data-web-1', '2026-03-01T12:30:00Z') });
  const odd = claimOf(2, { annotations: markOf('uid-of-data-web-2', 'tomorrow') });
  const restored = claimOf(3, { annotations: markOf('uid-of-another', '2026-03-01T12:30:00Z') });
  const volume = volumeOf(
    'Retain',
    {
      annotations: {
        'holdfast.dev/reclaim-policy': 'Delete',
        'holdfast.dev/delete-after': '2026-03-01T12:10:00Z',
        'holdfast.dev/delete-after-uid': 'uid-of-pv-1',
        'holdfast.dev/delete-after-claim-uid': 'uid-of-data-web-0',
      },
    },
    { phase: 'Released' },
  );

  test('claims and volumes -> the first to go first, unreadable times last, marks of others not at all', () => {
    const pending = pendingOf([odd, soon, restored, claimOf(0)], [volume, volumeOf('Delete')]);
    expect(pending.map(({ name, due }) => [name, due])).toEqual([
      ['pv-1', Date.parse('2026-03-01T12:10:00Z')],
      ['data-web-1', Date.parse('2026-03-01T12:30:00Z')],
      ['data-web-2', undefined],
    ]);
  });

  test('controllers wait, or are not at work -> no sooner, and why', () => {
    const until = Date.parse('2026-03-01T12:40:00Z');
    const pending = pendingOf([soon], [volume], {
      ofClaims: () => ({ absent: undefined, wait: { kind: 'until', time: until } }),
      ofVolume: () => ({ absent: 'no lease', wait: { kind: 'none' } }),
    });
    expect(pending.map(({ name, due, unless }) => [name, due, unless])).toEqual([
      ['pv-1', Date.parse('2026-03-01T12:10:00Z'), 'pv-reclaim-honor is not at work: no lease'],
      ['data-web-1', until, undefined],
    ]);
    const unread = { absent: undefined, wait: { kind: 'unread' } } as const;
    const [first] = pendingOf([soon], [], { ofClaims: () => unread, ofVolume: () => unread });
    expect(first?.unless).toMatch(/^statefulset-pvc-retention might wait up to an hour longer: .* leases$/);
    const { parts } = undoReport({ pending, unread: [] }, now, 'shop');
    expect(JSON.stringify(parts)).toContain('; pv-reclaim-honor is not at work: no lease"');
  });

  test('volume that is retained by now, its mark still on it -> not listed', () => {
    const { 'holdfast.dev/reclaim-policy': meant, ...mark } = volume.metadata.annotations ?? {};
    expect(meant).toBe('Delete');
    const retained = { ...volume, metadata: { ...volume.metadata, annotations: mark } };
    expect(pendingOf([], [retained])).toStrictEqual([]);
  });

  test('volume whose storage is recorded as deleted -> not listed', () => {
    const metadata = {
      ...volume.metadata,
      deletionTimestamp: '2026-03-01T12:05:00Z',
      annotations: { ...volume.metadata.annotations, ...deletedRecord(volume.metadata.uid).annotations },
    };
    expect(pendingOf([], [{ ...volume, metadata }])).toStrictEqual([]);
  });

  test('volume of which a deletion was begun -> no claim is said to get it back', () => {
    const begun = { 'holdfast.dev/deletion-begun': 'uid-of-pv-1/uid-of-data-web-0' };
    const metadata = { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...begun } };
    const [pending] = pendingOf([], [{ ...volume, metadata }]);
    expect(pending?.keep).toBe(
      'kubectl holdfast undo pv pv-1: what is left of its storage stays; a deletion of it was begun',
    );
  });

  test('claim -> why it goes, and the command that keeps it', () => {
    expect(pendingOf([soon], [])).toEqual([
      expect.objectContaining({
        because: 'web was scaled down',
        keep: 'kubectl annotate pvc data-web-1 -n shop holdfast.dev/delete-after-',
      }),
    ]);
  });

  test.each([
    ['2026-03-01T12:30:00Z', '2026-03-01T12:30:00.000Z (30m)'],
    ['2026-03-02T12:00:00Z', '2026-03-02T12:00:00.000Z (24h)'],
    ['2026-03-01T11:59:00Z', '2026-03-01T11:59:00.000Z (due)'],
    ['tomorrow', 'never, unreadable'],
  ])('goes at %s -> %s', (time, shown) => {
    const claim = claimOf(1, { annotations: markOf('uid-of-data-web-1', time) });
    const [part] = undoReport({ pending: pendingOf([claim], []), unread: [] }, now, 'shop').parts;
    expect(part).toMatchObject({
      rows: [
        [expect.anything(), 'shop', 'data-web-1', { text: shown }, expect.anything(), expect.anything()],
      ],
    });
  });

  test('nothing is marked -> said so', () => {
    expect(undoReport({ pending: [], unread: [] }, now, undefined).parts).toEqual([
      { kind: 'text', lines: ['Nothing waits for the end of an undo window.'] },
    ]);
  });

  test('nothing is marked in the one namespace -> its name, and how to see the others', () => {
    expect(undoReport({ pending: [], unread: [] }, now, 'shop').parts).toEqual([
      {
        kind: 'text',
        lines: ['Nothing waits for the end of an undo window in namespace "shop"; -A shows all namespaces.'],
      },
    ]);
  });
});

const provisioner = { finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'] };
const deletedAt = '2026-03-01T11:00:00Z';
const meant = { annotations: { 'holdfast.dev/reclaim-policy': 'Delete' } };
const meantAndHeld = { ...meant, finalizers: ['holdfast.dev/undo-window'] };
/** As with `--csi-finalizer=example.com/reclaim`. */
const recorded = {
  finalizers: ['example.com/reclaim'],
  annotations: { 'holdfast.dev/held-by': 'example.com/reclaim' },
};
const recordAlone = { annotations: recorded.annotations };
const recordOfOthers = {
  finalizers: ['kubernetes.io/pv-protection'],
  annotations: { 'holdfast.dev/held-by': 'kubernetes.io/pv-protection' },
};
const attached = { finalizers: ['external-attacher/disks-example-com'] };

test.each<readonly [string, 'now' | 'perhaps' | 'never', PersistentVolume]>([
  ['bound, Delete, held', 'never', volumeOf('Delete', provisioner)],
  ['bound, Delete, not held', 'perhaps', volumeOf('Delete')],
  ['terminating, Delete, not held', 'now', volumeOf('Delete', {}, { deletedAt })],
  [
    'terminating, Delete, held by a finalizer that is not known',
    'perhaps',
    volumeOf('Delete', { finalizers: ['example.com/reclaim'] }, { deletedAt }),
  ],
  ['terminating, Delete, held', 'never', volumeOf('Delete', provisioner, { deletedAt })],
  [
    'terminating, Delete, its storage is recorded as deleted',
    'never',
    volumeOf('Delete', { ...attached, ...deletedRecord(volumeOf('Delete').metadata.uid) }, { deletedAt }),
  ],
  [
    'terminating, Delete, the storage of another volume is recorded as deleted',
    'now',
    volumeOf('Delete', { ...attached, ...deletedRecord('another') }, { deletedAt }),
  ],
  [
    'terminating, Retain that means Delete, its storage is recorded as deleted',
    'never',
    volumeOf(
      'Retain',
      {
        ...attached,
        annotations: {
          ...meant.annotations,
          ...deletedRecord(volumeOf('Retain').metadata.uid).annotations,
        },
      },
      { deletedAt, phase: 'Released' },
    ),
  ],
  ['released, Delete, not held', 'never', volumeOf('Delete', {}, { phase: 'Released' })],
  ['failed, Delete', 'now', volumeOf('Delete', provisioner, { phase: 'Failed' })],
  ['bound, Retain', 'never', volumeOf('Retain')],
  ['released, Retain', 'now', volumeOf('Retain', {}, { phase: 'Released' })],
  ['bound, Delete, held by a recorded finalizer', 'never', volumeOf('Delete', recorded)],
  ['terminating, Delete, held by a recorded finalizer', 'never', volumeOf('Delete', recorded, { deletedAt })],
  ['bound, Delete, its recorded finalizer is gone', 'perhaps', volumeOf('Delete', recordAlone)],
  ['bound, Delete, recorded is one of Kubernetes', 'perhaps', volumeOf('Delete', recordOfOthers)],
  [
    'released, Retain, its undo window means Delete',
    'never',
    volumeOf('Retain', meantAndHeld, { phase: 'Released' }),
  ],
  [
    'released, Retain, annotation says Delete, no undo window holds it',
    'now',
    volumeOf('Retain', meant, { phase: 'Released' }),
  ],
  ['available, Delete', 'never', volumeOf('Delete', {}, { phase: 'Available' })],
])('volume %s -> leaks %s', (_, when, volume) => {
  expect(leaksOf([volume])[0]?.when ?? 'never').toBe(when);
});

function atWorkWith(own: Partial<AtWork>): Readonly<Record<AppName, AtWork>> {
  const absent: AtWork = { state: 'absent', isDeployed: false, flags: new Map(), because: '' };
  return {
    'pvc-protection': absent,
    'statefulset-pvc-retention': { ...absent, ...own },
    'pv-reclaim-honor': absent,
    'retroactive-default-sc': absent,
  };
}

test.each([
  [
    'at work, gate turned on',
    { state: 'atWork', isDeployed: true, flags: new Map([['feature-gates', 'AllAlpha=true']]) },
    'yes',
  ],
  ['at work', { state: 'atWork', isDeployed: true }, 'no'],
  ['at work, no Deployment of it found', { state: 'atWork' }, 'no, unless turned on'],
  [
    'at work, flags in a file',
    { state: 'atWork', isDeployed: true, hidden: '--config names a file' },
    'no, unless turned on',
  ],
  [
    'at work, gate turned on, other flags in a file',
    {
      state: 'atWork',
      isDeployed: true,
      hidden: '--config names a file',
      flags: new Map([['feature-gates', 'AllAlpha=true']]),
    },
    'yes',
  ],
  ['not known', { state: 'unknown' }, 'unknown'],
  ['deployed, leases may not be read', { state: 'unknown', isDeployed: true }, 'no'],
  ['absent', {}, 'not at work'],
  [
    'at work twice, gate turned on in one',
    {
      state: 'atWork',
      isDeployed: true,
      others: [
        {
          state: 'atWork',
          isDeployed: true,
          because: '',
          flags: new Map([['feature-gates', 'AllAlpha=true']]),
        },
      ],
    },
    'no or yes, by Deployment: see status',
  ],
] as const)('gate DeletionGracePeriod, controller %s -> %s', (_, own, on) => {
  const rows = gateRows({ minor: 31, text: 'v1.31.0' }, atWorkWith(own));
  expect(rows.find(({ gate }) => gate === 'DeletionGracePeriod')?.on).toBe(on);
  expect(rows.find(({ gate, of }) => gate === 'HonorPVReclaimPolicy' && of === 'Kubernetes')).toEqual({
    ...{ gate: 'HonorPVReclaimPolicy', of: 'Kubernetes', stage: 'beta', on: 'yes, unless turned off' },
  });
});

test('release may not be asked for -> not known, and no error', async () => {
  const document = () => Promise.reject(new ApiError('GET /version', 403, { reason: 'Forbidden' }));
  expect(await readRelease({ document })).toBeUndefined();
});

describe('status', () => {
  const lease: Lease = {
    metadata: {
      ...{ name: 'holdfast-pvc-protection', namespace: 'holdfast-system', uid: 'u', resourceVersion: '1' },
    },
    spec: { holderIdentity: 'pod-1', renewTime: '2026-03-01T11:59:50.000000Z', leaseDurationSeconds: 15 },
  };
  const deployment = {
    metadata: {
      ...{ name: 'pvc-protection', namespace: 'holdfast-system', uid: 'u', resourceVersion: '1' },
      labels: { 'app.kubernetes.io/name': 'pvc-protection' },
    },
  };

  /** A cluster in which the deployed controller gets its lease by the look of this number; the first is 1. */
  const clusterWith = (
    leasedFrom: number,
    args: readonly string[] = [],
    name = lease.metadata.name,
  ): { readonly client: ConnectedClient; looks: number } => {
    const cluster = { looks: 0 };
    const spec = { template: { spec: { containers: [{ args }] } } };
    const list = (resource: { readonly plural: string }, { fieldSelector = '' } = {}) => {
      if (resource.plural !== leases.plural) {
        cluster.looks += 1;
        return Promise.resolve({ metadata: { resourceVersion: '1' }, items: [{ ...deployment, spec }] });
      }
      const isOwn = fieldSelector === `metadata.name=${name}`;
      const held = { ...lease, metadata: { ...lease.metadata, name } };
      const items = isOwn && cluster.looks >= leasedFrom ? [held] : [];
      return Promise.resolve({ metadata: { resourceVersion: '1' }, items });
    };
    const client = {
      list,
      document: () => Promise.resolve({ gitVersion: 'v1.36.3' }),
      serverTime: () => new Date(now),
    } as unknown as ConnectedClient;
    return Object.assign(cluster, { client });
  };

  test('deployed, lease held -> at work, exit code 0', async () => {
    const { code, object } = await answerStatus(clusterWith(1).client, undefined, createFakeClock());
    expect(code).toBe(0);
    expect(object).toMatchObject({
      kubernetes: 'v1.36.3',
      controllers: expect.arrayContaining([
        expect.objectContaining({ name: 'pvc-protection', state: 'atWork' }),
      ]),
    });
  });

  test.each([
    ['mine', 'mine', 0],
    ['mine', 'holdfast-pvc-protection', 3],
    ['a,b', 'b', 3],
  ])('flag names lease %s, lease %s is held -> exit code %d', async (name, held, expected) => {
    const cluster = clusterWith(1, [`--leader-elect-resource-name=${name}`], held);
    const { code } = await answerStatus(cluster.client, undefined, createFakeClock());
    expect(code).toBe(expected);
  });

  test('deployed, flags in a file -> namespaces and gates are unknown', async () => {
    const { client } = clusterWith(1, ['--config=/etc/holdfast.yaml']);
    const { parts, code } = await answerStatus(client, undefined, createFakeClock());
    const [, table] = parts;
    const [row = []] = table?.kind === 'table' ? table.rows : [];
    expect([code, row[0], ...row.slice(2, 4)]).toEqual([0, 'pvc-protection', 'unknown', 'unknown']);
  });

  test('deployments may not be listed, lease held -> the namespaces are unknown', async () => {
    const { client } = clusterWith(0);
    const list = ((resource: { readonly plural: string }, options: object) =>
      resource.plural === leases.plural
        ? client.list(leases, options)
        : Promise.reject(
            new ApiError('LIST', 403, { reason: 'Forbidden' }),
          )) as unknown as ConnectedClient['list'];
    const { parts } = await answerStatus({ ...client, list }, undefined, createFakeClock());
    const [, table] = parts;
    const rows = table?.kind === 'table' ? table.rows : [];
    expect(rows.map(([name, , namespaces]) => [name, namespaces])).toEqual(
      appNames.map((name) => [name, 'unknown']),
    );
  });

  test('deployed, no lease -> exit code 3, asked once', async () => {
    const cluster = clusterWith(Infinity);
    const { code } = await answerStatus(cluster.client, undefined, createFakeClock());
    expect([code, cluster.looks]).toEqual([3, 1]);
  });

  test('deployments may not be listed, no lease -> unknown and not called absent, exit code 1', async () => {
    const { client } = clusterWith(Infinity);
    const list = ((resource: { readonly plural: string }) =>
      resource.plural === leases.plural
        ? Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] })
        : Promise.reject(
            new ApiError('LIST', 403, { reason: 'Forbidden' }),
          )) as unknown as ConnectedClient['list'];
    const { code, object } = await answerStatus({ ...client, list }, undefined, createFakeClock());
    expect(code).toBe(1);
    const { controllers } = object as unknown as {
      readonly controllers: readonly { readonly state: string }[];
    };
    expect(controllers.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  });

  test('waits -> asked again until the lease is held', async () => {
    const clock = createFakeClock();
    const cluster = clusterWith(3);
    const answered = answerStatus(cluster.client, 60_000, clock);
    for (let second = 0; second < 10; second += 1) {
      await clock.advance(1_000);
    }
    expect((await answered).code).toBe(0);
    expect(cluster.looks).toBe(3);
  });

  test('waits in vain -> exit code 3 when the time is over', async () => {
    const clock = createFakeClock();
    const answered = answerStatus(clusterWith(Infinity).client, 5_000, clock);
    for (let second = 0; second < 10; second += 1) {
      await clock.advance(1_000);
    }
    expect((await answered).code).toBe(3);
  });
});
