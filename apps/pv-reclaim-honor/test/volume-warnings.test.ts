import { expect, test } from '@jest/globals';
import type { EventText } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import type { LeakWarning, StuckWarning } from '../src/decide/decision.ts';
import { createVolumeWarnings } from '../src/volume-warnings.ts';
import { csiFinalizer, volume } from './objects.ts';

const unheld = (uid = 'u'): LeakWarning => ({
  kind: 'warnOfLeak',
  volume: volume({ uid }),
  reason: 'TerminatingUnheld',
});
const stuck: StuckWarning = {
  kind: 'warnOfStuck',
  volume: volume({ uid: 'u' }),
  keeper: { kind: 'away', name: 'csi.example.com', csiFinalizer, endsAll: false },
  reason: 'KeeperAway',
};

function open() {
  const clock = createFakeClock();
  const recorded: EventText[] = [];
  const count = { risks: 0, lines: 0 };
  const warnings = createVolumeWarnings({
    clock,
    logger: { warn: () => (count.lines += 1) },
    metrics: { leakRisk: () => (count.risks += 1) },
    events: { record: (_resource, _object, text) => recorded.push(text) },
  });
  return { clock, warnings, recorded, count };
}

test('seen once -> looked at again after 5 s, and warned of only then, once', async () => {
  const { clock, warnings, recorded, count } = open();
  expect(warnings.warn(unheld())).toEqual({ kind: 'requeueAfter', delay: 5_000 });
  await clock.advance(2_000);
  expect(warnings.warn(unheld())).toEqual({ kind: 'requeueAfter', delay: 3_000 });
  expect(recorded).toStrictEqual([]);
  await clock.advance(3_000);
  expect(warnings.warn(unheld())).toEqual({ kind: 'done' });
  await clock.advance(60_000);
  expect(warnings.warn(unheld())).toEqual({ kind: 'done' });
  expect(recorded).toMatchObject([{ type: 'Warning', reason: 'VolumeMayLeak' }]);
  expect(count).toEqual({ risks: 1, lines: 1 });
});

test('gone within 5 s, and another of its name is at risk -> that one has 5 s of its own', async () => {
  const { clock, warnings, recorded } = open();
  warnings.warn(unheld('first'));
  await clock.advance(4_000);
  warnings.forget('first');
  expect(warnings.warn(unheld('second'))).toEqual({ kind: 'requeueAfter', delay: 5_000 });
  await clock.advance(1_000);
  expect(warnings.warn(unheld('second'))).toEqual({ kind: 'requeueAfter', delay: 4_000 });
  expect(recorded).toStrictEqual([]);
});

test.each([
  { policy: 'Archive', words: '"Archive"' },
  { policy: 'x'.repeat(1_000), words: `"${'x'.repeat(100)}" and 900 characters more` },
  { policy: null, words: 'missing' },
])(
  'Issue 19: held, and its policy is not known -> warned of after 5 s, with the way out',
  async ({ policy, words }) => {
    const { clock, warnings, recorded, count } = open();
    const warning: StuckWarning = {
      kind: 'warnOfStuck',
      volume: volume({ uid: 'u', policy }),
      held: [csiFinalizer],
      reason: 'PolicyUnknown',
    };
    expect(warnings.warn(warning)).toEqual({ kind: 'requeueAfter', delay: 5_000 });
    await clock.advance(5_000);
    expect(warnings.warn(warning)).toEqual({ kind: 'done' });
    expect(recorded).toEqual([
      {
        type: 'Warning',
        reason: 'VolumeFailedDelete',
        action: 'Delete',
        note: `The volume is held by ${csiFinalizer}, since its persistentVolumeReclaimPolicy is ${words}: set it to Delete to have the storage deleted, or to Retain, which takes the finalizer off and leaves the storage behind`,
      },
    ]);
    expect(count).toEqual({ risks: 0, lines: 1 });
  },
);

