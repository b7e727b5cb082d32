import { describe, expect, test } from '@jest/globals';
import {
  parseFeatureGates,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import { gates as protectionGates } from '@holdfast/pvc-protection/decide';
import { gates as reclaimGates } from '@holdfast/pv-reclaim-honor/decide';
import { volumeFields } from '../src/cluster/projections.ts';
import { explainClaim, type ClaimFacts } from '../src/explain/explain-claim.ts';
import { explainClass } from '../src/explain/explain-class.ts';
import { claimElsewhere } from '../src/explain/volume/claim-elsewhere.ts';
import { explainVolume } from '../src/explain/volume/explain-volume.ts';
import type { VolumeFacts } from '../src/explain/volume/facts.ts';
import type { Explanation } from '../src/explain/explanation.ts';
import { byConfigMap, byPod, claimOf, now, podOf, volumeOf } from './objects.ts';

const deletedAt = '2026-03-01T11:00:00Z';
const protection = parseFeatureGates(protectionGates, '');

function facts(claim: PersistentVolumeClaim, more: Partial<ClaimFacts> = {}): ClaimFacts {
  return {
    claim,
    pods: [],
    volume: undefined,
    attachments: [],
    owners: new Map(),
    classes: [],
    protection: undefined,
    set: undefined,
    now,
    ...more,
  };
}

const holding = ({ holders }: Explanation) =>
  holders.filter(({ holds }) => holds).map(({ kind, name }) => `${kind} ${name}`);
const nexts = ({ next }: Explanation) => next.map(({ who, does }) => `${who} ${does}`);
const then = ({ ifs }: Explanation, what: string) => ifs.find((each) => each.what.startsWith(what))?.then;

const protectionFinalizer = 'finalizer kubernetes.io/pvc-protection';
const attached = {
  metadata: { name: 'csi-1', uid: 'uid-of-csi-1', resourceVersion: '1' },
  spec: { attacher: 'disks.example.com', nodeName: 'node-1', source: { persistentVolumeName: 'pv-1' } },
  status: { attached: true },
};

describe('claim', () => {
  test('bound, pod runs -> used; deleted, it would stay until the pod goes, and then its data', () => {
    const told = explainClaim(
      facts(claimOf(0, { volumeName: 'pv-1' }), { pods: [podOf(0)], volume: volumeOf('Delete') }),
    );
    expect(told.state).toBe('Bound to pv-1, used by pod web-0');
    expect(then(told, 'it is deleted')).toBe(
      'it stays, being deleted, until pod web-0 does not use it any more; then its data is deleted with pv-1',
    );
    expect(then(told, 'pod web-0 is deleted')).toBe('the claim stays: the pod does not own it');
  });

  test('the class of its volume asks for an undo window -> its data might go after the window', () => {
    const { spec, ...rest } = volumeOf('Delete');
    const volume = volumeFields.fromJson({ ...rest, spec: { ...spec, storageClassName: 'fast' } });
    const told = explainClaim(
      facts(claimOf(0, { volumeName: 'pv-1' }), { volume, classes: [withGrace('12h')] }),
    );
    expect(then(told, 'it is deleted')).toMatch(/or after the undo window of 12h that it asks for$/);
  });

  test.each([
    ['its class asks for a window', [withGrace('1h')], 'deleted later with pv-1'],
    ['its class may not be read', undefined, 'deleted later with pv-1'],
    ['nothing asks for a window', [], 'kept in pv-1'],
    ['its class asks for one that is not possible', [withGrace('1d')], 'kept in pv-1'],
  ])('its volume has Retain, means Delete and is held for a window, %s -> its data', (_, classes, fate) => {
    const { spec, ...rest } = volumeOf('Retain', {
      annotations: { 'holdfast.dev/reclaim-policy': 'Delete' },
      finalizers: ['holdfast.dev/undo-window'],
    });
    const volume = volumeFields.fromJson({ ...rest, spec: { ...spec, storageClassName: 'fast' } });
    const told = explainClaim(facts(claimOf(0, { volumeName: 'pv-1' }), { volume, classes }));
    expect(then(told, 'it is deleted')).toMatch(new RegExp(`its data is ${fate}$`));
  });

  test('its volume has policy Delete and asks for an undo window -> its data might go after the window', () => {
    const volume = volumeOf('Delete', { annotations: { 'holdfast.dev/reclaim-grace': '24h' } });
    const told = explainClaim(facts(claimOf(0, { volumeName: 'pv-1' }), { volume }));
    expect(then(told, 'it is deleted')).toMatch(
      /its data is deleted with pv-1, at once or after the undo window of 24h that it asks for$/,
    );
  });

  test('deleted, pod runs -> held by pod and finalizer', () => {
    const told = explainClaim(facts(claimOf(0, { deletedAt }), { pods: [podOf(0)] }));
    expect(told.state).toBe(
      `Bound, being deleted since ${deletedAt}, held by finalizer kubernetes.io/pvc-protection`,
    );
    expect(holding(told)).toEqual([protectionFinalizer, 'pod web-0']);
    expect(nexts(told)).toEqual([
      'kube-controller-manager takes kubernetes.io/pvc-protection off once pod web-0 is gone',
    ]);
  });

  test.each([
    { policy: 'Delete', means: undefined },
    { policy: 'Recycle', means: undefined },
    { policy: 'Delete', means: 'Delete' },
    { policy: 'Retain', means: 'Delete' },
  ] as const)(
    'deleted, data would go with volume of $policy, annotation $means -> how to keep it',
    (each) => {
      const { policy, means } = each;
      const volume = volumeOf(policy, {
        annotations:
          means === undefined
            ? {}
            : { 'holdfast.dev/reclaim-policy': means, 'holdfast.dev/reclaim-grace': '5m' },
        finalizers: ['holdfast.dev/undo-window'],
      });
      const told = explainClaim(
        facts(claimOf(0, { deletedAt, volumeName: 'pv-1' }), { volume, classes: [] }),
      );
      const [what, patch] =
        means === undefined
          ? ['the policy of pv-1 is set to Retain', '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}']
          : [
              'the policy of pv-1 is set to Retain, and its annotation holdfast.dev/reclaim-policy is taken off',
              '{"metadata":{"annotations":{"holdfast.dev/reclaim-policy":null}},"spec":{"persistentVolumeReclaimPolicy":"Retain"}}',
            ];
      expect(then(told, what)).toBe(
        `its storage stays, whatever is deleted: kubectl patch pv pv-1 -p '${patch}'`,
      );
    },
  );

  test.each([
    { state: 'deleted, its volume keeps the data', claim: { deletedAt }, policy: 'Retain' },
    { state: 'not deleted', claim: {}, policy: 'Delete' },
  ] as const)('$state -> no way to keep it is needed', ({ claim: more, policy }) => {
    const volume = volumeOf(policy);
    const told = explainClaim(facts(claimOf(0, { ...more, volumeName: 'pv-1' }), { volume }));
    expect(then(told, 'the policy of pv-1 is set to Retain')).toBeUndefined();
  });

  test.each([
    ['bound to no node', 'nobody', podOf(0, { node: '' }), undefined],
    ['finished, stock controller', 'the pod', podOf(0, { phase: 'Succeeded' }), undefined],
    ['finished, Holdfast', 'nobody', podOf(0, { phase: 'Succeeded' }), protection],
  ])('deleted, pod %s -> held by %s', (_, by, pod, gates) => {
    const told = explainClaim(facts(claimOf(0, { deletedAt }), { pods: [pod], protection: gates }));
    expect(holding(told)).toEqual(by === 'nobody' ? [] : [protectionFinalizer, 'pod web-0']);
  });

  test('flags of pvc-protection in a file -> it might act otherwise than by what is known', () => {
    const told = explainClaim(
      facts(claimOf(0, { deletedAt }), { protection, protectionHidden: '--config names a file' }),
    );
    expect(nexts(told)).toEqual([
      expect.stringMatching(/^Holdfast pvc-protection takes kubernetes\.io\/pvc-protection off now/),
      'Holdfast pvc-protection might act otherwise: not all of its flags are known (--config names a file)',
    ]);
  });

  test('deleted, pod finished, still attached, Holdfast -> held until it is detached', () => {
    const told = explainClaim(
      facts(claimOf(0, { deletedAt, volumeName: 'pv-1' }), {
        pods: [podOf(0, { phase: 'Failed' })],
        attachments: [attached],
        volume: volumeOf('Retain'),
        protection,
      }),
    );
    expect(holding(told)).toEqual([protectionFinalizer, 'pod web-0']);
    expect(nexts(told)[0]).toMatch(/once pod web-0 is detached$/);
  });

  test.each([
    ['gate on', true, protection],
    ['gate off', false, parseFeatureGates(protectionGates, 'WaitForVolumeDetach=false')],
  ])(
    'deleted, pod finished, attachments may not be read, Holdfast, %s -> might be held: %s',
    (_, isUnknown, gates) => {
      const told = explainClaim(
        facts(claimOf(0, { deletedAt, volumeName: 'pv-1' }), {
          pods: [podOf(0, { phase: 'Failed' })],
          attachments: undefined,
          volume: volumeOf('Retain'),
          protection: gates,
        }),
      );
      expect(told.holders.find(({ kind }) => kind === 'pod')?.holds).toBe(isUnknown ? 'unknown' : false);
      expect(told.holders.find(({ kind }) => kind === 'attachment')?.holds).toBe('unknown');
      expect(nexts(told)[0]).toMatch(
        isUnknown
          ? /takes kubernetes\.io\/pvc-protection off once pod web-0 is detached, if it is not yet: attachments could not be read$/
          : /off now, since no pod uses the claim$/,
      );
    },
  );

  test('it names a volume that is bound to another claim -> whose it is; nothing is said to become of that data', () => {
    const volume = volumeOf('Delete', {}, { claim: 'data-web-1' });
    const told = explainClaim(facts(claimOf(0, { volumeName: 'pv-1', phase: 'Pending' }), { volume }));
    expect(then(told, 'it is deleted')).toMatch(
      /; then its data is none: pv-1 is bound to another claim, shop\/data-web-1$/,
    );
    expect(nexts(told)).toEqual(['nobody binds it to pv-1: that is bound to another claim, shop/data-web-1']);
  });

  test.each([
    ['none is the default one', [], 'nobody gives it a class: no class is the default one'],
    [
      'may not be read',
      undefined,
      'kube-controller-manager, or Holdfast retroactive-default-sc, gives it the default class, if there is one: you may not list storageclasses',
    ],
  ] as const)('waits for a class, classes: %s -> %s', (_, classes, told) => {
    const waiting = claimOf(0, { phase: 'Pending' });
    expect(nexts(explainClaim(facts(waiting, { classes })))).toEqual([told]);
  });

  test('deleted, finalizer of somebody else -> said whose business it is', () => {
    const told = explainClaim(facts(claimOf(0, { deletedAt, finalizers: ['example.com/backup'] })));
    expect(holding(told)).toEqual(['finalizer example.com/backup']);
    expect(nexts(told)).toEqual([
      'whatever put "example.com/backup" there takes example.com/backup off when it sees fit',
    ]);
  });

  test.each([
    [
      'snapshot.storage.kubernetes.io/pvc-as-source-protection',
      'the snapshot-controller (external-snapshotter)',
      'once no VolumeSnapshot of the claim waits to be ready',
    ],
    [
      'provisioner.storage.kubernetes.io/cloning-protection',
      'external-provisioner',
      'once no claim that clones it waits for its volume',
    ],
    [
      'disks.example.com/populate-target-protection',
      'the volume populator of disks.example.com',
      'once it has filled the claim, or cleaned up',
    ],
  ])('deleted, finalizer %s -> said who takes it off, and when', (finalizer, who, when) => {
    const told = explainClaim(facts(claimOf(0, { deletedAt, finalizers: [finalizer] })));
    expect(nexts(told)).toEqual([`${who} takes ${finalizer} off ${when}`]);
  });

  test.each([
    ['lives', 'lives, controls it: the claim goes with it'],
    ['gone', 'is gone, controls it: the garbage collector deletes the claim'],
    ['unknown', 'controls it: whether it lives could not be read'],
  ] as const)('owned by a pod that %s -> %s', (state, words) => {
    const told = explainClaim(
      facts(claimOf(1, { owners: [byPod(1)] }), { owners: new Map([['uid-of-web-1', state]]) }),
    );
    expect(told.holders.find(({ kind }) => kind === 'owner')?.words).toBe(words);
  });

  test('owned by two -> goes with the last', () => {
    const told = explainClaim(
      facts(claimOf(1, { owners: [byPod(1), byConfigMap(false)] }), {
        owners: new Map([
          ['uid-of-web-1', 'lives'],
          ['uid-of-backup', 'lives'],
        ]),
      }),
    );
    expect(then(told, 'pod web-1 is deleted')).toBe('the claim stays for its other owners');
  });

  test.each([
    ['no default class', [], 'nobody gives it a class: no class is the default one'],
    [
      'a default class',
      [classOf('fast', true)],
      'kube-controller-manager, or Holdfast retroactive-default-sc, gives it the default class fast',
    ],
  ])('pending without a class, %s -> %s', (_, classes, next) => {
    expect(nexts(explainClaim(facts(claimOf(0, { phase: 'Pending' }), { classes })))).toEqual([next]);
  });

  test.each<readonly [string, readonly StorageClass[] | undefined, string]>([
    ['a provisioner', [classOf('slow', false)], 'the provisioner of class slow makes a volume for it'],
    [
      'a provisioner, which waits for a pod',
      [{ ...classOf('slow', false), volumeBindingMode: 'WaitForFirstConsumer' }],
      'the provisioner of class slow makes a volume for it, once the scheduler has chosen a node for a pod that names the claim',
    ],
    [
      'none, as for local volumes',
      [{ ...classOf('slow', false), provisioner: 'kubernetes.io/no-provisioner' }],
      'an administrator makes a volume for it: class slow has no provisioner',
    ],
    ['none: it is not there', [], 'an administrator makes a volume for it: there is no class slow'],
    [
      'one that may not be read',
      undefined,
      'the provisioner of class slow, if it has one, makes a volume for it',
    ],
  ])('pending, its class has %s -> who makes its volume', (_, classes, next) => {
    const claim = claimOf(0, { phase: 'Pending', className: 'slow' });
    const told = explainClaim(facts(claim, { classes }));
    expect(nexts(told)).toEqual([next]);
    expect(told.next.map(({ source }) => source)).toEqual(['provisioning']);
  });

  describe('marked', () => {
    const marked = claimOf(1, {
      annotations: {
        'holdfast.dev/delete-after': '2026-03-01T12:30:00.000Z',
        'holdfast.dev/delete-after-uid': 'uid-of-data-web-1',
        'holdfast.dev/delete-after-scale-down': 'StatefulSet.apps/web/uid-of-web/uid-of-data-web-1',
      },
    });
    const none = { kind: 'none' } as const;
    const wayBack = '; to keep it: kubectl annotate pvc data-web-1 -n shop holdfast.dev/delete-after-';

    test.each<readonly [string, ClaimFacts['retention'], string]>([
      ['at work', { absent: undefined, wait: none }, 'deletes the claim after 2026-03-01T12:30:00.000Z'],
      [
        'led again after nobody had led it for long, an hour ends later',
        { absent: undefined, wait: { kind: 'until', time: Date.parse('2026-03-01T12:45:00Z') } },
        'deletes the claim after 2026-03-01T12:45:00.000Z, and not after 2026-03-01T12:30:00.000Z: nobody had led it for more than five minutes, or etcd was restored',
      ],
      [
        'led again, an hour ends before',
        { absent: undefined, wait: { kind: 'until', time: Date.parse('2026-03-01T12:15:00Z') } },
        'deletes the claim after 2026-03-01T12:30:00.000Z',
      ],
      [
        'its lease may not be read',
        { absent: undefined, wait: { kind: 'unread' } },
        'deletes the claim after 2026-03-01T12:30:00.000Z, or up to an hour later, as after five minutes without a leader: you may not list leases',
      ],
      [
        'not at work',
        { absent: 'it runs with --dry-run', wait: none },
        'would delete the claim after 2026-03-01T12:30:00.000Z, but is not at work: it runs with --dry-run',
      ],
      [
        'not led for long',
        { absent: 'no process holds it', wait: { kind: 'onceLed', time: now + 3_600_000 } },
        'would delete the claim after 2026-03-01T12:30:00.000Z, but is not at work: no process holds it; once it is led again, no window ends for an hour',
      ],
    ])('Holdfast %s -> when it is deleted, and how to keep it', (_, retention, does) => {
      const told = explainClaim(facts(marked, { retention, now }));
      expect(nexts(told)).toEqual([`Holdfast statefulset-pvc-retention ${does}${wayBack}`]);
    });
  });
});

function volumeFacts(more: Partial<VolumeFacts>): VolumeFacts {
  const base = { claim: undefined, attachments: [], holdfast: undefined, storageClass: undefined, now };
  return { volume: volumeOf('Delete'), ...base, ...more };
}

function onNfs(phase: string, maker?: string): PersistentVolume {
  const annotations = maker === undefined ? {} : { 'pv.kubernetes.io/provisioned-by': maker };
  const { spec: { claimRef = {} } = {}, ...volume } = volumeOf('Delete', { annotations }, { phase });
  const nfs = { server: 'nfs.example.com', path: '/a' };
  return { ...volume, spec: { persistentVolumeReclaimPolicy: 'Delete', claimRef, nfs } };
}

/** A released folder that pv-reclaim-honor holds. */
function heldFolder(): PersistentVolume {
  const { spec: { claimRef = {} } = {}, ...shape } = volumeOf(
    'Delete',
    { finalizers: ['kubernetes.io/pv-controller'] },
    { phase: 'Released' },
  );
  return {
    ...shape,
    spec: { persistentVolumeReclaimPolicy: 'Delete', claimRef, hostPath: { path: '/srv/a' } },
  };
}

const provisionerFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';
const reclaiming = {
  gates: parseFeatureGates(reclaimGates, ''),
  mode: 'reclaim',
  csiFinalizer: provisionerFinalizer,
  namespaces: [],
} as const;
/** As with `--csi-finalizer=example.com/reclaim`. */
const ownFinalizer = {
  finalizers: ['example.com/reclaim'],
  annotations: { 'holdfast.dev/held-by': 'example.com/reclaim' },
};

describe('volume', () => {
  test('bound, policy Delete, held -> deleted first, its storage goes before it', () => {
    const told = explainVolume(
      volumeFacts({
        volume: volumeOf('Delete', { finalizers: ['kubernetes.io/pv-protection', provisionerFinalizer] }),
        claim: claimOf(0),
      }),
    );
    expect(told.state).toBe('Bound to claim shop/data-web-0, reclaim policy Delete');
    expect(then(told, 'it is deleted')).toBe(
      'it stays, being deleted, until its claim is gone; then its storage is deleted before it goes',
    );
  });

  test('bound, policy Delete, not held -> deleted first, its storage is left behind', () => {
    const told = explainVolume(volumeFacts({ claim: claimOf(0) }));
    expect(then(told, 'it is deleted')).toMatch(/storage is left behind/);
  });

  test.each([
    ['at work', { ...reclaiming, csiFinalizer: 'example.com/reclaim' }],
    ['not seen at work', undefined],
  ])('held by a finalizer of --csi-finalizer, Holdfast %s -> its storage goes before it', (_, holdfast) => {
    const told = explainVolume(
      volumeFacts({ volume: volumeOf('Delete', ownFinalizer), claim: claimOf(0), holdfast }),
    );
    expect(told.holders[0]).toMatchObject({
      name: 'example.com/reclaim',
      words:
        'Holdfast pv-reclaim-honor takes it off once the storage is deleted, or the policy is not Delete any more',
    });
    expect(then(told, 'it is deleted')).toBe(
      'it stays, being deleted, until its claim is gone; then its storage is deleted before it goes',
    );
    expect(nexts(told)).toEqual([expect.not.stringMatching(/puts|takes/)]);
  });

  test('reserved for a claim, and never bound -> not called gone', () => {
    const volume = volumeOf('Delete', {}, { phase: 'Available' });
    const told = explainVolume(
      volumeFacts({
        volume: { ...volume, spec: { ...volume.spec, claimRef: { namespace: 'shop', name: 'data-web-0' } } },
      }),
    );
    expect(told.state).toBe('Available, reserved for claim shop/data-web-0, reclaim policy Delete');
    expect(told.holders).toEqual([
      expect.objectContaining({ kind: 'claim', holds: false, words: 'was never bound to it' }),
    ]);
  });

  test.each(['Bound', 'Failed'])('static NFS, Delete, %s -> nobody can delete its storage', (phase) => {
    const volume = onNfs(phase);
    const told = explainVolume(
      volumeFacts({ volume, claim: phase === 'Bound' ? claimOf(0, { volumeName: 'pv-1' }) : undefined }),
    );
    expect(JSON.stringify(told)).not.toMatch(/its storage is deleted|deletes the storage/);
    if (phase === 'Failed') {
      expect(nexts(told)).toEqual([
        'nobody deletes it: no controller can delete the storage of a volume of kubernetes.io/nfs that no provisioner made',
      ]);
    }
  });

  test.each([
    ['by hand', undefined, 'kept'],
    ['by a provisioner', 'nfs.example.com', 'deleted'],
  ])('volume on NFS with policy Delete made %s, its claim is deleted -> its data is %s', (_, maker, fate) => {
    const volume = volumeFields.fromJson(onNfs('Bound', maker));
    const told = explainClaim(facts(claimOf(0, { volumeName: 'pv-1' }), { volume }));
    expect(then(told, 'it is deleted')).toMatch(new RegExp(`its data is ${fate} (in|with) pv-1$`));
  });

  describe('policy Delete, is being deleted before its claim', () => {
    const protectedOnly = ['kubernetes.io/pv-protection', 'external-attacher/disks-example-com'];
    const goes = 'its storage is deleted, then the volume';
    const leaks =
      'the volume goes, and its storage is left behind: no finalizer holds it until the storage is deleted';
    const leftBehind =
      'its data is left behind: pv-1 is being deleted, and no finalizer holds it until its storage is deleted';

    test.each([
      ['nothing that waits for its storage', protectedOnly, leaks, leftBehind],
      ['the finalizer of its provisioner', [provisionerFinalizer], goes, 'its data is deleted with pv-1'],
      ['a finalizer that is not known', ['example.com/reclaim'], goes, 'its data is deleted with pv-1'],
      ['what waits for other objects', [...protectedOnly, 'foregroundDeletion', 'orphan'], leaks, leftBehind],
    ])('held by %s -> what becomes of its storage', (_, finalizers, ofVolume, ofClaim) => {
      const volume = volumeFields.fromJson(volumeOf('Delete', { finalizers }, { deletedAt }));
      const claim = claimOf(0, { volumeName: 'pv-1' });
      expect(then(explainVolume(volumeFacts({ volume, claim })), 'claim')).toBe(ofVolume);
      expect(then(explainClaim(facts(claim, { volume })), 'it is deleted')).toMatch(
        new RegExp(`; then ${ofClaim}$`),
      );
    });

    const onDisk = (annotations: Readonly<Record<string, string>>) => {
      const { spec, ...shape } = volumeOf('Delete', { annotations }, { deletedAt });
      const { csi, ...rest } = spec ?? {};
      expect(csi).toBeDefined();
      return { ...shape, spec: { ...rest, awsElasticBlockStore: { volumeID: 'vol-1' } } };
    };
    const byPlugin = { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs' };
    const migrated = { ...byPlugin, 'pv.kubernetes.io/migrated-to': 'ebs.csi.aws.com' };

    test.each([
      ['a CSI driver that has taken it over', onDisk(migrated), leaks, leftBehind],
      ['kube-controller-manager', onDisk(byPlugin), goes, 'its data is deleted with pv-1'],
      ['nobody that is known', onDisk({}), goes, 'its data is deleted with pv-1'],
    ])('in-tree, deleted by %s -> what becomes of its storage', (_, volume, ofVolume, ofClaim) => {
      const claim = claimOf(0, { volumeName: 'pv-1' });
      const projected = volumeFields.fromJson(volume);
      expect(then(explainVolume(volumeFacts({ volume, claim })), 'claim')).toBe(ofVolume);
      expect(then(explainClaim(facts(claim, { volume: projected })), 'it is deleted')).toMatch(
        new RegExp(`; then ${ofClaim}$`),
      );
    });

    const { metadata: onDiskMetadata, ...onDiskRest } = onDisk(migrated);
    const heldOnDisk = {
      ...onDiskRest,
      metadata: { ...onDiskMetadata, finalizers: [provisionerFinalizer] },
    };

    test('in-tree, taken over by a CSI driver, its claim is gone -> that driver deletes the storage', () => {
      const volume = { ...heldOnDisk, status: { phase: 'Released' } };
      expect(nexts(explainVolume(volumeFacts({ volume })))).toEqual([
        'external-provisioner of ebs.csi.aws.com deletes the storage, then the volume',
      ]);
    });

    test.each([
      ['of a CSI driver', volumeOf('Delete', { finalizers: [provisionerFinalizer] }), 'disks.example.com'],
      ['taken over by a CSI driver', heldOnDisk, 'ebs.csi.aws.com'],
    ])('%s, Failed -> its external-provisioner does not delete it, Holdfast might', (_, volume, driver) => {
      const failed = { ...volume, status: { phase: 'Failed' } };
      expect(nexts(explainVolume(volumeFacts({ volume: failed })))).toEqual([
        `nobody deletes it: external-provisioner of ${driver} deletes only volumes of phase Released`,
      ]);
      for (const atWork of [{ holdfast: reclaiming }, { hidden: 'its Deployments have different ones' }]) {
        expect(nexts(explainVolume(volumeFacts({ volume: failed, ...atWork }))).join()).not.toContain(
          'nobody',
        );
      }
    });

    test('its claim is gone, still attached -> nobody deletes its storage', () => {
      const volume = volumeOf('Delete', { finalizers: protectedOnly }, { phase: 'Released', deletedAt });
      expect(nexts(explainVolume(volumeFacts({ volume, attachments: [attached] })))).toEqual([
        'nobody deletes its storage: no finalizer holds the volume, which is being deleted, until that is done',
      ]);
    });

    test('a folder on a node -> kube-controller-manager deletes it, if it is quick', () => {
      const { spec: { claimRef = {} } = {}, ...shape } = volumeOf('Delete', {}, { deletedAt });
      const spec = {
        persistentVolumeReclaimPolicy: 'Delete' as const,
        claimRef,
        hostPath: { path: '/tmp/a' },
      };
      const told = explainVolume(
        volumeFacts({ volume: { ...shape, spec }, claim: claimOf(0, { volumeName: 'pv-1' }) }),
      );
      expect(then(told, 'claim')).toBe(goes);
    });
  });

  test.each([
    [
      'nothing',
      {},
      'the volume goes, and its storage is left behind: no finalizer holds it until the storage is deleted',
    ],
    [
      'a finalizer that is not known',
      { finalizers: ['example.com/reclaim'] },
      'the volume goes, and its storage might be left behind: no finalizer that is known holds it until the storage is deleted',
    ],
  ])(
    'policy Delete, held by %s, is deleted before its claim -> as certain as afterwards',
    (_, metadata, words) => {
      const told = explainVolume(
        volumeFacts({ volume: volumeOf('Delete', metadata), claim: claimOf(0, { volumeName: 'pv-1' }) }),
      );
      expect(then(told, 'it is deleted')).toContain(words);
    },
  );

  test.each([
    ['/srv/a', {}, 'kept in', 'nobody deletes it: kube-controller-manager deletes only folders with /tmp/'],
    [
      '/srv/a',
      { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' } },
      'kept in',
      'nobody deletes it: kube-controller-manager deletes only folders with /tmp/',
    ],
    [
      '/tmp/a',
      {},
      'deleted with',
      'kube-controller-manager deletes the folder where it runs itself, if it finds one',
    ],
    [
      '/srv/a',
      { finalizers: ['kubernetes.io/pv-controller'] },
      'deleted with',
      'Holdfast pv-reclaim-honor deletes the folder on its node, then the volume',
    ],
    [
      '/tmp/a',
      { finalizers: ['kubernetes.io/pv-controller', 'holdfast.dev/host-path'] },
      'deleted with',
      'Holdfast pv-reclaim-honor deletes the folder on its node, then the volume',
    ],
    [
      '/srv/a',
      { annotations: { 'pv.kubernetes.io/provisioned-by': 'local.example.com' } },
      'deleted with',
      'local.example.com deletes the storage, then the volume',
    ],
  ])('hostPath %s, %j -> its data is %s it, and once released: %s', (path, metadata, fate, step) => {
    const onHost = (phase: string): PersistentVolume => {
      const { spec: { claimRef = {} } = {}, ...volume } = volumeOf('Delete', metadata, { phase });
      const spec = { persistentVolumeReclaimPolicy: 'Delete' as const, claimRef, hostPath: { path } };
      return volumeFields.fromJson({ ...volume, spec });
    };
    const bound = explainClaim(facts(claimOf(0, { volumeName: 'pv-1' }), { volume: onHost('Bound') }));
    expect(then(bound, 'it is deleted')).toMatch(new RegExp(`its data is ${fate} pv-1$`));
    expect(nexts(explainVolume(volumeFacts({ volume: onHost('Released') })))).toEqual([
      expect.stringMatching(new RegExp(`^${step}`)),
    ]);
  });

  describe('namespace or name in claimRef was changed, a claim has the UID', () => {
    const { metadata, ...claim } = claimOf(0, { volumeName: 'pv-1' });
    const elsewhere = { ...claim, metadata: { ...metadata, namespace: 'bank', name: 'books' } };
    const volume = volumeOf('Delete', { finalizers: [provisionerFinalizer] }, { phase: 'Released' });

    test('Holdfast serves the namespace of that claim -> it is not gone, and keeps the storage', () => {
      const told = explainVolume(volumeFacts({ volume, elsewhere, holdfast: reclaiming }));
      expect(told.state).toBe(
        'Released from claim shop/data-web-0, whose UID claim bank/books has, reclaim policy Delete',
      );
      expect(told.holders.at(-1)).toMatchObject({
        ...{ kind: 'claim', name: 'bank/books', holds: true },
        words: 'has the UID in claimRef: pv-reclaim-honor keeps the storage while it is there',
      });
      expect(nexts(told)).toEqual([
        'Holdfast pv-reclaim-honor (driver disks.example.com) waits until its claim is gone',
      ]);
      expect(then(told, 'it is deleted')).toMatch(
        /^it stays, being deleted, until claim bank\/books is gone; then /,
      );
      expect(then(told, 'claim bank/books is deleted')).toBe('its storage is deleted, then the volume');
    });

    test.each([
      ['not at work', undefined],
      ['serves other namespaces', { ...reclaiming, namespaces: ['shop'] }],
      ['guards only, and the provisioner goes by the phase', { ...reclaiming, mode: 'guard' } as const],
      [
        'has its gate off',
        { ...reclaiming, gates: parseFeatureGates(reclaimGates, 'HonorPVReclaimPolicy=false') },
      ],
    ])('Holdfast %s -> the storage goes, although that claim is there', (_, holdfast) => {
      const told = explainVolume(volumeFacts({ volume, elsewhere, holdfast }));
      expect(told.holders.at(-1)).toMatchObject({
        ...{ kind: 'claim', name: 'bank/books', holds: false },
        words: 'has the UID in claimRef, but only the claim that is named there is looked for',
      });
      expect(nexts(told)).toEqual([expect.stringMatching(/deletes the storage/)]);
      expect(then(told, 'claim bank/books is deleted')).toBeUndefined();
    });

    test('policy Retain -> the volume goes when it is deleted: nothing holds it for that claim', () => {
      const retained = volumeOf('Retain', {}, { phase: 'Released' });
      const told = explainVolume(volumeFacts({ volume: retained, elsewhere, holdfast: reclaiming }));
      expect(then(told, 'it is deleted')).toBe('the volume goes, and its storage stays');
    });

    test('no finalizer yet -> not said to stay, if it is deleted', () => {
      const bare = volumeOf('Delete', {}, { phase: 'Released' });
      const told = explainVolume(volumeFacts({ volume: bare, elsewhere, holdfast: reclaiming }));
      expect(then(told, 'it is deleted')).toMatch(/^the volume goes, and its storage is left behind/);
    });

    test('hostPath that pv-reclaim-honor holds -> the folder stays while that claim is there', () => {
      const told = explainVolume(volumeFacts({ volume: heldFolder(), elsewhere }));
      expect(told.holders.at(-1)).toMatchObject({ name: 'bank/books', holds: true });
      expect(nexts(told)).toEqual(['Holdfast pv-reclaim-honor waits until claim bank/books is gone']);
      expect(then(told, 'claim bank/books is deleted')).toBe('its storage is deleted, then the volume');
    });
  });

  test('released hostPath that pv-reclaim-honor holds, another volume needs the folder -> waits for that one', () => {
    const sharing = { neededBy: ['pv-2'], attachedTo: [] };
    const told = explainVolume(volumeFacts({ volume: heldFolder(), sharing }));
    expect(nexts(told)).toEqual(['Holdfast pv-reclaim-honor waits: storage shared with pv-2']);
  });

  describe('UID in claimRef was changed, the claim of that name is bound to the volume', () => {
    const claim = claimOf(0, {
      ...{ volumeName: 'pv-1', phase: 'Lost' },
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    });
    const released = volumeOf('Delete', { finalizers: [provisionerFinalizer] }, { phase: 'Released' });
    const volume: PersistentVolume = {
      ...released,
      spec: { ...released.spec, claimRef: { ...released.spec?.claimRef, uid: 'typo' } },
    };

    test('Holdfast is at work -> it keeps the storage while the claim is there', () => {
      const told = explainVolume(volumeFacts({ volume, claim, holdfast: reclaiming }));
      expect(told.state).toBe(
        'Released from claim shop/data-web-0, which says that it is bound to it, though the UID in claimRef is another, reclaim policy Delete',
      );
      expect(told.holders.at(-1)).toMatchObject({
        ...{ kind: 'claim', name: 'shop/data-web-0', holds: true },
        words: 'says that it is bound to it: pv-reclaim-honor keeps the storage while it is there',
      });
      expect(nexts(told)).toEqual([
        `Holdfast pv-reclaim-honor (driver disks.example.com) waits until the claim that says that it is bound to it is gone; if claimRef was changed by hand, set its uid to ${claim.metadata.uid}`,
      ]);
      expect(then(told, 'it is deleted')).toMatch(
        /^it stays, being deleted, until claim shop\/data-web-0 is gone; then /,
      );
      expect(then(told, 'claim shop/data-web-0 is deleted')).toBe('its storage is deleted, then the volume');
    });

    test('Holdfast is not at work -> the storage goes', () => {
      const told = explainVolume(volumeFacts({ volume, claim, holdfast: undefined }));
      expect(told.holders.at(-1)).toMatchObject({
        holds: false,
        words: 'is another claim of that name (UID)',
      });
      expect(nexts(told)).toEqual([expect.stringMatching(/deletes the storage/)]);
    });

    test('the claim -> its data goes with it', () => {
      expect(then(explainClaim(facts(claim, { volume })), 'it is deleted')).toMatch(
        /; then its data is deleted with pv-1$/,
      );
    });
  });

  describe('claimRef was given to another claim, which is gone, and the first is bound to the volume', () => {
    const claim = claimOf(0, {
      ...{ volumeName: 'pv-1', phase: 'Lost' },
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    });
    const released = volumeOf('Delete', { finalizers: [provisionerFinalizer] }, { phase: 'Released' });
    const volume: PersistentVolume = {
      ...released,
      spec: { ...released.spec, claimRef: { namespace: 'shop', name: 'renamed', uid: 'gone' } },
    };

    test('Holdfast is at work -> it keeps the storage while the first claim is there', () => {
      const told = explainVolume(volumeFacts({ volume, elsewhere: claim, holdfast: reclaiming }));
      expect(told.state).toBe(
        'Released from claim shop/renamed, which is gone, while claim shop/data-web-0 says that it is bound to it, reclaim policy Delete',
      );
      expect(told.holders.at(-1)).toMatchObject({
        ...{ kind: 'claim', name: 'shop/data-web-0', holds: true },
        words: 'says that it is bound to it: pv-reclaim-honor keeps the storage while it is there',
      });
      expect(nexts(told)).toEqual([
        'Holdfast pv-reclaim-honor (driver disks.example.com) waits until claim shop/data-web-0, which says that it is bound to it, is gone; if claimRef was changed by hand, set its namespace, name and uid to those of that claim',
      ]);
      expect(then(told, 'claim shop/data-web-0 is deleted')).toBe('its storage is deleted, then the volume');
    });

    test('several say so -> the one that Holdfast sees counts, if there is one', () => {
      const there = { ...claim, metadata: { ...claim.metadata, namespace: 'bank', uid: 'another' } };
      const chosen = (namespaces: readonly string[]) =>
        claimElsewhere([there, claim], { volume, named: undefined, holdfast: { namespaces } });
      expect(chosen(['shop'])).toBe(claim);
      expect(chosen(['ops'])).toBe(there);
      expect(chosen([])).toBe(there);
    });

    test('the named claim says so too -> that one counts, unless another has the UID', () => {
      const named = { ...claim, metadata: { ...claim.metadata, name: 'renamed', uid: 'new' } };
      const holdfast = undefined;
      expect(claimElsewhere([named, claim], { volume, named, holdfast })).toBeUndefined();
      const own = { ...claim, metadata: { ...claim.metadata, uid: 'gone' } };
      expect(claimElsewhere([named, own], { volume, named, holdfast })).toBe(own);
    });

    test.each([
      ['reclaims', reclaiming, 1],
      ['guards', { ...reclaiming, mode: 'guard' } as const, 0],
    ])(
      'it may not be read whether there is one, Holdfast %s -> said if it looks for one',
      (_, holdfast, times) => {
        const told = explainVolume(volumeFacts({ volume, isElsewhereUnread: true, holdfast }));
        expect(nexts(told).filter((each) => each.includes('could not be read'))).toHaveLength(times);
        const kept = { ...volume, spec: { ...volume.spec, persistentVolumeReclaimPolicy: 'Retain' } };
        const ofKept = explainVolume(volumeFacts({ volume: kept, isElsewhereUnread: true, holdfast }));
        expect(nexts(ofKept).join()).not.toContain('could not be read');
      },
    );

    test('Holdfast is not at work -> the storage goes', () => {
      const told = explainVolume(volumeFacts({ volume, elsewhere: claim, holdfast: undefined }));
      expect(told.holders.at(-1)).toMatchObject({
        holds: false,
        words: 'says that it is bound to it, but only the claim that is named there is looked for',
      });
      expect(nexts(told)).toEqual([expect.stringMatching(/deletes the storage/)]);
    });

    test.each(['Released', 'Failed'])('the first claim, volume %s -> its data goes with it', (phase) => {
      const now = { ...volume, status: { phase } };
      expect(then(explainClaim(facts(claim, { volume: now })), 'it is deleted')).toMatch(
        /; then its data is deleted with pv-1$/,
      );
    });

    test('the first claim, volume bound to the second -> its data is that of the second', () => {
      const bound = { ...volume, status: { phase: 'Bound' } };
      expect(then(explainClaim(facts(claim, { volume: bound })), 'it is deleted')).not.toMatch(
        /its data is deleted/,
      );
    });
  });

  test('released, Retain -> nobody deletes it', () => {
    const told = explainVolume(volumeFacts({ volume: volumeOf('Retain', {}, { phase: 'Released' }) }));
    expect(told.state).toBe('Released from claim shop/data-web-0, which is gone, reclaim policy Retain');
    expect(nexts(told)).toEqual([
      'nobody deletes it: policy Retain leaves volume and storage to an administrator',
    ]);
  });

  test('released, Delete, attached -> its provisioner, once it is detached', () => {
    const told = explainVolume(
      volumeFacts({ volume: volumeOf('Delete', {}, { phase: 'Released' }), attachments: [attached] }),
    );
    expect(nexts(told)).toEqual([
      'external-provisioner of disks.example.com deletes the storage, then the volume, once it is detached from node-1',
    ]);
  });

  test('released, Delete, held, Holdfast -> by its own decision', () => {
    const held = { finalizers: [provisionerFinalizer] };
    const told = explainVolume(
      volumeFacts({ volume: volumeOf('Delete', held, { phase: 'Released' }), holdfast: reclaiming }),
    );
    expect(nexts(told)).toEqual([
      'Holdfast pv-reclaim-honor (driver disks.example.com) deletes the storage by disks.example.com, then the volume, and takes its finalizer off',
    ]);
  });

  test.each([
    ['at work', reclaiming],
    ['not seen at work', undefined],
  ])('flags of pv-reclaim-honor in a file, %s -> it might act otherwise', (_, holdfast) => {
    const hidden = '--config names a file';
    expect(nexts(explainVolume(volumeFacts({ claim: claimOf(0), holdfast, hidden }))).at(-1)).toBe(
      'Holdfast pv-reclaim-honor might act otherwise: not all of its flags are known (--config names a file)',
    );
  });

  test.each([
    ['at work', reclaiming],
    ['not seen at work', undefined],
  ])(
    'being deleted, its storage is recorded as deleted, Holdfast %s -> only other finalizers keep it',
    (_, holdfast) => {
      const { uid } = volumeOf('Delete').metadata;
      const shape = {
        finalizers: ['external-attacher/disks-example-com'],
        annotations: { 'holdfast.dev/held-by': `deleted/${uid}` },
      };
      const volume = volumeOf('Delete', shape, { deletedAt, phase: 'Released' });
      const told = explainVolume(volumeFacts({ volume, claim: undefined, holdfast }));
      expect(nexts(told)).toEqual([
        'nobody has anything left to delete: pv-reclaim-honor has deleted its storage, and it goes when its finalizers are taken off',
      ]);
      expect(told.ifs).toStrictEqual([]);
    },
  );

  test('being deleted, not held, Holdfast -> warned that its storage may be left behind', () => {
    const told = explainVolume(
      volumeFacts({ volume: volumeOf('Delete', {}, { deletedAt }), claim: claimOf(0), holdfast: reclaiming }),
    );
    expect(nexts(told)[0]).toMatch(/its storage may be left behind/);
  });

  test.each([
    [
      undefined,
      'Bound to pv-1, which could not be read, used by no pod',
      /its data is in pv-1, which could not be read$/,
    ],
    ['missing', 'Bound to pv-1, which is not there, used by no pod', /it has no volume: there is no pv-1$/],
  ] as const)('claim names a volume: %s -> %s', (volume, state, fate) => {
    const told = explainClaim(facts(claimOf(0, { volumeName: 'pv-1' }), { volume, pods: [] }));
    expect(told.state).toBe(state);
    expect(then(told, 'it is deleted')).toMatch(fate);
  });

  test('bound, its claim may not be read -> not called gone, and nothing is said to be deleted next', () => {
    const told = explainVolume(volumeFacts({ claim: 'unread', holdfast: reclaiming }));
    expect(told.state).toBe('Bound to claim shop/data-web-0, which could not be read, reclaim policy Delete');
    expect(told.holders.find(({ kind }) => kind === 'claim')).toMatchObject({
      ...{ holds: 'unknown', words: 'could not be read' },
    });
    expect(nexts(told)).toEqual(['nobody acts while its claim exists, which could not be read']);
    expect(then(told, 'it is deleted')).toMatch(
      /^it stays, being deleted, while its claim is there, which could not be read; then /,
    );
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBe('its storage is deleted, then the volume');
  });

  test('bound, its claim is being deleted already -> what follows when it is gone, not when it is deleted', () => {
    const told = explainVolume(volumeFacts({ claim: claimOf(0, { deletedAt, volumeName: 'pv-1' }) }));
    expect(then(told, 'claim shop/data-web-0 is gone')).toBe('its storage is deleted, then the volume');
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBeUndefined();
  });

  test('released, its claim may not be read -> the phase says that it is gone', () => {
    const volume = volumeOf('Delete', {}, { phase: 'Released' });
    const told = explainVolume(volumeFacts({ volume, claim: 'unread' }));
    expect(told.state).toBe('Released from claim shop/data-web-0, which is gone, reclaim policy Delete');
  });

  test('released, its claim may not be read -> deleted only if that is gone', () => {
    const volume = volumeOf('Delete', { finalizers: [provisionerFinalizer] }, { phase: 'Released' });
    const told = explainVolume(volumeFacts({ volume, claim: 'unread', holdfast: reclaiming }));
    expect(told.next.map((step) => step.does)).toEqual([
      expect.stringMatching(
        /^deletes the storage.*, if its claim is gone, as its phase says: .* not be read$/,
      ),
    ]);
  });

  test.each(['name', 'namespace'] as const)(
    'released, claimRef has a UID and no %s -> left as it is',
    (part) => {
      const released = volumeOf('Delete', { finalizers: [provisionerFinalizer] }, { phase: 'Released' });
      const claimRef = { ...released.spec?.claimRef, [part]: undefined };
      const told = explainVolume(
        volumeFacts({ volume: { ...released, spec: { ...released.spec, claimRef } }, holdfast: reclaiming }),
      );
      expect(nexts(told)).toEqual([
        `Holdfast pv-reclaim-honor leaves it as it is: claimRef has no ${part}, so whether its claim is there is not known; set spec.claimRef.${part}`,
      ]);
    },
  );

  test('released, held by pv-reclaim-honor, made by another provisioner by now -> said how it gets free', () => {
    const volume = volumeOf(
      'Delete',
      {
        finalizers: ['holdfast.dev/undo-window'],
        annotations: { 'pv.kubernetes.io/provisioned-by': 'nfs.example.com' },
      },
      { phase: 'Released' },
    );
    expect(nexts(explainVolume(volumeFacts({ volume, holdfast: reclaiming })))[0]).toMatch(
      /holds it by a finalizer of its own, and only a process that deletes such volumes takes it off/,
    );
  });

  test.each<{ what: string; sharing: VolumeFacts['sharing']; does: RegExp }>([
    {
      what: 'needed by another',
      sharing: { neededBy: ['pv-2'], attachedTo: [] },
      does: /^waits: storage shared with pv-2$/,
    },
    {
      what: 'another attached',
      sharing: { neededBy: [], attachedTo: ['node-2'] },
      does: /^waits: attached to node-2$/,
    },
    {
      what: 'not known',
      sharing: 'unread',
      does: /^deletes the storage.*, if no other volume needs it: persistentvolumes could not be listed$/,
    },
  ])('released, storage $what -> $does', ({ sharing, does }) => {
    const volume = volumeOf('Delete', { finalizers: [provisionerFinalizer] }, { phase: 'Released' });
    const told = explainVolume(volumeFacts({ volume, holdfast: reclaiming, ...(sharing && { sharing }) }));
    expect(told.next.map((step) => step.does)).toEqual([expect.stringMatching(does)]);
  });

  test.each([
    ['Holdfast', reclaiming],
    ['stock controllers', undefined],
  ])('released, attachments may not be read, %s -> whether one holds it is unknown', (_, holdfast) => {
    const volume = volumeOf('Delete', { finalizers: [provisionerFinalizer] }, { phase: 'Released' });
    const told = explainVolume(volumeFacts({ volume, holdfast, attachments: undefined }));
    expect(told.holders.find(({ kind }) => kind === 'attachment')?.holds).toBe('unknown');
    expect(nexts(told)).toEqual([
      expect.stringMatching(
        /deletes the storage.*, if it is attached to no node: attachments could not be read$/,
      ),
    ]);
  });

  test('a claim of the name with another UID -> its own is gone', () => {
    const told = explainVolume(
      volumeFacts({ claim: { ...claimOf(0), metadata: { ...claimOf(0).metadata, uid: 'another' } } }),
    );
    expect(told.state).toMatch(/from claim shop\/data-web-0, which is gone/);
  });
});

/** Gates of a pv-reclaim-honor that gives undo windows. */
const windows = {
  ...reclaiming,
  gates: parseFeatureGates(reclaimGates, 'ReclaimGracePeriod=true'),
} as const;

function withGrace(grace: string): StorageClass {
  const { metadata, ...rest } = classOf('fast', false);
  return { ...rest, metadata: { ...metadata, annotations: { 'holdfast.dev/reclaim-grace': grace } } };
}

describe('what keeps or takes data, said', () => {
  const undo = volumeOf('Retain', {
    annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '5m' },
    finalizers: ['kubernetes.io/pv-protection', 'holdfast.dev/undo-window'],
  });
  test('Retain, held by an undo window that means Delete, claim deleted -> storage goes after the window', () => {
    const told = explainVolume(volumeFacts({ volume: undo, claim: claimOf(0), holdfast: windows }));
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBe(
      'its storage is deleted after its undo window, then the volume',
    );
    expect(then(told, 'it is deleted')).not.toMatch(/storage stays/);
  });

  test('Delete, asks for an undo window, claim deleted -> storage goes after the window', () => {
    const volume = volumeOf('Delete', {
      annotations: { 'holdfast.dev/reclaim-grace': '5m' },
      finalizers: [provisionerFinalizer],
    });
    const told = explainVolume(volumeFacts({ volume, claim: claimOf(0), holdfast: windows }));
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBe(
      'its storage is deleted after its undo window, then the volume',
    );
  });

  test('Retain, held by an undo window that means Delete, Holdfast -> its finalizer is not exchanged', () => {
    const told = explainVolume(volumeFacts({ volume: undo, claim: claimOf(0), holdfast: windows }));
    expect(nexts(told)).toEqual([
      'Holdfast pv-reclaim-honor (driver disks.example.com) waits until its claim is gone',
    ]);
  });

  test('Retain that means Delete, not held yet, Holdfast -> storage goes after the window', () => {
    const volume = volumeOf('Retain', {
      annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '5m' },
    });
    const told = explainVolume(volumeFacts({ volume, claim: claimOf(0), holdfast: windows }));
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBe(
      'its storage is deleted after its undo window, then the volume',
    );
  });

  test('Delete in the field and in the annotation, set to Retain -> not called kept: the annotation still means Delete', () => {
    const volume = volumeOf('Delete', {
      annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '5m' },
    });
    const told = explainVolume(volumeFacts({ volume, claim: claimOf(0), holdfast: windows }));
    expect(then(told, 'its policy is set to Retain')).toBe(
      'its storage is kept for good only if annotation holdfast.dev/reclaim-policy is taken off as well: with it, an undo window ends with the deletion of the storage',
    );
  });

  test('Delete, asks for an undo window, made by a provisioner -> that might delete the storage at once', () => {
    const volume = volumeOf('Delete', {
      annotations: { 'pv.kubernetes.io/provisioned-by': 'disks.example.com' },
      finalizers: [provisionerFinalizer],
    });
    const told = explainVolume(
      volumeFacts({ volume, claim: claimOf(0), holdfast: windows, storageClass: withGrace('5m') }),
    );
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBe(
      'its storage is deleted after its undo window, or at once by its provisioner, then the volume',
    );
  });

  test('Delete, asks for an undo window, mode guard -> the storage is said to go, without a window', () => {
    const volume = volumeOf('Delete', { finalizers: [provisionerFinalizer] });
    const told = explainVolume(
      volumeFacts({
        ...{ volume, claim: claimOf(0), storageClass: withGrace('5m') },
        holdfast: { ...windows, mode: 'guard' },
      }),
    );
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBe('its storage is deleted, then the volume');
  });

  test('provisioned by another than its driver, Holdfast -> left to that', () => {
    const volume = volumeOf(
      'Delete',
      { annotations: { 'pv.kubernetes.io/provisioned-by': 'other.example.com' } },
      { phase: 'Released' },
    );
    const told = explainVolume(volumeFacts({ volume, holdfast: reclaiming }));
    expect(nexts(told).join()).not.toMatch(/^Holdfast/);
  });

  test('finalizer of somebody else, not deleted yet -> would stay until that is off', () => {
    const told = explainClaim(
      facts(claimOf(0, { finalizers: ['kubernetes.io/pvc-protection', 'example.com/backup'] })),
    );
    expect(then(told, 'it is deleted')).toMatch(
      /^it stays, being deleted, until example\.com\/backup is off; then /,
    );
  });
});

