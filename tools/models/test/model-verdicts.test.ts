import { expect, test } from '@jest/globals';
import { emptyState, type History, type Moment, type State, type Wish } from '../src/history.ts';
import type { Model } from '../src/model.ts';
import { pvReclaimHonor } from '../src/models/pv-reclaim-honor.ts';
import { pvcProtection } from '../src/models/pvc-protection.ts';
import { retroactiveDefault } from '../src/models/retroactive-default-sc.ts';
import { statefulSetRetention } from '../src/models/statefulset-pvc-retention.ts';

/*
 * That the models can say no: histories written out by hand, each with a change that breaks a promise or keeps it. A
 * model that has nothing against anything would let every story pass.
 */

type Objects = Partial<Record<'claims' | 'pods' | 'sets' | 'volumes' | 'classes', readonly Plain[]>>;

interface Plain {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The models read fields alone; the rest of an object does not matter to them. */
function stateOf({ data = [], ...objects }: Objects & { readonly data?: readonly string[] }): State {
  const maps = Object.fromEntries(
    Object.entries(objects).map(([kind, list]) => [
      kind,
      new Map(list.map((each) => [each.metadata.name, each])),
    ]),
  );
  return { ...emptyState, isOpen: true, data: new Set(data), ...(maps as Partial<State>) };
}

/** A second passes between two moments. @param rest index of the moment of the last rest. Default 0. */
function historyOf(
  states: readonly (State | { readonly state: State; readonly wish: Wish })[],
  rest = 0,
): History {
  const moments = states.map((each, index): Moment => ({
    ...('wish' in each ? each : { state: each }),
    time: index * 1_000,
  }));
  return { moments, rest };
}

const deleted = '2030-01-01T00:00:00Z';
const claim = (name: string, spec: object = {}, metadata: object = {}): Plain => ({
  metadata: { name, uid: `${name} uid`, finalizers: ['kubernetes.io/pvc-protection'], ...metadata },
  spec,
});
const pod = (name: string, claimName: string, fields: object = {}): Plain => ({
  metadata: { name, uid: `${name} uid` },
  spec: { nodeName: 'node-1', volumes: [{ persistentVolumeClaim: { claimName } }] },
  ...fields,
});
const volume = (policy: string, metadata: object = {}): Plain => ({
  metadata: { name: 'v', uid: 'v uid', finalizers: ['kubernetes.io/pv-controller'], ...metadata },
  spec: {
    persistentVolumeReclaimPolicy: policy,
    claimRef: { name: 'c', uid: 'c uid' },
    hostPath: { path: '/r/v' },
  },
  status: { phase: 'Bound' },
});
const set = (replicas: number, whenDeleted: string, whenScaled: string): Plain => ({
  metadata: { name: 'web', uid: 'web uid' },
  spec: { replicas, persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } },
});
const podOfSet: Plain = {
  ...pod('web-1', 'data-web-1'),
  metadata: { name: 'web-1', uid: 'web-1 uid', ownerReferences: [{ uid: 'web uid' }] },
};
const setClaim = claim('data-web-1');
const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const storageClass = (name: string, annotations: object, creationTimestamp: string): Plain => ({
  metadata: { name, uid: `${name} uid`, annotations, creationTimestamp },
});

const used = stateOf({ claims: [claim('c')], pods: [pod('p', 'c')] });
const usedAndDeleted = stateOf({
  claims: [claim('c', {}, { deletionTimestamp: deleted })],
  pods: [pod('p', 'c')],
});
const bound = stateOf({ claims: [claim('c')], volumes: [volume('Delete')], data: ['v'] });
const released = stateOf({ volumes: [volume('Delete')], data: ['v'] });
const undo = volume('Retain', {
  annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '10m' },
  finalizers: ['holdfast.dev/undo-window'],
});
const running = stateOf({ sets: [set(2, 'Retain', 'Delete')], pods: [podOfSet], claims: [setClaim] });
const scaledDown = stateOf({ sets: [set(1, 'Retain', 'Delete')], claims: [setClaim] });
const runningUnder = (whenDeleted: string): State =>
  stateOf({ sets: [set(2, whenDeleted, 'Retain')], pods: [podOfSet], claims: [setClaim] });