test('waits for a keeper that is away -> warned of after 5 minutes, once, and no risk is counted', async () => {
  const { clock, warnings, recorded, count } = open();
  expect(warnings.warn(stuck)).toEqual({ kind: 'requeueAfter', delay: 300_000 });
  await clock.advance(300_000);
  expect(warnings.warn(stuck)).toEqual({ kind: 'done' });
  expect(warnings.warn(stuck)).toEqual({ kind: 'done' });
  expect(recorded).toMatchObject([{ type: 'Warning', reason: 'VolumeFailedDelete' }]);
  expect(count).toEqual({ risks: 0, lines: 1 });
});

test('something else is to be said of a volume that was warned of -> said too, after its own time', async () => {
  const { clock, warnings, recorded } = open();
  warnings.warn(unheld());
  await clock.advance(5_000);
  warnings.warn(unheld());
  expect(warnings.warn(stuck)).toEqual({ kind: 'requeueAfter', delay: 300_000 });
  await clock.advance(300_000);
  warnings.warn(stuck);
  expect(recorded.map(({ reason }) => reason)).toEqual(['VolumeMayLeak', 'VolumeFailedDelete']);
});

test.each<{ waits: Parameters<ReturnType<typeof createVolumeWarnings>['warn']>[0]; says: string }>([
  {
    waits: {
      kind: 'warnOfStuck',
      volume: volume({ uid: 'u' }),
      reason: 'DriverAway',
      keeper: {
        kind: 'csi',
        name: 'csi.example.com',
        finalizer: csiFinalizer,
        stale: undefined,
        canDelete: true,
      },
    },
    says: 'CSI driver csi.example.com is not connected any more',
  },
  {
    waits: {
      kind: 'postpone',
      volume: volume({ uid: 'u' }),
      reason: 'Attached',
      by: ['node-1', 'node-2'],
      source: 'cache',
    },
    says: 'attached to node-1, node-2',
  },
  {
    waits: {
      kind: 'postpone',
      volume: volume({ uid: 'u' }),
      reason: 'StorageShared',
      by: ['pv-2'],
      source: 'server',
    },
    says: 'needed by pv-2',
  },
  {
    waits: {
      kind: 'postpone',
      volume: volume({ uid: 'u' }),
      reason: 'ClaimLives',
      by: ['c'],
      source: 'server',
    },
    says: 'the claim with the UID in its claimRef (c) exists. If claimRef was changed by hand, set its namespace and name to those of that claim',
  },
  {
    waits: {
      kind: 'postpone',
      volume: volume({ uid: 'u' }),
      reason: 'ClaimBound',
      by: ['d'],
      source: 'server',
    },
    says: 'although its UID (d) is not the one in claimRef. If claimRef was changed by hand, set its uid to that one; if the storage may go, delete the claim',
  },
  {
    waits: {
      kind: 'postpone',
      volume: volume({ uid: 'u' }),
      reason: 'BoundElsewhere',
      by: ['ns/first'],
      source: 'server',
    },
    says: 'claim ns/first says that it is bound to the volume, although claimRef names another one. If claimRef was changed by hand, set its namespace, name and uid to those of that claim; if the storage may go, delete the claim',
  },
  {
    waits: {
      kind: 'lookFailed',
      volume: volume({ uid: 'u' }),
      reason: 'LookFailed',
      why: 'ns/data can not be read',
    },
    says: 'what it depends on can not be read: ns/data can not be read',
  },
  {
    waits: {
      kind: 'postpone',
      volume: volume({ uid: 'u' }),
      reason: 'ClaimsUnlisted',
      by: ['late'],
      source: 'cache',
    },
    says: 'the claims of namespace late could not be listed yet, and one of them might be bound to the volume',
  },
])('released, and $waits.reason for 5 minutes -> an Event says so, once', async ({ waits, says }) => {
  const { clock, warnings, recorded, count } = open();
  expect(warnings.warn(waits)).toEqual({ kind: 'requeueAfter', delay: 300_000 });
  expect(recorded).toStrictEqual([]);
  await clock.advance(300_000);
  expect(warnings.warn(waits)).toEqual({ kind: 'done' });
  expect(warnings.warn(waits)).toEqual({ kind: 'done' });
  expect(recorded).toMatchObject([{ type: 'Warning', reason: 'VolumeFailedDelete' }]);
  expect(recorded[0]?.note).toContain(says);
  expect(count).toEqual({ risks: 0, lines: 1 });
});