test('pv-reclaim-honor is not at work, Retain that means Delete -> the data goes only once it is back', () => {
  const volume = volumeOf('Retain', {
    finalizers: ['holdfast.dev/undo-window'],
    annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '1h' },
  });
  const claim = claimOf(0, { volumeName: 'pv-1', finalizers: [] });
  const told = explainClaim(facts(claim, { volume, giver: { absent: 'no lease', isOff: false } }));
  expect(then(told, 'it is deleted')).toMatch(
    /its data is deleted later with pv-1, once pv-reclaim-honor is at work again$/,
  );
});

describe('volume in its undo window', () => {
  const due = '2026-03-01T12:30:00.000Z';
  const marks = {
    'holdfast.dev/delete-after': due,
    'holdfast.dev/delete-after-uid': 'uid-of-pv-1',
    'holdfast.dev/delete-after-claim-uid': 'uid-of-data-web-0',
  };
  const meant = { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '1h' };
  const released = (more: { readonly deletedAt?: string } = {}) =>
    volumeOf(
      'Retain',
      { annotations: { ...meant, ...marks }, finalizers: ['holdfast.dev/undo-window'] },
      { phase: 'Released', ...more },
    );
  const gone = { absent: undefined, wait: { kind: 'none' } } as const;
  const asking = (more: { readonly deletedAt?: string } = {}): PersistentVolumeClaim => {
    const { metadata, ...rest } = claimOf(0, { volumeName: 'pv-1', phase: 'Pending', ...more });
    return { ...rest, metadata: { ...metadata, uid: 'uid-of-another' } };
  };
  const by = 'Holdfast pv-reclaim-honor (driver disks.example.com) ';
  const wayBack = '; until then a claim of its name with spec.volumeName pv-1 gets it back';

  test('open -> when its storage is deleted, and how to get it back', () => {
    const told = explainVolume(volumeFacts({ volume: released(), holdfast: windows }));
    expect(nexts(told)).toEqual([
      `${by}waits until its undo window is over`,
      `Holdfast pv-reclaim-honor deletes its storage after ${due}${wayBack}`,
    ]);
  });

  test.each<readonly [string, number]>([
    ['within the window', now],
    ['after it, within the hour', Date.parse('2026-03-01T12:40:00Z')],
  ])('led again after nobody had led it for long, %s -> no sooner than an hour after that', (_, at) => {
    const wait = { kind: 'until', time: Date.parse('2026-03-01T12:45:00Z') } as const;
    const told = explainVolume(
      volumeFacts({ volume: released(), holdfast: windows, keeper: { absent: undefined, wait }, now: at }),
    );
    expect(nexts(told)).toEqual([
      `${by}waits until its undo window is over`,
      `Holdfast pv-reclaim-honor deletes its storage after 2026-03-01T12:45:00.000Z, and not after ${due}: nobody had led it for more than five minutes, or etcd was restored${wayBack}`,
    ]);
  });

  test('over -> deleted first, and not said to be had back', () => {
    const told = explainVolume(
      volumeFacts({ volume: released(), holdfast: windows, now: Date.parse(due), keeper: gone }),
    );
    expect(nexts(told)).toEqual([
      `${by}deletes the volume first, since its undo window is over, then its storage`,
    ]);
  });

  test('its lease may not be read -> up to an hour later', () => {
    const told = explainVolume(
      volumeFacts({
        ...{ volume: released(), holdfast: windows },
        keeper: { absent: undefined, wait: { kind: 'unread' } },
      }),
    );
    expect(nexts(told).at(-1)).toMatch(
      /after 2026-03-01T12:30:00\.000Z, or up to an hour later, .* list leases; /,
    );
  });

  test('a claim asks for it -> given back', () => {
    const told = explainVolume(volumeFacts({ volume: released(), claim: asking(), holdfast: windows }));
    expect(nexts(told)).toEqual([`${by}gives it back to the claim that asks for it`]);
  });

  test('the claim that asks for it is being deleted -> not given back', () => {
    const claim = asking({ deletedAt });
    const told = explainVolume(volumeFacts({ volume: released(), claim, holdfast: windows }));
    expect(nexts(told)[0]).toBe(`${by}waits until its undo window is over`);
    expect(told.holders.at(-1)).toMatchObject({
      ...{ kind: 'claim', holds: false },
      words: 'is another claim of that name (UID), being deleted',
    });
    const over = explainVolume(
      volumeFacts({ volume: released(), claim, holdfast: windows, now: Date.parse(due) }),
    );
    expect(nexts(over)).toEqual([
      `${by}deletes the volume first, since its undo window is over, then its storage`,
    ]);
  });

  test('is being deleted -> no claim is said to get it back, but how its storage is kept', () => {
    const told = explainVolume(volumeFacts({ volume: released({ deletedAt }), holdfast: windows }));
    expect(nexts(told).at(-1)).toBe(
      `Holdfast pv-reclaim-honor deletes its storage after ${due}; until then kubectl holdfast undo pv pv-1 keeps the storage`,
    );
  });

  test.each<{
    what: string;
    volume: PersistentVolume;
    giver?: NonNullable<ClaimFacts['giver']>;
    does: string;
  }>([
    {
      what: 'pv-reclaim-honor at work',
      volume: released(),
      giver: { absent: undefined, isOff: false },
      does: 'Holdfast pv-reclaim-honor gives it pv-1 back, which is in its undo window',
    },
    {
      what: 'it is not known whether it is',
      volume: released(),
      does: 'Holdfast pv-reclaim-honor gives it pv-1 back, which is in its undo window',
    },
    {
      what: 'pv-reclaim-honor not at work',
      volume: released(),
      giver: { absent: 'no lease', isOff: false },
      does: 'Holdfast pv-reclaim-honor gives it pv-1 back, which is in its undo window, once it is at work again: no lease',
    },
    {
      what: 'its gate off, Retain in the field',
      volume: released(),
      giver: { absent: undefined, isOff: true },
      does: 'nobody binds it to pv-1: that is bound to another claim, an earlier one of its name',
    },
    {
      what: 'the volume is being deleted',
      volume: released({ deletedAt }),
      does: 'nobody gives it pv-1 back: that is being deleted',
    },
    {
      what: 'a deletion of its storage was begun',
      volume: {
        ...released(),
        metadata: {
          ...released().metadata,
          annotations: {
            ...released().metadata.annotations,
            'holdfast.dev/deletion-begun': 'uid-of-pv-1/uid-of-data-web-0',
          },
        },
      },
      does: 'nobody gives it pv-1 back: a deletion of its storage was begun',
    },
  ])('a claim asks for it, $what -> $does', ({ volume, giver, does }) => {
    const told = explainClaim(facts(asking(), { volume, ...(giver === undefined ? {} : { giver }) }));
    expect(nexts(told)).toEqual([does]);
  });

  test('pv-reclaim-honor is not at work -> nobody deletes it', () => {
    const keeper = { ...gone, absent: 'no process holds a lease' };
    const told = explainVolume(volumeFacts({ volume: released(), keeper }));
    expect(nexts(told)).toEqual([
      'nobody deletes it: policy Retain leaves volume and storage to an administrator',
      'Holdfast pv-reclaim-honor takes holdfast.dev/undo-window off only once it is at work again: no process holds a lease',
      `Holdfast pv-reclaim-honor would delete its storage after ${due}, but is not at work: no process holds a lease`,
    ]);
  });

  test('kept by hand meanwhile, its mark still there -> not said to be deleted', () => {
    const volume = volumeOf('Retain', { annotations: marks }, { phase: 'Released' });
    expect(nexts(explainVolume(volumeFacts({ volume, keeper: gone })))).toEqual([
      'nobody deletes it: policy Retain leaves volume and storage to an administrator',
    ]);
  });
});

