import { describe, expect, test } from '@jest/globals';
import type { StorageClass } from '@holdfast/core';
import type { SeenRetainers } from '../src/cluster/retainers.ts';
import { explainSet } from '../src/explain/explain-set.ts';
import { plan } from '../src/plan/plan.ts';
import type { Action } from '../src/plan/world.ts';
import { planReport } from '../src/report/plan-report.ts';
import { bySet, claimOf, gatesWith, now, podOf, setOf, volumeOf, worldOf, type SetShape } from './objects.ts';

const retainers: SeenRetainers = {
  release: undefined,
  stock: 'atWork',
  holdfast: 'absent',
  because: { stock: 'as it is', holdfast: 'as it is' },
};
const deletion: Action = { kind: 'delete', cascade: 'background' };

/** Of the claim of a set that is deleted with its claims. */
function reported(
  annotations: Readonly<Record<string, string>>,
  grace: Readonly<Record<string, string>> = {},
  deletedAt?: string,
  classes?: readonly StorageClass[] | 'unread',
) {
  const claim = claimOf(0, { owners: [bySet], annotations, volumeName: 'pv-1' });
  const world = worldOf(setOf({ replicas: 1, whenDeleted: 'Delete' }), [claim], [podOf(0)]);
  const volume = volumeOf('Delete', { annotations: grace }, deletedAt === undefined ? {} : { deletedAt });
  const ofClass = { ...volume, spec: { ...volume.spec, storageClassName: 'fast' } };
  const volumes = new Map([['pv-1', classes === undefined ? volume : ofClass]]);
  const known = classes === 'unread' ? undefined : (classes ?? []);
  return planReport(world, deletion, retainers, plan(world, deletion, retainers, volumes, known));
}

test('volume asks for an undo window -> the window might bring it back', () => {
  const { parts } = reported({}, { 'holdfast.dev/reclaim-grace': '24h' });
  expect(JSON.stringify(parts)).toMatch(/"volume for 24h, if it is given"/);
});

test('class of the volume asks for an undo window -> the same', () => {
  const fast: StorageClass = {
    metadata: {
      ...{ name: 'fast', uid: 'u', resourceVersion: '1' },
      annotations: { 'holdfast.dev/reclaim-grace': '12h' },
    },
    provisioner: 'disks.example.com',
  };
  const { parts, object } = reported({}, {}, undefined, [fast]);
  expect(JSON.stringify(parts)).toMatch(/"volume for 12h, if it is given"/);
  expect(object).toMatchObject({ claims: [{ volume: { data: 'deleted', window: '12h' } }] });
  const own = reported({}, { 'holdfast.dev/reclaim-grace': '24h' }, undefined, [fast]);
  expect(JSON.stringify(own.parts)).toMatch(/"volume for 24h, if it is given"/);
});

test('classes may not be read -> whether the volume can be had back is unknown', () => {
  const { parts } = reported({}, {}, undefined, 'unread');
  expect(JSON.stringify(parts)).toMatch(
    /"unknown","deleted with pv-1, at once or after an undo window: its class, which might ask for one, could not be read"/,
  );
  const own = reported({}, { 'holdfast.dev/reclaim-grace': '24h' }, undefined, 'unread');
  expect(JSON.stringify(own.parts)).toMatch(/"volume for 24h, if it is given"/);
});

test('volume asks for an undo window that is not possible -> not said to be a time', () => {
  const { parts } = reported({}, { 'holdfast.dev/reclaim-grace': '1d' });
  expect(JSON.stringify(parts)).toContain(
    '"no","deleted with pv-1 at once, or kept: the undo window of \\"1d\\" that it asks for is not possible"',
  );
});

test('volume is being deleted, and nothing holds it -> its storage is left behind', () => {
  const { parts } = reported({}, {}, '2026-03-01T11:00:00Z');
  expect(JSON.stringify(parts)).toMatch(
    /"new volume by hand","left behind: pv-1 is being deleted, and no finalizer holds it until its storage is deleted"/,
  );
});