const orphaned: Wish = { kind: 'deleteSet', uid: 'web uid', cascade: 'Orphan' };
const classes = [
  storageClass('old', isDefault, '2030-01-01T00:00:00Z'),
  storageClass('new', isDefault, '2030-01-01T00:01:00Z'),
];
const waiting = stateOf({ claims: [claim('c')], classes });

test.each<[string, Model, History, State, RegExp | undefined]>([
  [
    'a used claim loses its protection -> lost',
    pvcProtection,
    historyOf([used, usedAndDeleted]),
    stateOf({ pods: [pod('p', 'c')] }),
    /while pod p uses it/,
  ],
  [
    'its pod is terminated -> allowed',
    pvcProtection,
    historyOf([
      used,
      stateOf({
        claims: [claim('c', {}, { deletionTimestamp: deleted })],
        pods: [pod('p', 'c', { status: { phase: 'Succeeded' } })],
      }),
    ]),
    stateOf({}),
    undefined,
  ],
  [
    'its pod got its node when it was being deleted -> allowed',
    pvcProtection,
    historyOf([stateOf({ claims: [claim('c')] }), usedAndDeleted]),
    stateOf({ pods: [pod('p', 'c')] }),
    undefined,
  ],
  [
    'a claim that is not deleted loses its protection -> lost',
    pvcProtection,
    historyOf([used]),
    stateOf({ claims: [claim('c', {}, { finalizers: [] })] }),
    /was not deleted/,
  ],
  [
    'data goes with its claim -> allowed',
    pvReclaimHonor,
    historyOf([bound, released]),
    stateOf({ volumes: [volume('Delete')] }),
    undefined,
  ],
  [
    'data goes before its claim -> lost',
    pvReclaimHonor,
    historyOf([bound]),
    stateOf({ claims: [claim('c')], volumes: [volume('Delete')] }),
    /while its claim is there/,
  ],
  [
    'data of a retained volume goes -> lost',
    pvReclaimHonor,
    historyOf([stateOf({ volumes: [volume('Retain')], data: ['v'] })]),
    stateOf({ volumes: [volume('Retain')] }),
    /is retained/,
  ],
  [
    'data goes within its undo window -> lost',
    pvReclaimHonor,
    historyOf([
      stateOf({ claims: [claim('c')], volumes: [undo], data: ['v'] }),
      stateOf({ volumes: [undo], data: ['v'] }),
    ]),
    stateOf({ volumes: [undo] }),
    /within its undo window/,
  ],
  [
    'a held volume goes without its data -> lost',
    pvReclaimHonor,
    historyOf([bound, released]),
    stateOf({ data: ['v'] }),
    /without its data/,
  ],
  [
    'a claim goes on scale-down -> allowed',
    statefulSetRetention,
    historyOf([running, scaledDown]),
    stateOf({ sets: [set(1, 'Retain', 'Delete')] }),
    undefined,
  ],
  [
    'a claim goes while its ordinal is wanted -> lost',
    statefulSetRetention,
    historyOf([running]),
    stateOf({ sets: [set(2, 'Retain', 'Delete')] }),
    /nothing asked for it/,
  ],
  [
    'a claim goes long after a scale-down under Retain -> lost',
    statefulSetRetention,
    historyOf(
      [runningUnder('Retain'), stateOf({ sets: [set(1, 'Retain', 'Delete')], claims: [setClaim] })],
      1,
    ),
    stateOf({ sets: [set(1, 'Retain', 'Delete')] }),
    /nothing asked for it/,
  ],
  [
    'a claim goes with its set -> allowed',
    statefulSetRetention,
    historyOf([runningUnder('Delete'), stateOf({ claims: [setClaim] })]),
    stateOf({}),
    undefined,
  ],
  [
    'a claim goes with a set that was orphaned -> lost',
    statefulSetRetention,
    historyOf([
      runningUnder('Delete'),
      { state: runningUnder('Delete'), wish: orphaned },
      stateOf({ claims: [setClaim] }),
    ]),
    stateOf({}),
    /nothing asked for it/,
  ],
  [
    'the same, all watches were cut, and the reference is younger than the last rest -> left open',
    statefulSetRetention,
    historyOf([
      runningUnder('Delete'),
      { state: runningUnder('Delete'), wish: { kind: 'disturbance', ofAll: true } },
      { state: runningUnder('Delete'), wish: orphaned },
      stateOf({ claims: [setClaim] }),
    ]),
    stateOf({}),
    undefined,
  ],
  [
    'the same, and the reference is as old as the last rest -> lost',
    statefulSetRetention,
    historyOf([
      stateOf({
        sets: [set(2, 'Delete', 'Retain')],
        claims: [claim('data-web-1', {}, { ownerReferences: [{ uid: 'web uid' }] })],
      }),
      { state: runningUnder('Delete'), wish: { kind: 'disturbance', ofAll: true } },
      { state: runningUnder('Delete'), wish: orphaned },
      stateOf({ claims: [setClaim] }),
    ]),
    stateOf({}),
    /nothing asked for it/,
  ],
  [
    'a claim gets the newest default -> allowed',
    retroactiveDefault,
    historyOf([waiting]),
    stateOf({ claims: [claim('c', { storageClassName: 'new' })], classes }),
    undefined,
  ],
  [
    'a claim gets an older default -> lost',
    retroactiveDefault,
    historyOf([waiting]),
    stateOf({ claims: [claim('c', { storageClassName: 'old' })], classes }),
    /although new is newer/,
  ],
  [
    'a claim that chose none gets a class -> lost',
    retroactiveDefault,
    historyOf([stateOf({ claims: [claim('c', { storageClassName: '' })], classes })]),
    stateOf({ claims: [claim('c', { storageClassName: 'new' })], classes }),
    /had made its choice/,
  ],
])('%s', (_what, model, history, after, verdict) => {
  const time = history.moments.length * 1_000;
  const found = model.lost({ history, after, time });
  expect(found).toEqual(verdict === undefined ? [] : [expect.stringMatching(verdict)]);
});