describe('folder that pv-reclaim-honor holds, with policy Delete, asks for an undo window', () => {
  const folder = (phase: string, grace: string, marks: Readonly<Record<string, string>> = {}) => {
    const metadata = {
      finalizers: ['kubernetes.io/pv-controller'],
      annotations: { 'holdfast.dev/reclaim-grace': grace, ...marks },
    };
    const { spec: { claimRef = {} } = {}, ...volume } = volumeOf('Delete', metadata, { phase });
    const spec = { persistentVolumeReclaimPolicy: 'Delete', claimRef, hostPath: { path: '/srv/a' } } as const;
    return { ...volume, spec };
  };
  const open = {
    'holdfast.dev/delete-after': '2026-03-01T12:30:00.000Z',
    'holdfast.dev/delete-after-uid': 'uid-of-pv-1',
    'holdfast.dev/delete-after-claim-uid': 'uid-of-data-web-0',
  };

  test('bound -> its storage goes after the window', () => {
    const told = explainVolume(
      volumeFacts({ volume: folder('Bound', '1h'), claim: claimOf(0), holdfast: windows }),
    );
    expect(then(told, 'claim')).toBe('its storage is deleted after its undo window, then the volume');
  });

  test.each<readonly [string, PersistentVolume, string]>([
    ['no mark', folder('Released', '1h'), 'marks it, so that the folder is deleted after its undo window'],
    ['open', folder('Released', '1h', open), 'waits until its undo window is over'],
    [
      'over',
      folder('Released', '1h', { ...open, 'holdfast.dev/delete-after': '2026-03-01T11:59:00Z' }),
      'deletes the folder on its node, then the volume',
    ],
    ['not possible', folder('Released', '1d'), 'waits: the undo window that it asks for is not available'],
  ])('released, window: %s -> what is next', (_, volume, does) => {
    expect(nexts(explainVolume(volumeFacts({ volume, holdfast: windows })))[0]).toBe(
      `Holdfast pv-reclaim-honor ${does}`,
    );
  });
});