test('claim has annotation holdfast.dev/deletion-protection -> said that it stays if the policy is applied', () => {
  const { parts, object } = reported({ 'holdfast.dev/deletion-protection': '' });
  expect(JSON.stringify(parts)).toMatch(
    /If policy holdfast-deletion-protection is applied, data-web-0 stays as long as it has annotation holdfast\.dev\/deletion-protection\./,
  );
  expect(object).toMatchObject({ claims: [{ name: 'data-web-0', deletionProtection: true }] });
});

test('no claim has that annotation -> nothing is said of the policy', () => {
  expect(JSON.stringify(reported({}))).not.toMatch(/deletion-?protection/i);
});

describe('a claim in its undo window, Holdfast waits after nobody led it for long', () => {
  const windows = {
    'holdfast.dev/when-scaled': 'Delete',
    'holdfast.dev/scale-down-grace': '30m',
  };
  const marked = claimOf(1, {
    annotations: {
      'holdfast.dev/delete-after': '2026-03-01T11:59:00.000Z',
      'holdfast.dev/delete-after-uid': 'uid-of-data-web-1',
      'holdfast.dev/delete-after-scale-down': 'StatefulSet.apps/web/uid-of-web/uid-of-data-web-1',
    },
  });
  const until = { kind: 'until', time: Date.parse('2026-03-01T12:30:00Z') } as const;
  const told = (more: Partial<SeenRetainers>, claim = marked, set = setOf({ annotations: windows })) => {
    const action: Action = { kind: 'scale', replicas: 1 };
    const world = worldOf(set, [claim], [podOf(0)]);
    const all: SeenRetainers = {
      ...retainers,
      stock: 'absent',
      holdfast: gatesWith('DeletionGracePeriod=true'),
      ...more,
    };
    const plans = plan(world, action, all, new Map(), []);
    const explained = explainSet({ world, retainers: all, onScaleDown: plans, onDeletion: [] });
    return {
      ...planReport(world, action, all, plans),
      steps: explained.next.map(({ who, does }) => `${who} ${does}`).join('\n'),
      ifs: explained.ifs.map(({ then }) => then),
    };
  };

  test('for an hour -> the time is said, and that it goes no sooner', () => {
    const { parts, object, steps, ifs } = told({ wait: until });
    const line =
      'statefulset-pvc-retention lets no undo window end, and collects no missed scale-down, before 2026-03-01T12:30:00.000Z: nobody had led it for more than five minutes, or etcd was restored';
    expect(JSON.stringify(parts)).toContain(`"${line}."`);
    expect(steps).toContain(`Holdfast ${line}`);
    expect(JSON.stringify(parts)).toContain('"until 2026-03-01T12:30:00.000Z"');
    expect(ifs).toEqual([
      'data-web-1: the claim goes after 2026-03-01T12:30:00.000Z, and can be kept until then: its ordinal is scaled down, and the set asks for an undo window',
    ]);
    expect(object).toMatchObject({
      controllers: { 'statefulset-pvc-retention': { nothingDueBefore: '2026-03-01T12:30:00.000Z' } },
    });
  });

  test('its lease may not be read -> that it might wait is said', () => {
    const { parts, steps } = told({ wait: { kind: 'unread' } });
    const line =
      'might let no undo window end for up to an hour, as after five minutes without a leader: you may not list leases';
    expect(JSON.stringify(parts)).toContain(line);
    expect(steps).toContain(line);
  });

  test.each<readonly [string, Partial<SeenRetainers>, SetShape]>([
    ['the hour is over', { wait: { kind: 'until', time: now } }, { annotations: windows }],
    ['it is not at work', { wait: until, holdfast: 'absent' }, { annotations: windows }],
  ])('%s -> nothing is said of it', (_, more, shape) => {
    const { parts, steps } = told(more, marked, setOf(shape));
    expect(`${JSON.stringify(parts)}${steps}`).not.toMatch(/no undo window/);
  });

  test('missed scale-down -> how to keep it is said, and not to remove a time that it does not have', () => {
    const collecting = { wait: until, holdfast: gatesWith('CollectMissedScaleDown=true') };
    const { parts } = told(collecting, claimOf(1), setOf({ whenScaled: 'Delete' }));
    expect(JSON.stringify(parts)).toContain('set whenScaled to Retain');
    expect(JSON.stringify(parts)).not.toContain('delete-after-');
  });
});
