import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../src/decide.ts';
import type { Decision } from '../src/decide/decision.ts';
import type { Keeper, OurKeeper, Snapshot } from '../src/decide/snapshot.ts';
import { reclaimPolicyAnnotation, undoFinalizer } from '../src/decide/undo-window.ts';
import {
  csiFinalizer,
  heldByAnnotation,
  hostPathFinalizer,
  inTreeFinalizer,
  pvProtection,
  volume,
  type VolumeShape,
} from './objects.ts';

const csi: OurKeeper = {
  kind: 'csi',
  name: 'csi.example.com',
  finalizer: csiFinalizer,
  stale: undefined,
  canDelete: true,
};
/** An in-tree volume that its CSI driver has taken over. */
const migrated: OurKeeper = { ...csi, stale: inTreeFinalizer };
const inTree: OurKeeper = {
  kind: 'inTree',
  name: 'kubernetes.io/aws-ebs',
  finalizer: inTreeFinalizer,
  stale: csiFinalizer,
  canDelete: true,
};

type Facts = Partial<Omit<Snapshot, 'volume'>> & { readonly volume?: VolumeShape | 'gone' };

function snapshot({ volume: shape = {}, ...facts }: Facts): Snapshot {
  return {
    volume: shape === 'gone' ? undefined : volume(shape),
    keeper: csi,
    claimUid: undefined,
    attachedTo: [],
    claimBound: false,
    boundElsewhere: undefined,
    unlisted: undefined,
    sharedWith: [],
    freeOver: [],
    source: 'cache',
    storageDeleted: false,
    honor: true,
    mode: 'reclaim',
    ...facts,
  };
}

/** The decision without volume and keeper, which are always those that were asked about. */
function answer(facts: Facts): Partial<Decision> {
  return Object.fromEntries(
    Object.entries(decide(snapshot(facts))).filter(([key]) => key !== 'volume' && key !== 'keeper'),
  );
}

const held = { finalizers: [pvProtection, csiFinalizer], claimUid: 'c' } as const;
const recorded = (finalizer: string) => ({ annotations: { [heldByAnnotation]: finalizer } });
const ours = { ...held, ...recorded(csiFinalizer) };
const ebs = { awsElasticBlockStore: { volumeID: 'vol-1' } };
const nfs = { nfs: { server: 's', path: '/p' } };
const hostPath: OurKeeper = {
  ...inTree,
  name: 'kubernetes.io/host-path',
  stale: undefined,
  second: hostPathFinalizer,
};
const undeletable: OurKeeper = { ...inTree, name: 'kubernetes.io/nfs', stale: undefined, canDelete: false };
const away: Keeper = { kind: 'away', name: 'csi.example.com', csiFinalizer, endsAll: false };
const released = { ...held, phase: 'Released' } as const;
const add = { kind: 'changeFinalizers', add: [csiFinalizer], remove: [], reason: 'Bound' };
const letGo = (reason: string) => ({ kind: 'changeFinalizers', add: [], remove: [csiFinalizer], reason });
const none = (reason: string) => ({ kind: 'none', reason });

interface Case {
  readonly name: string;
  readonly facts: Facts;
  readonly expected: object;
}

