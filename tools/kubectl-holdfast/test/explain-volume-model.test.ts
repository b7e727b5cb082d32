import { expect, test } from '@jest/globals';
import {
  parseFeatureGates,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type VolumeAttachment,
} from '@holdfast/core';
import { gates } from '@holdfast/pv-reclaim-honor/decide';
import { ApiError, type ConnectedClient } from '@holdfast/runtime';
import fc from 'fast-check';
import { readFacts } from '../src/answers/volume.ts';
import type { Reclaimer } from '../src/cluster/reclaimer.ts';
import { decisionOf } from '../src/explain/volume/steps.ts';
import { wholeVerdict } from './app-verdict.ts';
import { now } from './objects.ts';

/*
 * Random clusters, in which somebody has changed claimRefs by hand: `explain pv` must judge a volume as
 * pv-reclaim-honor itself does, by what that one sees of claims and of other volumes.
 */

const namespaces = ['shop', 'bank'] as const;
const names = ['a', 'b'] as const;
const uids = ['u1', 'u2'] as const;
const csiFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';

const beforeAnyClock = '2026-01-01T00:00:00Z';
const afterAnyClock = '2126-01-01T00:00:00Z';

const orNone = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(some, { nil: undefined, freq: 6 });

const rarely = fc.constantFrom(false, false, false, true);

const annotations = fc.record(
  {
    'holdfast.dev/reclaim-grace': fc.constantFrom('1h', '1d'),
    'holdfast.dev/reclaim-policy': fc.constant('Delete'),
    'pv.kubernetes.io/provisioned-by': fc.constantFrom('disks.example.com', 'nfs.example.com'),
    'holdfast.dev/delete-after': fc.constantFrom(beforeAnyClock, afterAnyClock, 'soon'),
    'holdfast.dev/deletion-begun': fc.constantFrom('uid-of-pv-1/u1', 'uid-of-pv-1/u2'),
  },
  { requiredKeys: [] },
);

const volumeNamed = (name: string): fc.Arbitrary<PersistentVolume> =>
  fc
    .record({
      annotations: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: annotations }),
      finalizers: fc.constantFrom([csiFinalizer], [csiFinalizer], ['holdfast.dev/undo-window'], []),
      isDeleted: rarely,
      policy: fc.constantFrom('Delete', 'Delete', 'Delete', 'Retain', 'Recycle'),
      phase: fc.constantFrom('Released', 'Released', 'Released', 'Failed', 'Bound', 'Available'),
      handle: fc.constantFrom('disk-1', 'disk-1', 'disk-2'),
      claimRef: orNone(
        fc.record({
          namespace: orNone(fc.constantFrom(...namespaces)),
          name: orNone(fc.constantFrom(...names)),
          uid: orNone(fc.constantFrom(...uids)),
        }),
      ),
    })
    .map(({ isDeleted, policy, phase, handle, claimRef, ...metadata }) => {
      const uid = `uid-of-${name}`;
      const isMarked = 'holdfast.dev/delete-after' in metadata.annotations;
      const mark = {
        'holdfast.dev/delete-after-uid': uid,
        'holdfast.dev/delete-after-claim-uid': claimRef?.uid ?? '',
      };
      return JSON.parse(
        JSON.stringify({
          metadata: {
            ...{ name, uid, resourceVersion: '1', finalizers: metadata.finalizers },
            annotations: { ...metadata.annotations, ...(isMarked ? mark : {}) },
            deletionTimestamp: isDeleted ? '2026-03-01T11:30:00Z' : undefined,
          },
          spec: {
            persistentVolumeReclaimPolicy: policy,
            claimRef,
            csi: { driver: 'disks.example.com', volumeHandle: handle },
          },
          status: { phase },
        }),
      ) as PersistentVolume;
    });

const claimAt = (namespace: string, name: string): fc.Arbitrary<PersistentVolumeClaim> =>
  fc
    .record({
      uid: fc.constantFrom(...uids, `u-${namespace}-${name}`),
      volumeName: orNone(fc.constantFrom('pv-1', 'pv-2')),
      isBound: fc.boolean(),
      isDeleted: fc.boolean(),
    })
    .map(({ uid, volumeName, isBound, isDeleted }) => ({
      metadata: {
        ...{ namespace, name, uid, resourceVersion: '1' },
        ...(isBound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}),
        ...(isDeleted ? { deletionTimestamp: '2026-03-01T11:30:00Z' } : {}),
      },
      spec: volumeName === undefined ? {} : { volumeName },
    }));

const places = namespaces.flatMap((namespace) => names.map((name) => [namespace, name] as const));
const claimsOf = fc
  .tuple(...places.map(([namespace, name]) => orNone(claimAt(namespace, name))))
  .map((all) => all.filter((each) => each !== undefined))
  // No two objects have one UID.
  .map((all) =>
    all.filter(({ metadata }, at) => all.findIndex((each) => each.metadata.uid === metadata.uid) === at),
  );

