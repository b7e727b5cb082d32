import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { decide } from '../../src/decide/decide.ts';
import type { Snapshot } from '../../src/decide/snapshot.ts';
import { agreeing, claim, facts, foreignOwner, noon, plain, snapshot, toPod, toSet } from '../snapshots.ts';
import { decided } from './decided.ts';

const scaledDown = facts({ whenDeleted: 'Delete', whenScaled: 'Delete', wanted: false });

interface Case {
  readonly name: string;
  readonly given: Partial<Snapshot>;
  readonly expected: Record<string, unknown>;
}

/** A scale-down's mark, without its time. */
function withdrawn(): PersistentVolumeClaim {
  const { metadata } = claim([], { mark: '2099-01-01T00:00:00Z' });
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([name]) => name !== 'holdfast.dev/delete-after',
  );
  return { metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
}

describe('undo window, a user takes the time of the mark away', () => {
  const window = { ...scaledDown, whenDeleted: 'Retain', grace: 60_000 } as const;
  test.each([
    { name: 'the pod is still there', given: {} },
    { name: 'the pod was seen to go', given: { pod: undefined, lastPodUid: 'last' } },
    { name: 'missed scale-downs are collected', given: { pod: undefined, collectMissed: true } },
  ])('$name -> not marked again, kept', ({ given }) => {
    const kept = snapshot({ claim: withdrawn(), workload: { ...window, createdAt: 0 }, ...given });
    expect(decided(kept)).toEqual({ kind: 'none', reason: 'MarkWithdrawn' });
  });

  test.each([
    { name: 'scaled up again', workload: { ...window, wanted: true } },
    { name: 'set made again', workload: { ...window, uid: 'another' } },
    { name: 'window taken away', workload: { ...window, grace: undefined } },
    { name: 'set being deleted', workload: { ...window, deletion: 'underWay' } },
  ] as const)('$name -> what is left of the mark goes', ({ workload }) => {
    expect(decided(snapshot({ claim: withdrawn(), workload }))).toMatchObject({ kind: 'unmark' });
  });
});