const cases: Readonly<Record<string, readonly Case[]>> = {
  'hostPath that kube-controller-manager lets go of early': [
    {
      name: 'not held -> both',
      facts: { volume: { claimUid: 'c' }, keeper: hostPath, claimUid: 'c' },
      expected: { ...add, add: [inTreeFinalizer, hostPathFinalizer] },
    },
    {
      name: 'held by the first alone -> the second too',
      facts: {
        volume: { claimUid: 'c', finalizers: [inTreeFinalizer], ...recorded(inTreeFinalizer) },
        keeper: hostPath,
        claimUid: 'c',
      },
      expected: { ...add, add: [hostPathFinalizer] },
    },
    {
      name: 'the same, terminating -> nothing can be added',
      facts: {
        volume: { claimUid: 'c', finalizers: [inTreeFinalizer], deleted: true },
        keeper: hostPath,
        claimUid: 'c',
      },
      expected: none('Held'),
    },
    {
      name: 'held by the second alone -> the first is not put back',
      facts: { volume: { claimUid: 'c', finalizers: [hostPathFinalizer] }, keeper: hostPath, claimUid: 'c' },
      expected: none('Held'),
    },
    {
      name: 'held by the second and by a recorded one of other flags -> only that one goes',
      facts: {
        volume: {
          ...{ claimUid: 'c', finalizers: [hostPathFinalizer, 'example.com/old'] },
          ...recorded('example.com/old'),
        },
        keeper: hostPath,
        claimUid: 'c',
      },
      expected: { kind: 'changeFinalizers', add: [], remove: ['example.com/old'], reason: 'Renamed' },
    },
    {
      name: 'held by the second alone, released -> to be reclaimed',
      facts: {
        volume: { claimUid: 'c', finalizers: [hostPathFinalizer], phase: 'Released', deleted: true },
        keeper: hostPath,
      },
      expected: { kind: 'askServer', reason: 'ReleasedInCache' },
    },
    {
      name: 'Retain -> both go',
      facts: {
        volume: { claimUid: 'c', finalizers: [inTreeFinalizer, hostPathFinalizer], policy: 'Retain' },
        keeper: hostPath,
      },
      expected: {
        kind: 'changeFinalizers',
        add: [],
        remove: [inTreeFinalizer, hostPathFinalizer],
        reason: 'PolicyNotDelete',
      },
    },
    {
      name: 'mode guard by now -> both go',
      facts: {
        volume: {
          claimUid: 'c',
          finalizers: [inTreeFinalizer, hostPathFinalizer],
          source: { hostPath: { path: '/tmp/hostpath_pv/v' } },
        },
        keeper: { ...hostPath, second: undefined, canDelete: false },
        claimUid: 'c',
      },
      expected: {
        kind: 'changeFinalizers',
        add: [],
        remove: [inTreeFinalizer, hostPathFinalizer],
        reason: 'NobodyCanDelete',
      },
    },
  ],
  'whose volume': [
    { name: 'gone -> nothing', facts: { volume: 'gone' }, expected: none('VolumeGone') },
    {
      name: "somebody else's, released and held by the shared finalizer -> nothing",
      facts: { volume: released, keeper: { kind: 'foreign' } },
      expected: none('NotOurs'),
    },
  ],
  'finalizer of a volume that is not terminating': [
    {
      name: 'Delete, Bound -> added',
      facts: { volume: { claimUid: 'c' }, claimUid: 'c' },
      expected: add,
    },
    {
      name: 'Delete, Bound, held -> nothing',
      facts: { volume: held, claimUid: 'c' },
      expected: none('Held'),
    },
    {
      name: 'Delete, Released -> added first, reclaimed later',
      facts: { volume: { claimUid: 'c', phase: 'Released' } },
      expected: add,
    },
    {
      name: 'Delete, Failed -> added first',
      facts: { volume: { claimUid: 'c', phase: 'Failed' } },
      expected: add,
    },
    {
      name: 'Delete, never bound -> nothing',
      facts: { volume: { phase: 'Available' } },
      expected: none('NeverBound'),
    },
    {
      name: 'Delete, reserved for a claim by name only -> nothing',
      facts: { volume: { claimUid: null, phase: 'Available' } },
      expected: none('NeverBound'),
    },
    {
      name: 'Delete, claim named by UID but not bound yet -> nothing yet',
      facts: { volume: { claimUid: 'c', phase: 'Pending' }, claimUid: 'c' },
      expected: none('NeverBound'),
    },
    {
      name: 'Delete, claim named by UID, Available still -> nothing yet',
      facts: { volume: { claimUid: 'c', phase: 'Available' }, claimUid: 'c' },
      expected: none('NeverBound'),
    },
    {
      name: 'Delete, claim named by UID, no phase yet -> nothing yet',
      facts: { volume: { claimUid: 'c', phase: null }, claimUid: 'c' },
      expected: none('NeverBound'),
    },
    {
      name: 'Delete, never bound, held -> stays as it is',
      facts: { volume: { finalizers: [csiFinalizer], phase: 'Available' } },
      expected: none('NeverBound'),
    },
    {
      name: 'Retain, held -> removed',
      facts: { volume: { ...held, policy: 'Retain' }, claimUid: 'c' },
      expected: letGo('PolicyNotDelete'),
    },
    {
      name: 'Recycle, held -> removed',
      facts: { volume: { ...held, policy: 'Recycle' }, claimUid: 'c' },
      expected: letGo('PolicyNotDelete'),
    },
    {
      name: 'Retain, not held -> nothing',
      facts: { volume: { claimUid: 'c', policy: 'Retain' }, claimUid: 'c' },
      expected: none('NotHeld'),
    },
    ...[null, 'Archive', 'delete', ''].flatMap((policy): readonly Case[] => [
      {
        name: `Issue 19: policy ${JSON.stringify(policy)}, which is not known, held -> stays held`,
        facts: { volume: { ...ours, policy }, claimUid: 'c' },
        expected: none('PolicyUnknown'),
      },
      {
        name: `Issue 19: policy ${JSON.stringify(policy)}, not held -> nothing`,
        facts: { volume: { claimUid: 'c', policy }, claimUid: 'c' },
        expected: none('PolicyUnknown'),
      },
    ]),
    {
      name: 'Issue 19: policy not known, gate off, held -> removed, as under any policy',
      facts: { volume: { ...ours, policy: null }, honor: false },
      expected: letGo('GateOff'),
    },
    {
      name: 'Issue 19: policy not known, Released, held -> stays held, and warned of',
      facts: { volume: { ...released, policy: null } },
      expected: { kind: 'warnOfStuck', held: [csiFinalizer], reason: 'PolicyUnknown' },
    },
    {
      name: 'Issue 19: policy not known, keeper away, held -> stays held',
      facts: { volume: { ...ours, policy: 'Archive' }, keeper: away },
      expected: none('NotOurs'),
    },
    {
      name: 'Issue 19: phase that is not known, Delete -> added: a claim has it, and might have had it for long',
      facts: { volume: { claimUid: 'c', phase: 'Archived' }, claimUid: 'c' },
      expected: add,
    },
    { name: 'gate off, held -> removed', facts: { volume: ours, honor: false }, expected: letGo('GateOff') },
    {
      name: 'P7: gate off, held by what is not recorded as ours -> nothing',
      facts: { volume: held, honor: false },
      expected: none('NotHeld'),
    },
    {
      name: 'gate off, Bound and terminating -> removed: only in-tree volumes wait for the binder',
      facts: { volume: { ...ours, deleted: true }, claimUid: 'c', honor: false },
      expected: letGo('GateOff'),
    },
    {
      name: 'P7: gate off, held by a name that only --csi-finalizer can have given -> removed',
      facts: {
        volume: { finalizers: ['example.com/mine'], claimUid: 'c' },
        keeper: { ...csi, finalizer: 'example.com/mine' },
        honor: false,
      },
      expected: { kind: 'changeFinalizers', add: [], remove: ['example.com/mine'], reason: 'GateOff' },
    },
    {
      name: 'P6: migrated, held by the name of an earlier --csi-finalizer -> swapped for the name',
      facts: {
        volume: { ...recorded('example.com/old'), finalizers: ['example.com/old'], claimUid: 'c' },
        keeper: migrated,
        claimUid: 'c',
      },
      expected: {
        kind: 'changeFinalizers',
        add: [csiFinalizer],
        remove: ['example.com/old'],
        reason: 'Renamed',
      },
    },
    {
      name: 'nobody can delete it, record of a finalizer that is gone -> taken back',
      facts: {
        volume: { ...recorded(inTreeFinalizer), claimUid: 'c', source: nfs },
        keeper: undeletable,
        claimUid: 'c',
      },
      expected: { kind: 'changeFinalizers', add: [], remove: [], reason: 'NobodyCanDelete' },
    },
    {
      name: 'nobody here can delete it, provisioned, terminating -> no alarm: its provisioner knows of it',
      facts: {
        volume: {
          annotations: { 'pv.kubernetes.io/provisioned-by': 'example.com/nfs' },
          claimUid: 'c',
          source: nfs,
          phase: 'Released',
          deleted: true,
        },
        keeper: undeletable,
      },
      expected: none('NobodyCanDelete'),
    },
    {
      name: 'keeper away, never bound, not terminating -> stays as it is',
      facts: {
        volume: { ...recorded(csiFinalizer), finalizers: [csiFinalizer], phase: 'Available' },
        keeper: away,
      },
      expected: none('NeverBound'),
    },
    {
      name: 'keeper away, Released, held by what is not recorded as ours -> no alarm',
      facts: { volume: released, keeper: away },
      expected: none('NotOurs'),
    },
    {
      name: 'gate off, record of a finalizer that is gone -> taken back',
      facts: { volume: { ...recorded(csiFinalizer), claimUid: 'c' }, honor: false },
      expected: { kind: 'changeFinalizers', add: [], remove: [], reason: 'GateOff' },
    },
    {
      name: 'P6: held by the name of an earlier --csi-finalizer -> swapped at once',
      facts: {
        volume: { ...recorded('example.com/old'), finalizers: ['example.com/old'], claimUid: 'c' },
        claimUid: 'c',
      },
      expected: {
        kind: 'changeFinalizers',
        add: [csiFinalizer],
        remove: ['example.com/old'],
        reason: 'Renamed',
      },
    },
    {
      name: 'P6: the same, terminating -> kept: nothing can be added',
      facts: {
        volume: {
          ...recorded('example.com/old'),
          finalizers: ['example.com/old'],
          claimUid: 'c',
          deleted: true,
        },
        claimUid: 'c',
      },
      expected: none('Held'),
    },
    {
      name: 'gate off, not held -> nothing',
      facts: { volume: { claimUid: 'c' }, honor: false },
      expected: none('NotHeld'),
    },
    {
      name: 'in-tree, and no plugin here deletes it -> nothing',
      facts: { volume: { claimUid: 'c' }, keeper: { ...inTree, canDelete: false }, claimUid: 'c' },
      expected: none('NobodyCanDelete'),
    },
  ],
  'finalizer of a terminating volume': [
    {
      name: 'Issue 19: policy not known, held -> stays held, and warned of',
      facts: { volume: { ...ours, deleted: true, policy: 'Archive' }, claimUid: 'c' },
      expected: { kind: 'warnOfStuck', held: [csiFinalizer], reason: 'PolicyUnknown' },
    },
    {
      name: 'Issue 19: policy not known, not held -> nothing',
      facts: { volume: { claimUid: 'c', deleted: true, policy: null } },
      expected: none('PolicyUnknown'),
    },
    {
      name: 'Issue 19: policy not known, never bound, held -> removed: no claim had it',
      facts: { volume: { finalizers: [csiFinalizer], deleted: true, phase: 'Available', policy: null } },
      expected: letGo('NeverBound'),
    },
    {
      name: 'Delete, not held, claim lives -> warned of',
      facts: { volume: { claimUid: 'c', deleted: true }, claimUid: 'c' },
      expected: { kind: 'warnOfLeak', reason: 'TerminatingUnheld' },
    },
    {
      name: 'Delete, not held any more, its storage is recorded as deleted -> not warned of',
      facts: {
        volume: {
          ...{ claimUid: 'c', deleted: true, phase: 'Released', uid: 'u' },
          annotations: { [heldByAnnotation]: 'deleted/u' },
        },
      },
      expected: none('StorageDeleted'),
    },
    {
      name: 'Delete, not held, the storage of another volume is recorded as deleted -> warned of',
      facts: {
        volume: {
          ...{ claimUid: 'c', deleted: true, phase: 'Released', uid: 'u' },
          annotations: { [heldByAnnotation]: 'deleted/x' },
        },
      },
      expected: { kind: 'warnOfLeak', reason: 'TerminatingUnheld' },
    },
    {
      name: 'Delete, not held, claim gone -> warned of, not reclaimed',
      facts: { volume: { claimUid: 'c', deleted: true, phase: 'Released' } },
      expected: { kind: 'warnOfLeak', reason: 'TerminatingUnheld' },
    },
    {
      name: 'Retain, held -> removed',
      facts: { volume: { ...released, deleted: true, policy: 'Retain' } },
      expected: letGo('PolicyNotDelete'),
    },
    {
      name: 'gate off, held, released -> removed, not reclaimed',
      facts: {
        volume: { ...released, ...ours, phase: 'Released', deleted: true },
        honor: false,
        source: 'server',
      },
      expected: letGo('GateOff'),
    },
    {
      name: 'gate off, in-tree, held, still Bound -> kept until it is Released: kube-controller-manager would hang on it',
      facts: {
        volume: { finalizers: [inTreeFinalizer], claimUid: 'c', deleted: true },
        keeper: inTree,
        honor: false,
      },
      expected: none('NotReleasedYet'),
    },
    {
      name: 'gate off, in-tree, held, Released -> removed',
      facts: {
        volume: {
          finalizers: [inTreeFinalizer],
          ...recorded(inTreeFinalizer),
          claimUid: 'c',
          deleted: true,
          phase: 'Released',
          source: ebs,
        },
        keeper: inTree,
        honor: false,
      },
      expected: {
        kind: 'changeFinalizers',
        add: [],
        remove: [inTreeFinalizer],
        reason: 'GateOff',
      },
    },
    {
      name: 'never bound, held -> removed: nobody would reclaim it, and it would hang',
      facts: { volume: { finalizers: [csiFinalizer], deleted: true, phase: 'Available' } },
      expected: letGo('NeverBound'),
    },
    {
      name: 'never bound, not held -> nothing',
      facts: { volume: { deleted: true, phase: 'Available' } },
      expected: none('NotHeld'),
    },
  ],
  'P3: in-tree, and not deleted here': [
    {
      name: 'static, held -> let go of',
      facts: {
        volume: { claimUid: 'c', finalizers: [inTreeFinalizer], source: nfs },
        keeper: undeletable,
        claimUid: 'c',
      },
      expected: {
        kind: 'changeFinalizers',
        add: [],
        remove: [inTreeFinalizer],
        reason: 'NobodyCanDelete',
      },
    },
    {
      name: 'static, held, terminating, still Bound -> kept until it is Released',
      facts: {
        volume: { claimUid: 'c', finalizers: [inTreeFinalizer], source: nfs, deleted: true },
        keeper: undeletable,
        claimUid: 'c',
      },
      expected: none('NotReleasedYet'),
    },
    {
      name: 'static, held, terminating, Released -> let go of',
      facts: {
        volume: {
          claimUid: 'c',
          finalizers: [inTreeFinalizer],
          source: nfs,
          deleted: true,
          phase: 'Failed',
        },
        keeper: undeletable,
      },
      expected: {
        kind: 'changeFinalizers',
        add: [],
        remove: [inTreeFinalizer],
        reason: 'NobodyCanDelete',
      },
    },
    ...(['guard', 'reclaim'] as const).map((mode) => ({
      name: `mode ${mode}, provisioned, held by kube-controller-manager -> left to it, also when released`,
      facts: {
        volume: {
          claimUid: 'c',
          finalizers: [inTreeFinalizer],
          annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/nfs' },
          source: nfs,
          phase: 'Released',
        },
        keeper: undeletable,
        mode,
      } as const,
      expected: none('LeftToProvisioner'),
    })),
    {
      name: 'static, Bound, not held -> nothing',
      facts: { volume: { claimUid: 'c', source: nfs }, keeper: undeletable, claimUid: 'c' },
      expected: none('NobodyCanDelete'),
    },
    {
      name: 'static, Released, not held -> warned of',
      facts: { volume: { claimUid: 'c', source: nfs, phase: 'Failed' }, keeper: undeletable },
      expected: { kind: 'warnOfLeak', reason: 'NobodyCanDelete' },
    },
    {
      name: 'static, terminating, not held -> warned of',
      facts: {
        volume: { claimUid: 'c', source: nfs, deleted: true },
        keeper: undeletable,
        claimUid: 'c',
      },
      expected: { kind: 'warnOfLeak', reason: 'NobodyCanDelete' },
    },
    {
      name: 'static, of a plugin that can be migrated, Released, not held -> nothing: an older kube-controller-manager might delete it',
      facts: {
        volume: { claimUid: 'c', source: ebs, phase: 'Released' },
        keeper: { ...inTree, canDelete: false },
      },
      expected: none('NobodyCanDelete'),
    },
    {
      name: 'static hostPath, Released, not held -> nothing: kube-controller-manager might delete it',
      facts: {
        volume: { claimUid: 'c', source: { hostPath: { path: '/tmp/v' } }, phase: 'Released' },
        keeper: undeletable,
      },
      expected: none('NobodyCanDelete'),
    },
  ],
  'P6: held by us, its keeper is away': [
    {
      name: 'Delete, Bound -> stays as it is',
      facts: { volume: ours, keeper: away, claimUid: 'c' },
      expected: none('NotOurs'),
    },
    {
      name: 'Delete, Released -> warned of',
      facts: { volume: { ...ours, phase: 'Released' }, keeper: away },
      expected: { kind: 'warnOfStuck', reason: 'KeeperAway' },
    },
    {
      name: 'policy Retain, and the annotation of an undo window means Delete -> left to the process that has the keeper',
      facts: {
        volume: {
          ...ours,
          policy: 'Retain',
          finalizers: [undoFinalizer],
          annotations: { [heldByAnnotation]: undoFinalizer, [reclaimPolicyAnnotation]: 'Delete' },
        },
        keeper: away,
        claimUid: 'c',
      },
      expected: none('NotOurs'),
    },
    {
      name: 'Retain -> let go of',
      facts: { volume: { ...ours, policy: 'Retain' }, keeper: away, claimUid: 'c' },
      expected: letGo('PolicyNotDelete'),
    },
    {
      name: 'never bound, terminating -> let go of',
      facts: {
        volume: { ...recorded(csiFinalizer), finalizers: [csiFinalizer], deleted: true },
        keeper: away,
      },
      expected: letGo('NeverBound'),
    },
    {
      name: 'gate off beside other sockets -> another process might have it on: stays',
      facts: { volume: ours, keeper: away, honor: false },
      expected: none('NotOurs'),
    },
    {
      name: 'gate off without sockets -> let go of',
      facts: { volume: ours, keeper: { ...away, endsAll: true }, honor: false },
      expected: letGo('GateOff'),
    },
    {
      name: "Retain, the record names somebody else's finalizer -> the record alone goes",
      facts: {
        volume: { ...recorded(pvProtection), finalizers: [pvProtection], claimUid: 'c', policy: 'Retain' },
      },
      expected: { kind: 'changeFinalizers', add: [], remove: [], reason: 'PolicyNotDelete' },
    },
    {
      name: 'Retain, another finalizer than the recorded one -> that one stays',
      facts: {
        volume: {
          ...recorded('example.com/reclaim'),
          finalizers: [csiFinalizer, 'example.com/reclaim'],
          policy: 'Retain',
        },
        keeper: away,
      },
      expected: {
        kind: 'changeFinalizers',
        add: [],
        remove: ['example.com/reclaim'],
        reason: 'PolicyNotDelete',
      },
    },
  ],
  migration: [
    {
      name: 'turned on -> in-tree finalizer goes and CSI one comes at once',
      facts: { volume: { claimUid: 'c', finalizers: [inTreeFinalizer] }, keeper: migrated, claimUid: 'c' },
      expected: {
        kind: 'changeFinalizers',
        add: [csiFinalizer],
        remove: [inTreeFinalizer],
        reason: 'Migrated',
      },
    },
    {
      name: 'turned off -> the reverse',
      facts: { volume: { claimUid: 'c', finalizers: [csiFinalizer] }, keeper: inTree, claimUid: 'c' },
      expected: {
        kind: 'changeFinalizers',
        add: [inTreeFinalizer],
        remove: [csiFinalizer],
        reason: 'Migrated',
      },
    },
    {
      name: 'turned off, nobody here deletes in-tree -> CSI one goes',
      facts: {
        volume: { claimUid: 'c', finalizers: [csiFinalizer] },
        keeper: { ...inTree, canDelete: false },
        claimUid: 'c',
      },
      expected: letGo('NobodyCanDelete'),
    },
    {
      name: 'both are there -> the wrong one goes',
      facts: {
        volume: { claimUid: 'c', finalizers: [csiFinalizer, inTreeFinalizer] },
        keeper: migrated,
        claimUid: 'c',
      },
      expected: { kind: 'changeFinalizers', add: [], remove: [inTreeFinalizer], reason: 'Migrated' },
    },
    {
      name: 'terminating, held by the wrong one -> kept: nothing can be added',
      facts: {
        volume: { claimUid: 'c', finalizers: [inTreeFinalizer], deleted: true },
        keeper: migrated,
        claimUid: 'c',
      },
      expected: none('Held'),
    },
    {
      name: 'terminating, released, held by the wrong one -> on its way to be reclaimed',
      facts: {
        volume: { claimUid: 'c', finalizers: [inTreeFinalizer], deleted: true, phase: 'Released' },
        keeper: migrated,
      },
      expected: { kind: 'askServer', reason: 'ReleasedInCache' },
    },
    {
      name: 'Retain -> both go',
      facts: {
        volume: { claimUid: 'c', finalizers: [csiFinalizer, inTreeFinalizer], policy: 'Retain' },
        keeper: migrated,
      },
      expected: {
        kind: 'changeFinalizers',
        add: [],
        remove: [csiFinalizer, inTreeFinalizer],
        reason: 'PolicyNotDelete',
      },
    },
    {
      name: 'native CSI volume has the in-tree finalizer -> foreign, left alone',
      facts: { volume: { claimUid: 'c', finalizers: [inTreeFinalizer, csiFinalizer], policy: 'Retain' } },
      expected: letGo('PolicyNotDelete'),
    },
  ],
  reclaim: [
    {
      name: 'claim gone by the cache -> the API server is asked',
      facts: { volume: released },
      expected: { kind: 'askServer', reason: 'ReleasedInCache' },
    },
    {
      name: 'claim gone, volume terminating -> the same',
      facts: { volume: { ...released, deleted: true } },
      expected: { kind: 'askServer', reason: 'ReleasedInCache' },
    },
    {
      name: 'another claim of that name -> the same',
      facts: { volume: released, claimUid: 'another' },
      expected: { kind: 'askServer', reason: 'ReleasedInCache' },
    },
    {
      name: 'phase Failed from an earlier try -> the same',
      facts: { volume: { ...released, phase: 'Failed' } },
      expected: { kind: 'askServer', reason: 'ReleasedInCache' },
    },
    {
      name: 'phase still Bound, claim gone -> nothing before the binder has seen it',
      facts: { volume: held },
      expected: none('NotReleasedYet'),
    },
    {
      name: 'phase Released, claim lives, since claimRef was changed by hand -> waits, and can say for what',
      facts: { volume: released, claimUid: 'c' },
      expected: { kind: 'postpone', reason: 'ClaimLives', by: ['c'], source: 'cache' },
    },
    {
      name: 'claim lives by the API server, phase still Bound -> waits, since the cache said otherwise',
      facts: { volume: held, claimUid: 'c', source: 'server' },
      expected: { kind: 'postpone', reason: 'ClaimLives', by: ['c'], source: 'server' },
    },
    {
      name: 'phase Released, claim lives, mode guard -> nothing',
      facts: { volume: released, claimUid: 'c', mode: 'guard' },
      expected: none('Held'),
    },
    {
      name: 'terminating, claim lives -> nothing',
      facts: { volume: { ...held, deleted: true }, claimUid: 'c' },
      expected: none('Held'),
    },
    {
      name: 'the API server says the same -> reclaimed',
      facts: { volume: released, source: 'server' },
      expected: { kind: 'reclaim', others: [], reason: 'Released' },
    },
    {
      name: 'the API server has the claim -> waits',
      facts: { volume: released, source: 'server', claimUid: 'c' },
      expected: { kind: 'postpone', reason: 'ClaimLives', by: ['c'], source: 'server' },
    },
    ...(['cache', 'server'] as const).map((source) => ({
      name: `the claim of that name, with another UID, is bound to it by the ${source} -> waits`,
      facts: { volume: released, source, claimUid: 'd', claimBound: true },
      expected: { kind: 'postpone', reason: 'ClaimBound', by: ['d'], source },
    })),
    ...(['cache', 'server'] as const).map((source) => ({
      name: `a claim of another name is bound to it by the ${source} -> waits`,
      facts: { volume: released, source, boundElsewhere: 'ns/first' },
      expected: { kind: 'postpone', reason: 'BoundElsewhere', by: ['ns/first'], source },
    })),
    {
      name: 'claims of a namespace are not listed yet -> waits',
      facts: { volume: released, unlisted: 'late' },
      expected: { kind: 'postpone', reason: 'ClaimsUnlisted', by: ['late'], source: 'cache' },
    },
    {
      name: 'claims of a namespace are not listed yet, still bound -> not released yet',
      facts: { volume: { ...released, phase: 'Bound' }, unlisted: 'late' },
      expected: none('NotReleasedYet'),
    },
    {
      name: 'a claim of another name is bound to it, mode guard -> left to the provisioner',
      facts: { volume: released, boundElsewhere: 'ns/first', mode: 'guard' },
      expected: none('LeftToProvisioner'),
    },
    {
      name: 'the claim of that name, with another UID, is bound to it, mode guard -> left to the provisioner',
      facts: { volume: released, claimUid: 'd', claimBound: true, mode: 'guard' },
      expected: none('LeftToProvisioner'),
    },
    {
      name: 'attached by the cache -> waits',
      facts: { volume: released, attachedTo: ['node-1'] },
      expected: { kind: 'postpone', reason: 'Attached', by: ['node-1'], source: 'cache' },
    },
    {
      name: 'attached by the API server only -> waits, and must look again',
      facts: { volume: released, attachedTo: ['node-1'], source: 'server' },
      expected: { kind: 'postpone', reason: 'Attached', by: ['node-1'], source: 'server' },
    },
    {
      name: 'another volume has the same storage -> waits',
      facts: { volume: released, sharedWith: ['pv-2'], source: 'server' },
      expected: { kind: 'postpone', reason: 'StorageShared', by: ['pv-2'], source: 'server' },
    },
    {
      name: 'mode guard -> left to the provisioner',
      facts: { volume: released, mode: 'guard' },
      expected: none('LeftToProvisioner'),
    },
    {
      name: 'policy became Retain on the API server -> not reclaimed, let go of',
      facts: { volume: { ...released, policy: 'Retain' }, source: 'server' },
      expected: letGo('PolicyNotDelete'),
    },
    {
      name: 'finalizer gone on the API server -> not reclaimed, held first',
      facts: { volume: { claimUid: 'c', phase: 'Released' }, source: 'server' },
      expected: add,
    },
    {
      name: 'storage deleted -> finished, whatever the policy says now',
      facts: { volume: { ...released, policy: 'Retain' }, storageDeleted: true },
      expected: { kind: 'finish', reason: 'StorageDeleted' },
    },
    {
      name: 'storage deleted, still held and terminating -> finished',
      facts: { volume: { ...released, deleted: true }, storageDeleted: true },
      expected: { kind: 'finish', reason: 'StorageDeleted' },
    },
    {
      name: 'storage deleted, finalizer gone, object not deleted -> finished',
      facts: { volume: { claimUid: 'c', phase: 'Released' }, storageDeleted: true },
      expected: { kind: 'finish', reason: 'StorageDeleted' },
    },
    ...(['cache', 'server'] as const).map((source) => ({
      name: `one that can not be read might share the storage, by the ${source} -> refused, and it is named`,
      facts: { volume: released, source, unreadable: { name: 'odd', why: 'spec is a text' } },
      expected: {
        kind: 'refuse',
        unreadable: { name: 'odd', why: 'spec is a text' },
        reason: 'UnreadableVolume',
      },
    })),
    {
      name: 'storage deleted, object and finalizer done with -> nothing, and no alarm',
      facts: {
        volume: { claimUid: 'c', finalizers: ['example.com/x'], deleted: true },
        storageDeleted: true,
      },
      expected: none('NotHeld'),
    },
  ],
};