test.each<[string, Model, State, RegExp | undefined]>([
  [
    'unused claim that is being deleted stays -> owed',
    pvcProtection,
    stateOf({ claims: [claim('c', {}, { deletionTimestamp: deleted })] }),
    /is to be let go/,
  ],
  ['used claim that is being deleted stays -> nothing is owed', pvcProtection, usedAndDeleted, undefined],
  [
    'claim without the finalizer -> owed',
    pvcProtection,
    stateOf({ claims: [claim('c', {}, { finalizers: [] })] }),
    /is to be protected/,
  ],
  ['released volume stays -> owed', pvReclaimHonor, released, /is to go/],
  ['bound volume is held -> nothing is owed', pvReclaimHonor, bound, undefined],
  [
    'claim of a wanted ordinal without the owner that its policy wants -> owed',
    statefulSetRetention,
    runningUnder('Delete'),
    /is to be owned by its set/,
  ],
  ['the same under Retain -> nothing is owed', statefulSetRetention, runningUnder('Retain'), undefined],
  ['claim without a class, and there is a default -> owed', retroactiveDefault, waiting, /waits for a class/],
])('at rest: %s', (_what, model, state, verdict) => {
  const found = model.owed(historyOf([state]));
  expect(found).toEqual(verdict === undefined ? [] : [expect.stringMatching(verdict)]);
});