describe('undo window', () => {
  const window = { ...scaledDown, grace: 60_000 };
  const soon = new Date(noon + 60_000).toISOString();
  const past = new Date(noon - 1).toISOString();

  const windowCases: readonly Case[] = [
    {
      name: 'scaled down -> marked, the set stays the owner',
      given: { claim: claim([toSet()]), workload: window },
      expected: { kind: 'mark', deleteAfter: soon, workload: { name: 'web', uid: 'uid-of-web' } },
    },
    {
      name: 'scaled down, pod gone before us -> marked',
      given: { claim: claim([toSet()]), workload: window, pod: undefined, lastPodUid: 'last' },
      expected: { kind: 'mark', deleteAfter: soon },
    },
    {
      name: 'scaled down unseen -> kept',
      given: { claim: claim([toSet()]), workload: window, pod: undefined },
      expected: { kind: 'none', reason: 'ScaleDownMissed' },
    },
    {
      name: 'scaled down unseen, gate CollectMissedScaleDown -> marked',
      given: { claim: claim([toSet()]), workload: window, pod: undefined, collectMissed: true },
      expected: { kind: 'mark', deleteAfter: soon },
    },
    {
      name: 'a foreign pod has the name -> not marked',
      given: { claim: claim([toSet()]), workload: window, pod: { uid: 'x', ofWorkload: false } },
      expected: { kind: 'none', reason: 'InUse' },
    },
    {
      name: 'marked, not yet due -> waits',
      given: { claim: claim([toSet()], { mark: soon }), workload: window, pod: undefined },
      expected: { kind: 'wait', until: noon + 60_000 },
    },
    {
      name: 'due in a millisecond -> waits for it',
      given: {
        claim: claim([toSet()], { mark: new Date(noon + 1).toISOString() }),
        workload: window,
        pod: undefined,
      },
      expected: { kind: 'wait', until: noon + 1 },
    },
    {
      name: 'due at this moment -> deleted',
      given: {
        claim: claim([toSet()], { mark: new Date(noon).toISOString() }),
        workload: window,
        pod: undefined,
      },
      expected: { kind: 'deleteClaim' },
    },
    {
      name: "due, the API server's clock is not known -> waits a minute for it",
      given: {
        claim: claim([toSet()], { mark: past }),
        workload: window,
        pod: undefined,
        serverNow: undefined,
      },
      expected: { kind: 'wait', until: noon + 60_000, reason: 'Grace' },
    },
    {
      name: "no window, the API server's clock is not known -> nothing to wait for",
      given: { workload: facts(), serverNow: undefined },
      expected: { kind: 'none', reason: 'Settled' },
    },
    {
      name: 'the window can not be had -> said so, and neither marked nor deleted',
      given: { workload: { ...window, grace: 'unusable' }, claim: claim([toSet()]) },
      expected: { kind: 'none', reason: 'WindowUnusable' },
    },
    {
      name: 'marked, not yet due, two sets make claims of the name -> not waited for',
      given: {
        shared: true,
        claim: claim([], { mark: soon }),
        workload: { ...window, whenDeleted: 'Retain' },
        pod: undefined,
      },
      expected: { kind: 'none', reason: 'ScaleDownMissed' },
    },
    {
      name: 'due, but it should have lost its mark meanwhile -> unmarked',
      given: {
        claim: claim([toSet()], { mark: past }),
        workload: window,
        pod: undefined,
        markWasStray: true,
      },
      expected: { kind: 'unmark', what: 'mark' },
    },
    {
      name: 'due, pod still there -> kept',
      given: { claim: claim([toSet()], { mark: past }), workload: window },
      expected: { kind: 'none', reason: 'InUse' },
    },
    {
      name: 'due and unused -> deleted',
      given: { claim: claim([toSet()], { mark: past }), workload: window, pod: undefined },
      expected: { kind: 'deleteClaim', reason: 'GraceOver' },
    },
    {
      name: 'due, foreign owner -> kept',
      given: { claim: claim([toSet(), foreignOwner], { mark: past }), workload: window, pod: undefined },
      expected: { kind: 'none', reason: 'OtherOwners' },
    },
    {
      name: "due, a user's plain reference to the set, which retains -> deleted: that is no other owner",
      given: {
        claim: claim([plain(toSet())], { mark: past }),
        workload: { ...window, whenDeleted: 'Retain' },
        pod: undefined,
      },
      expected: { kind: 'deleteClaim', reason: 'GraceOver' },
    },
    ...[{ kind: 'statefulset' }, { apiVersion: 'v1' }, { name: 'db' }].map((other) => ({
      name: `due, a plain reference with the UID of the set and ${JSON.stringify(other)} -> kept`,
      given: {
        claim: claim([plain(toSet(other))], { mark: past }),
        workload: { ...window, whenDeleted: 'Retain' as const },
        pod: undefined,
      },
      expected: { kind: 'none', reason: 'OtherOwners' },
    })),
    {
      name: 'scaled down unseen, gate CollectMissedScaleDown, such a reference beside ours -> kept',
      given: {
        claim: claim([toSet(), plain(toSet({ kind: 'statefulset' }))]),
        workload: scaledDown,
        pod: undefined,
        collectMissed: true,
      },
      expected: { kind: 'none', reason: 'OtherOwners' },
    },
    {
      name: 'a mark that is no time -> taken away',
      given: { claim: claim([toSet()], { mark: 'tomorrow' }), workload: window },
      expected: { kind: 'unmark' },
    },
    {
      name: 'a mark that is no time, pod gone -> taken away',
      given: { claim: claim([toSet()], { mark: 'tomorrow' }), workload: window, pod: undefined },
      expected: { kind: 'unmark' },
    },
    {
      name: 'due, marked by an earlier set of the name -> taken away',
      given: { claim: claim([], { mark: past, markedBy: 'earlier' }), workload: window, pod: undefined },
      expected: { kind: 'unmark' },
    },
    {
      name: 'window opened after the pod became the owner -> marked instead',
      given: { claim: claim([toPod()]), workload: { ...window, whenDeleted: 'Retain' } },
      expected: { kind: 'setOwners', operation: 'remove', references: [] },
    },
    ...(
      [
        ['scaled up again', { ...window, wanted: true }],
        ['turned to Retain', { ...window, whenScaled: 'Retain' }],
        ['window closed, or gate DeletionGracePeriod off', scaledDown],
        ['set being deleted', { ...window, deletion: 'underWay' }],
        ['set being orphaned', { ...window, deletion: 'orphaning' }],
      ] as const
    ).map(([name, workload]) => ({
      name: `${name} -> mark cleared`,
      given: { claim: claim([toSet()], { mark: past }), workload },
      expected: { kind: 'unmark' },
    })),
  ];
  test.each(windowCases)('$name', ({ given, expected }) => {
    expect(decided(snapshot(given))).toMatchObject(expected);
  });

  test('due, but a pod seen only live names the claim -> looked at again later', () => {
    const given = snapshot({ claim: claim([toSet()], { mark: past }), workload: window, pod: undefined });
    expect(decide({ ...given, live: agreeing(given, { inUse: true }) })).toEqual({
      kind: 'postpone',
      reason: 'InUse',
      overdue: noon - Date.parse(past),
    });
    expect(decide({ ...given, live: agreeing(given, { inUse: 'notAsked' }) }).kind).toBe('askLive');
  });

  test.each([
    { name: 'another set, seen only live, makes claims of its name', rival: 'there', kind: 'lookAgain' },
    { name: 'a kind that can not be read might have such a set', rival: 'unseen', kind: 'postpone' },
  ] as const)('R3: due, but $name -> kept', ({ rival, kind }) => {
    const given = snapshot({ claim: claim([], { mark: past }), workload: window, pod: undefined });
    expect(decide({ ...given, live: agreeing(given) }).kind).toBe('deleteClaim');
    expect(decide({ ...given, live: agreeing(given, { rival }) }).kind).toBe(kind);
  });

  test('due, but scaled up again by now -> looked at again', () => {
    const given = snapshot({ claim: claim([], { mark: past }), workload: window, pod: undefined });
    const live = agreeing(given, { workload: { ...window, wanted: true } });
    expect(decide({ ...given, live }).kind).toBe('lookAgain');
  });
});