test('waited, went on, and waits again much later -> that wait counts from its own beginning, and is said too', async () => {
  const { clock, warnings, recorded } = open();
  const attached = {
    kind: 'postpone',
    volume: volume({ uid: 'u' }),
    reason: 'Attached',
    by: ['node-1'],
    source: 'cache',
  } as const;
  warnings.warn(attached);
  await clock.advance(3_000);
  warnings.goesOn('u');
  for (const said of [0, 1]) {
    await clock.advance(3_600_000);
    expect(warnings.warn(attached)).toEqual({ kind: 'requeueAfter', delay: 300_000 });
    expect(recorded).toHaveLength(said);
    await clock.advance(300_000);
    expect(warnings.warn(attached)).toEqual({ kind: 'done' });
    expect(recorded).toHaveLength(said + 1);
    warnings.goesOn('u');
  }
});

test('at risk, and waits for nothing -> the risk is not counted again', async () => {
  const { clock, warnings, count } = open();
  warnings.warn(unheld());
  await clock.advance(5_000);
  warnings.warn(unheld());
  warnings.goesOn('u');
  expect(warnings.warn(unheld())).toEqual({ kind: 'done' });
  expect(count.risks).toBe(1);
});

const attached = {
  kind: 'postpone',
  volume: volume({ uid: 'u' }),
  reason: 'Attached',
  by: ['node-1'],
  source: 'server',
} as const;
const lookFailed = {
  kind: 'lookFailed',
  volume: volume({ uid: 'u' }),
  reason: 'LookFailed',
  why: 'etcd is away',
} as const;

test('waits, and a look fails in between -> its five minutes go on, and it is said once', async () => {
  const { clock, warnings, recorded } = open();
  warnings.warn(attached);
  await clock.advance(200_000);
  expect(warnings.warn(lookFailed)).toEqual({ kind: 'requeueAfter', delay: 300_000 });
  expect(warnings.warn(attached)).toEqual({ kind: 'requeueAfter', delay: 100_000 });
  await clock.advance(100_000);
  warnings.warn(attached);
  warnings.warn(lookFailed);
  expect(warnings.warn(attached)).toEqual({ kind: 'done' });
  expect(recorded).toHaveLength(1);
});

test('looks fail now and then, and succeed in between -> nothing is said of them', async () => {
  const { clock, warnings, recorded } = open();
  for (let minutes = 0; minutes < 4; minutes++) {
    warnings.warn(attached);
    await clock.advance(30_000);
    expect(warnings.warn(lookFailed)).toEqual({ kind: 'requeueAfter', delay: 300_000 });
    await clock.advance(30_000);
  }
  expect(recorded).toStrictEqual([]);
});

test.each(['goesOn', 'forget'] as const)(
  'looks fail, then %s -> later ones count from their own beginning',
  async (ends) => {
    const { clock, warnings } = open();
    warnings.warn(lookFailed);
    await clock.advance(200_000);
    warnings[ends]('u');
    expect(warnings.warn(lookFailed)).toEqual({ kind: 'requeueAfter', delay: 300_000 });
  },
);

test('at risk, and a look fails in between -> the risk is not counted again', async () => {
  const { clock, warnings, count } = open();
  warnings.warn(unheld());
  await clock.advance(5_000);
  warnings.warn(unheld());
  warnings.warn(lookFailed);
  expect(warnings.warn(unheld())).toEqual({ kind: 'done' });
  expect(count.risks).toBe(1);
});