describe.each(Object.entries(cases))('%s', (_group, rows) => {
  test.each(rows)('$name', ({ facts, expected }) => {
    expect(answer(facts)).toEqual(expected);
  });
});

describe('for any snapshot', () => {
  const finalizerSets = fc.subarray([csiFinalizer, inTreeFinalizer, pvProtection, 'example.com/x']);
  const shapes = fc.record({
    finalizers: finalizerSets,
    deleted: fc.boolean(),
    policy: fc.constantFrom('Delete', 'Retain', 'Recycle', 'Archive', null),
    claimUid: fc.constantFrom('c', null),
    phase: fc.constantFrom('Pending', 'Available', 'Bound', 'Released', 'Failed', 'Archived'),
    source: fc.constantFrom(nfs, { csi: { driver: 'csi.example.com', volumeHandle: 'h' } }),
    annotations: fc.constantFrom(
      {},
      ...[csiFinalizer, inTreeFinalizer].map((each) => recorded(each).annotations),
    ),
  } as const);
  const snapshots = fc
    .record({
      volume: shapes,
      keeper: fc.constantFrom<Keeper>(
        csi,
        migrated,
        inTree,
        { ...inTree, canDelete: false },
        undeletable,
        away,
        { ...away, endsAll: true },
        { kind: 'foreign' },
      ),
      claimUid: fc.constantFrom('c', 'another', undefined),
      attachedTo: fc.constantFrom([], ['node-1']),
      sharedWith: fc.constantFrom([], ['pv-2']),
      source: fc.constantFrom('cache', 'server'),
      storageDeleted: fc.boolean(),
      honor: fc.boolean(),
      mode: fc.constantFrom('guard', 'reclaim'),
    } as const)
    .map((facts) => snapshot(facts));
  const runs = { numRuns: 2_000 };

  test('decision names a volume and a keeper -> those of the snapshot', () => {
    fc.assert(
      fc.property(snapshots, (facts) => {
        const decision = decide(facts);
        expect('volume' in decision ? decision.volume : facts.volume).toBe(facts.volume);
        expect('keeper' in decision ? decision.keeper : facts.keeper).toBe(facts.keeper);
      }),
      runs,
    );
  });

  test('reclaim only on the word of the API server, for a held volume with policy Delete, no claim and no attachment', () => {
    fc.assert(
      fc.property(snapshots, (facts) => {
        const decision = decide(facts);
        if (decision.kind !== 'reclaim') {
          return;
        }
        const { finalizers = [] } = decision.volume.metadata;
        expect(facts.source).toBe('server');
        expect(facts.honor && facts.mode === 'reclaim').toBe(true);
        expect(decision.volume.spec?.persistentVolumeReclaimPolicy).toBe('Delete');
        expect(decision.volume.spec?.claimRef?.uid).toBe('c');
        expect(facts.claimUid).not.toBe('c');
        expect([...facts.attachedTo, ...facts.sharedWith]).toStrictEqual([]);
        expect(finalizers.some((each) => each === csiFinalizer || each === inTreeFinalizer)).toBe(true);
      }),
      runs,
    );
  });

  test('P7: gate off -> only what is known to be ours is taken off, and nothing is added', () => {
    fc.assert(
      fc.property(snapshots, (facts) => {
        const decision = decide({ ...facts, honor: false, storageDeleted: false });
        if (decision.kind !== 'changeFinalizers' || decision.reason !== 'GateOff') {
          return;
        }
        const { annotations, finalizers = [] } = decision.volume.metadata;
        const known = [annotations?.[heldByAnnotation], inTreeFinalizer];
        expect(decision.add).toStrictEqual([]);
        expect(
          decision.remove.filter((each) => !known.includes(each) || !finalizers.includes(each)),
        ).toStrictEqual([]);
      }),
      runs,
    );
  });

  test('Issue 19: under a policy that is not known, what holds a volume that a claim had stays, unless the gate is off', () => {
    fc.assert(
      fc.property(snapshots, (facts) => {
        const policy = facts.volume?.spec?.persistentVolumeReclaimPolicy;
        const decision = decide({ ...facts, storageDeleted: false });
        if (
          facts.honor &&
          facts.volume?.spec?.claimRef?.uid === 'c' &&
          !['Delete', 'Retain', 'Recycle'].includes(policy ?? '')
        ) {
          expect(['none', 'warnOfStuck']).toContain(decision.kind);
        }
      }),
      runs,
    );
  });

  test('P3: a finalizer is added only where this process or a provisioner lets go of it later', () => {
    fc.assert(
      fc.property(snapshots, (facts) => {
        const decision = decide(facts);
        if (decision.kind === 'changeFinalizers' && decision.add.length > 0) {
          expect(facts.keeper).toMatchObject({ canDelete: true });
        }
      }),
      runs,
    );
  });

  test('foreign finalizers are never touched, none is added to what is terminating, and what is held stays held under Delete', () => {
    fc.assert(
      fc.property(snapshots, (facts) => {
        const decision = decide(facts);
        if (decision.kind !== 'changeFinalizers') {
          return;
        }
        const ours = [csiFinalizer, inTreeFinalizer];
        expect([...decision.add, ...decision.remove].filter((each) => !ours.includes(each))).toStrictEqual(
          [],
        );
        if (facts.volume?.metadata.deletionTimestamp !== undefined) {
          expect(decision.add).toStrictEqual([]);
        }
        if (decision.reason === 'Migrated') {
          expect(facts.volume?.metadata.deletionTimestamp).toBeUndefined();
        }
      }),
      runs,
    );
  });
});