describe('volume with Retain, annotated with reclaim-policy Delete', () => {
  const meant = { 'holdfast.dev/reclaim-policy': 'Delete' };
  const held = (annotations = {}, phase = 'Bound', deleted = {}) =>
    volumeOf(
      'Retain',
      { annotations: { ...meant, ...annotations }, finalizers: ['holdfast.dev/undo-window'] },
      { phase, ...deleted },
    );
  const noWindow =
    'a warning No storage is deleted: annotation holdfast.dev/reclaim-policy counts only with an undo window; add holdfast.dev/reclaim-grace, or set persistentVolumeReclaimPolicy';
  const by = 'Holdfast pv-reclaim-honor (driver disks.example.com) ';

  test('no window, held from before -> let go, and its storage stays, whatever is deleted', () => {
    const told = explainVolume(volumeFacts({ volume: held(), claim: claimOf(0), holdfast: windows }));
    expect(nexts(told)).toEqual([`${by}takes holdfast.dev/undo-window off`, noWindow]);
    expect(then(told, 'it is deleted')).toBe(
      'it stays, being deleted, until its claim is gone; then the volume goes, and its storage stays',
    );
    expect(then(told, 'claim')).toBe('it is Released, and its storage stays');
  });

  test('no window, released -> nobody deletes it, and why is said', () => {
    const volume = volumeOf('Retain', { annotations: meant }, { phase: 'Released' });
    expect(nexts(explainVolume(volumeFacts({ volume, holdfast: windows })))).toEqual([
      'nobody deletes it: policy Retain leaves volume and storage to an administrator',
      noWindow,
    ]);
  });

  test('its class asks for the window -> its storage goes after it', () => {
    const told = explainVolume(
      volumeFacts({
        ...{ volume: held(), claim: claimOf(0), holdfast: windows },
        storageClass: withGrace('1h'),
      }),
    );
    expect(then(told, 'claim')).toBe('its storage is deleted after its undo window, then the volume');
    expect(nexts(told)).toEqual([`${by}waits until its claim is gone`]);
  });

  test('its class may not be read -> its storage might go after a window', () => {
    const volume = held();
    const told = explainVolume(
      volumeFacts({
        volume: { ...volume, spec: { ...volume.spec, storageClassName: 'fast' } },
        ...{ claim: claimOf(0), holdfast: windows, storageClass: 'unread' },
      }),
    );
    expect(then(told, 'claim')).toBe('its storage is deleted after its undo window, then the volume');
    expect(nexts(told)).toEqual([
      'Holdfast pv-reclaim-honor might wait for an undo window: class fast, which might ask for one, could not be read',
    ]);
  });

  test.each(['1d', '0s', '876001h'])('window of %s, which is not possible -> nothing is deleted', (grace) => {
    const volume = held({ 'holdfast.dev/reclaim-grace': grace }, 'Released');
    const told = explainVolume(volumeFacts({ volume, holdfast: windows }));
    expect(nexts(told)).toEqual([
      `${by}waits: the undo window that it asks for is not available`,
      expect.stringMatching(/^a warning No storage is deleted: annotation holdfast\.dev\/reclaim-grace is /),
    ]);
    expect(then(told, 'it is deleted')).not.toMatch(/its storage is deleted/);
  });

  const absent = { absent: 'no process holds a lease', wait: { kind: 'none' } } as const;

  test('bound, pv-reclaim-honor is not at work -> its storage is deleted only once that is', () => {
    const volume = held({ 'holdfast.dev/reclaim-grace': '1h' });
    const told = explainVolume(volumeFacts({ volume, claim: claimOf(0), keeper: absent }));
    expect(nexts(told)).toEqual(['nobody acts until its claim is gone']);
    expect(then(told, 'claim')).toBe(
      'its storage is deleted after its undo window, once pv-reclaim-honor is at work again, then the volume',
    );
    expect(then(told, 'it is deleted')).toBe(
      'it stays, being deleted, until its claim is gone; then its storage is deleted after its undo window, once pv-reclaim-honor is at work again, before it goes',
    );
  });

  test('bound, not held yet, pv-reclaim-honor is not at work -> its storage stays', () => {
    const volume = volumeOf('Retain', { annotations: { ...meant, 'holdfast.dev/reclaim-grace': '1h' } });
    const told = explainVolume(volumeFacts({ volume, claim: claimOf(0), keeper: absent }));
    expect(then(told, 'claim')).toBe('it is Released, and its storage stays');
  });
});