const reclaimers: fc.Arbitrary<Reclaimer> = fc.record({
  gates: fc
    .constantFrom('', 'ReclaimGracePeriod=true', 'HonorPVReclaimPolicy=false')
    .map((text) => parseFeatureGates(gates, text)),
  mode: fc.constantFrom('reclaim', 'reclaim', 'guard'),
  csiFinalizer: fc.constant(csiFinalizer),
  namespaces: fc.constantFrom([], ['shop'], ['shop', 'bank']),
});

const clusters = fc.record({
  volumes: fc.tuple(volumeNamed('pv-1'), volumeNamed('pv-2')),
  claims: claimsOf,
  attachments: fc.constantFrom([], [], [], ['pv-1'], ['pv-2']).map((all) =>
    all.map((name): VolumeAttachment => ({
      metadata: { name: `at-${name}`, uid: `uid-of-at-${name}`, resourceVersion: '1' },
      spec: { attacher: 'disks.example.com', nodeName: 'node-1', source: { persistentVolumeName: name } },
    })),
  ),
  holdfast: reclaimers,
});

function clientOf(stored: Readonly<Record<string, readonly KubernetesObject[]>>): ConnectedClient {
  const of = ({ plural }: ApiResource<KubernetesObject>): readonly KubernetesObject[] => stored[plural] ?? [];
  const client = {
    serverTime: () => new Date(now),
    get: async (resource: ApiResource<KubernetesObject>, ref: ObjectRef) => {
      await Promise.resolve();
      const found = of(resource).find(
        ({ metadata }) => metadata.name === ref.name && metadata.namespace === ref.namespace,
      );
      if (found === undefined) {
        throw new ApiError('GET', 404, { reason: 'NotFound', details: { name: ref.name } });
      }
      return found;
    },
    listPages: async function* (
      resource: ApiResource<KubernetesObject>,
      { namespace }: { readonly namespace?: string } = {},
    ) {
      yield await Promise.resolve({
        metadata: { resourceVersion: '1' },
        items: of(resource).filter(
          ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
        ),
      });
    },
  };
  return client as unknown as ConnectedClient;
}

/**
 * What both come to. Of a claim that lives, the cache is enough to say that the volume is held, and in mode guard other
 * controllers go on by their own rules.
 */
function essence(decision: ReturnType<typeof decisionOf>, { mode }: Pick<Reclaimer, 'mode'>): string {
  if (typeof decision !== 'object') {
    return decision ?? 'none';
  }
  switch (decision.kind) {
    case 'none':
      return decision.reason === 'Held' && mode === 'reclaim' ? 'postpone ClaimLives' : 'none';
    case 'changeFinalizers':
      return `change ${decision.add.join()} ${decision.remove.join()}`;
    case 'postpone':
      // The attachment of another volume is told in either way.
      return mode === 'guard' ? 'none' : `postpone ${decision.reason.replace('StorageShared', 'Attached')}`;
    case 'wait':
    case 'warnOfStuck':
    case 'warnOfLeak':
      return `${decision.kind} ${decision.reason}`;
    default:
      return decision.kind;
  }
}

/** Whether it is not known which claim a `claimRef` means. */
function isUnclear({ spec }: PersistentVolume): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  return uid !== undefined && (namespace === undefined || name === undefined);
}

test('any cluster -> explained as pv-reclaim-honor judges', async () => {
  const wait = { absent: undefined, wait: { kind: 'none' } } as const;
  await fc.assert(
    fc.asyncProperty(clusters, async ({ volumes, claims, attachments, holdfast }) => {
      const [volume, other] = volumes;
      const { namespaces: served } = holdfast;
      fc.pre(served.length === 0 || served.includes(volume.spec?.claimRef?.namespace ?? ''));
      const client = clientOf({
        [persistentVolumes.plural]: volumes,
        [persistentVolumeClaims.plural]: claims,
        [storageClasses.plural]: [],
        volumeattachments: attachments,
      });
      const verdict = await wholeVerdict({ client, volumes, claims, attachments, now }, volume, holdfast);
      const facts = await readFacts(client, {
        volume,
        attachments: attachments.filter(({ spec }) => spec.source.persistentVolumeName === 'pv-1'),
        seen: { reclaimer: holdfast, hidden: undefined, keeper: wait },
      });
      const explained = essence(decisionOf(facts), holdfast);
      const judged = essence(verdict, holdfast);
      if (judged === 'unclear' && isUnclear(other)) {
        // Not even a mark is written then, by which no storage goes.
        expect(['unclear', 'postpone Attached', 'mark', 'unmark']).toContain(explained);
      } else {
        expect(explained).toBe(judged);
      }
    }),
    { numRuns: 100 },
  );
});