describe('pv-reclaim-honor, which alone holds the volume, is not at work', () => {
  const keeper = { absent: 'no process holds a lease', wait: { kind: 'none' } } as const;
  const takesOff = (finalizer: string) =>
    `Holdfast pv-reclaim-honor takes ${finalizer} off only once it is at work again: no process holds a lease`;

  test('CSI -> its provisioner deletes the storage, and the volume stays until pv-reclaim-honor is back', () => {
    const bound = explainVolume(
      volumeFacts({ volume: volumeOf('Delete', ownFinalizer), claim: claimOf(0), keeper }),
    );
    expect(then(bound, 'claim')).toBe(
      'its storage is deleted by its provisioner, if that is at work, or once pv-reclaim-honor is at work again, then the volume',
    );
    expect(then(bound, 'it is deleted')).toMatch(
      /then its storage is deleted once pv-reclaim-honor is at work again, before it goes$/,
    );
    const volume = volumeOf('Delete', ownFinalizer, { phase: 'Released' });
    expect(nexts(explainVolume(volumeFacts({ volume, keeper })))).toEqual([
      'external-provisioner of disks.example.com deletes the storage, then the volume',
      takesOff('example.com/reclaim'),
    ]);
  });

  test.each([
    ['/srv/a', 'nobody deletes the folder: pv-reclaim-honor, which holds the volume, is not at work'],
    [
      '/tmp/a',
      'kube-controller-manager deletes the folder where it runs itself, if it finds one: the folder on another node stays until pv-reclaim-honor, which holds the volume, is at work again',
    ],
  ])('hostPath %s -> its folder stays until it is back', (path, step) => {
    const onHost = (phase: string): PersistentVolume => {
      const finalizers = ['kubernetes.io/pv-controller', 'holdfast.dev/host-path'];
      const { spec: { claimRef = {} } = {}, ...volume } = volumeOf('Delete', { finalizers }, { phase });
      const spec = { persistentVolumeReclaimPolicy: 'Delete' as const, claimRef, hostPath: { path } };
      return volumeFields.fromJson({ ...volume, spec });
    };
    expect(nexts(explainVolume(volumeFacts({ volume: onHost('Released'), keeper })))).toEqual([
      step,
      takesOff('holdfast.dev/host-path, kubernetes.io/pv-controller'),
    ]);
    const bound = explainVolume(volumeFacts({ volume: onHost('Bound'), claim: claimOf(0), keeper }));
    expect(then(bound, 'claim')).toBe(
      'its storage is deleted once pv-reclaim-honor is at work again, then the volume',
    );
  });

  test('held by the finalizer that provisioners share -> that of a provisioner may be at work', () => {
    const volume = volumeOf('Delete', {
      finalizers: [provisionerFinalizer],
      annotations: { 'holdfast.dev/held-by': provisionerFinalizer },
    });
    const told = explainVolume(volumeFacts({ volume, claim: claimOf(0), keeper }));
    expect(then(told, 'claim')).toBe('its storage is deleted, then the volume');
  });
});

test('Delete, asks for no window itself, its class may not be read -> might wait for a window', () => {
  const { spec, ...volume } = volumeOf(
    'Delete',
    { finalizers: [provisionerFinalizer] },
    { phase: 'Released' },
  );
  const told = explainVolume(
    volumeFacts({
      volume: { ...volume, spec: { ...spec, storageClassName: 'fast' } },
      ...{ holdfast: windows, storageClass: 'unread' },
    }),
  );
  expect(nexts(told).at(-1)).toBe(
    'Holdfast pv-reclaim-honor might wait for an undo window: class fast, which might ask for one, could not be read',
  );
});

describe('annotation holdfast.dev/deletion-protection', () => {
  const annotations = { 'holdfast.dev/deletion-protection': 'true' };

  test('on a claim -> its deletion is refused if the policy is applied, and what happens otherwise', () => {
    const told = explainClaim(facts(claimOf(0, { annotations })));
    expect(then(told, 'it is deleted')).toMatch(
      /^refused while it has annotation holdfast\.dev\/deletion-protection, if policy holdfast-deletion-protection is applied; else it goes at once; then /,
    );
  });

  test('on a claim in an undo window -> not said to go with its end, if the policy is applied', () => {
    const told = explainClaim(
      facts(
        claimOf(0, {
          annotations: {
            ...annotations,
            'holdfast.dev/delete-after': '2026-03-01T12:30:00.000Z',
            'holdfast.dev/delete-after-uid': 'uid-of-data-web-0',
            'holdfast.dev/delete-after-scale-down': 'StatefulSet.apps/web/uid-of-web/uid-of-data-web-0',
          },
        }),
      ),
    );
    expect(nexts(told).join()).toMatch(
      /deletes the claim after 2026-03-01T12:30:00\.000Z \(if policy holdfast-deletion-protection is applied, it stays as long as .*\); to keep it/,
    );
  });

  test('on a claim that is being deleted -> too late, and not mentioned', () => {
    const told = explainClaim(facts(claimOf(0, { annotations, deletedAt })));
    expect(JSON.stringify(told)).not.toMatch(/deletion-protection/);
  });

  test('on a volume -> the same, and it is not said to keep the storage', () => {
    const volume = volumeOf('Delete', { annotations, finalizers: [provisionerFinalizer] });
    const told = explainVolume(volumeFacts({ volume, claim: claimOf(0) }));
    expect(then(told, 'it is deleted')).toMatch(
      /^refused while .* is applied; else it stays, being deleted, /,
    );
    expect(then(told, 'claim shop/data-web-0 is deleted')).toBe(
      'its storage is deleted, then the volume, which stays if policy holdfast-deletion-protection is applied',
    );
  });
});

describe('class', () => {
  const waiting = claimOf(0, { phase: 'Pending' });
  const pending = claimOf(1, { phase: 'Pending', className: 'slow' });

  test('the default one -> given to the claims that wait', () => {
    const storageClass = classOf('fast', true);
    const told = explainClass({ storageClass, classes: [storageClass], claims: [waiting, pending] });
    expect(told.state).toMatch(/^the default class; provisioner disks\.example\.com, reclaim policy Delete/);
    expect(nexts(told)).toEqual([
      'kube-controller-manager, or Holdfast retroactive-default-sc, gives it to 1 claim without a class',
    ]);
    expect(then(told, 'it is deleted')).toMatch(/the default class is then none$/);
  });

  test('not the default one, a claim of it is not bound -> waits for the provisioner', () => {
    const [slow, fast] = [classOf('slow', false), classOf('fast', true)];
    const told = explainClass({ storageClass: slow, classes: [slow, fast], claims: [waiting, pending] });
    expect(told.state).toMatch(/^not the default class/);
    expect(nexts(told)).toEqual(['disks.example.com makes a volume for 1 claim not bound yet']);
    expect(then(told, 'it becomes the default class')).toBe('1 claim without class or volume is given it');
  });

  test('waits for a pod, two claims of it are not bound -> volumes once a pod has a node', () => {
    const slow: StorageClass = { ...classOf('slow', false), volumeBindingMode: 'WaitForFirstConsumer' };
    const other = claimOf(2, { phase: 'Pending', className: 'slow' });
    const told = explainClass({ storageClass: slow, classes: [slow], claims: [pending, other] });
    expect(nexts(told)).toEqual([
      'disks.example.com makes volumes for 2 claims not bound yet, once the scheduler has chosen a node for a pod that names the claim',
    ]);
    expect(told.holders.map(({ words }) => words)).toEqual(['named by 2 claims, 2 not bound yet']);
  });

  test('without a provisioner, a claim of it is not bound -> waits for an administrator', () => {
    const local = { ...classOf('slow', false), provisioner: 'kubernetes.io/no-provisioner' };
    const told = explainClass({ storageClass: local, classes: [local], claims: [pending] });
    expect(nexts(told)).toEqual(['an administrator makes a volume for 1 claim not bound yet']);
  });

  test('one of two that are marked as default -> said which counts', () => {
    const [older, newer] = [
      classOf('a', true, '2026-01-01T00:00:00Z'),
      classOf('b', true, '2026-02-01T00:00:00Z'),
    ];
    const told = explainClass({ storageClass: older, classes: [older, newer], claims: [] });
    expect(told.state).toMatch(/^marked as default, but b is the one that counts/);
  });
});

function classOf(name: string, isDefault: boolean, creationTimestamp = '2026-01-01T00:00:00Z'): StorageClass {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': String(isDefault) };
  return {
    metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', annotations, creationTimestamp },
    provisioner: 'disks.example.com',
  };
}
