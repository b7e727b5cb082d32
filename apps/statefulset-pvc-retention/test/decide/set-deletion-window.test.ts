import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { decide } from '../../src/decide/decide.ts';
import { decideLeftover, type Leftover } from '../../src/decide/leftover.ts';
import type { Snapshot } from '../../src/decide/snapshot.ts';
import {
  claim,
  facts,
  foreignController,
  foreignOwner,
  leftover,
  noon,
  snapshot,
  stock,
  toPod,
  toSet,
} from '../snapshots.ts';
import { decided } from './decided.ts';

const field = { whenDeleted: 'Retain', whenScaled: 'Retain' } as const;
const window = facts({ whenDeleted: 'Delete', deletionGrace: 60_000, field });
const tie = 'StatefulSet.apps/web/uid-of-web/uid-of-claim';
const soon = new Date(noon + 60_000).toISOString();
const past = new Date(noon - 1).toISOString();
const endsWith = { kind: 'withDependents', window: 60_000 } as const;
const gone = { workload: 'gone', inUse: false } as const;

/** @param mark its time, of the mark that goes with the set */
function tied(owners: Parameters<typeof claim>[0] = [], mark?: string, value = tie): PersistentVolumeClaim {
  const { metadata } = claim(owners);
  const annotations = {
    'holdfast.dev/deleted-with': value,
    ...(mark === undefined
      ? {}
      : {
          'holdfast.dev/delete-after': mark,
          'holdfast.dev/delete-after-uid': 'uid-of-claim',
          'holdfast.dev/delete-after-workload': value,
        }),
  };
  return { metadata: { ...metadata, annotations } };
}

describe('claim of a set that gives time for undo when it is deleted', () => {
  const cases: readonly {
    readonly name: string;
    readonly given: Partial<Snapshot>;
    readonly expected: Record<string, unknown>;
  }[] = [
    {
      name: 'wanted -> tied, and no reference',
      given: { workload: window },
      expected: { kind: 'tie', value: tie },
    },
    {
      name: 'wanted, tied -> nothing more',
      given: { workload: window, claim: tied() },
      expected: { kind: 'none', reason: 'Settled' },
    },
    {
      name: 'has the reference from before -> tied first',
      given: { workload: { ...window, wanted: false }, pod: undefined, claim: claim([toSet()]) },
      expected: { kind: 'tie', value: tie },
    },
    {
      name: 'has the reference from before, tied -> the reference goes',
      given: { workload: window, claim: tied([toSet()]) },
      expected: { kind: 'setOwners', operation: 'remove', references: [] },
    },
    {
      name: 'condemned, its pod was never seen -> not tied',
      given: { workload: { ...window, wanted: false }, pod: undefined },
      expected: { kind: 'none', reason: 'Settled' },
    },
    {
      name: 'condemned without a pod, tied from before -> stays so',
      given: { workload: { ...window, wanted: false }, pod: undefined, claim: tied() },
      expected: { kind: 'none', reason: 'Settled' },
    },
    {
      name: 'another controller -> not tied',
      given: { workload: window, claim: claim([foreignController]) },
      expected: { kind: 'none', reason: 'ForeignController' },
    },
    {
      name: 'two sets make claims of the name -> not tied, and untied',
      given: { workload: window, shared: true, claim: tied() },
      expected: { kind: 'untie' },
    },
    {
      name: 'two sets make claims of the name -> not tied',
      given: { workload: window, shared: true },
      expected: { kind: 'none', reason: 'Settled' },
    },
    {
      name: 'retained when it is deleted -> not tied, whatever its window',
      given: { workload: { ...window, whenDeleted: 'Retain' } },
      expected: { kind: 'none', reason: 'Settled' },
    },
    {
      name: "has a stock controller's reference -> tied first",
      given: { workload: window, claim: claim([stock(toSet())]) },
      expected: { kind: 'tie', value: tie },
    },
    {
      name: "has its pod's reference -> tied first",
      given: { workload: window, claim: claim([toPod()]) },
      expected: { kind: 'tie', value: tie },
    },
    {
      name: 'scaled down with a window, marked for a deletion of this very set -> mark cleared',
      given: {
        workload: { ...window, whenScaled: 'Delete', wanted: false, grace: 60_000 },
        claim: tied([], past),
        pod: undefined,
      },
      expected: { kind: 'unmark', what: 'mark' },
    },
    {
      name: 'the window can not be read -> neither reference nor tie',
      given: { workload: { ...window, deletionGrace: 'unusable' } },
      expected: { kind: 'none' },
    },
    {
      // R2: it might be orphaned yet, while nobody looks.
      name: 'set being deleted, tied -> stays tied, and is marked when the set is gone',
      given: { workload: { ...window, deletion: 'underWay' }, claim: tied() },
      expected: { kind: 'none', reason: 'WorkloadTerminating' },
    },
    {
      name: 'set being deleted, not tied -> not marked',
      given: { workload: { ...window, deletion: 'underWay' } },
      expected: { kind: 'none', reason: 'WorkloadTerminating' },
    },
    {
      name: 'set being deleted, marked and due -> mark cleared, since it might be orphaned yet',
      given: { workload: { ...window, deletion: 'underWay' }, claim: tied([], past) },
      expected: { kind: 'unmark' },
    },
    {
      name: 'set being deleted, the window can not be read -> not marked',
      given: { workload: { ...window, deletion: 'underWay', deletionGrace: 'unusable' }, claim: tied() },
      expected: { kind: 'none', reason: 'WorkloadTerminating' },
    },
    ...(
      [
        ['turned to Retain', facts({ deletionGrace: 60_000 })],
        ['window taken away, or gate DeletionGracePeriod off', facts({ whenDeleted: 'Delete' })],
        ['set being orphaned', { ...window, deletion: 'orphaning' }],
        ['set made again', { ...window, uid: 'another' }],
      ] as const
    ).flatMap(([name, workload]) => [
      {
        name: `${name} -> mark cleared`,
        given: { workload, claim: tied([], past) },
        expected: { kind: 'unmark' },
      },
      { name: `${name} -> untied`, given: { workload, claim: tied() }, expected: { kind: 'untie' } },
    ]),
  ];
  test.each(cases)('S2: $name', ({ given, expected }) => {
    expect(decided(snapshot(given))).toMatchObject(expected);
  });

  for (const known of ['unknown', 'atWork'] as const) {
    test(`R4: field says Delete, the window is new, stock controller ${known} -> our reference goes at once`, () => {
      const workload = { ...window, field: { ...field, whenDeleted: 'Delete' } } as const;
      expect(
        decide(snapshot({ workload, stock: known, claim: claim([foreignOwner, toSet()]) })),
      ).toMatchObject({
        kind: 'setOwners',
        operation: 'remove',
        references: [foreignOwner],
      });
    });
  }

  test('S2: field says Delete beside a stock controller at work -> not tied, its reference stays', () => {
    const workload = { ...window, field: { ...field, whenDeleted: 'Delete' } } as const;
    for (const owners of [[], [toSet({ blockOwnerDeletion: true })]]) {
      expect(decide(snapshot({ workload, stock: 'atWork', claim: claim(owners) }))).toEqual({
        kind: 'none',
        reason: 'WindowNotHeld',
      });
    }
  });
});

describe('claim of a set that is gone', () => {
  const cases: readonly {
    readonly name: string;
    readonly given: Partial<Leftover>;
    readonly expected: Record<string, unknown>;
  }[] = [
    {
      name: 'tied, its end was not seen -> kept',
      given: { claim: tied(), live: gone },
      expected: { kind: 'none', reason: 'EndUnseen' },
    },
    {
      name: 'tied, ended with its dependents -> looked at live',
      given: { claim: tied(), ending: endsWith },
      expected: { kind: 'askLive', about: 'workload' },
    },
    {
      name: 'tied, ended with its dependents, gone by a live look -> marked',
      given: { claim: tied(), ending: endsWith, live: { ...gone, inUse: 'notAsked' } },
      expected: { kind: 'mark', deleteAfter: soon, workload: { uid: 'uid-of-web' } },
    },
    {
      name: 'tied, ended with its dependents, made again by a live look -> untied',
      given: { claim: tied(), ending: endsWith, live: { workload: 'there', inUse: false } },
      expected: { kind: 'untie' },
    },
    {
      name: 'tied, orphaned -> untied',
      given: { claim: tied(), ending: { kind: 'orphaned' } },
      expected: { kind: 'untie' },
    },
    {
      name: 'tied, made again since -> untied',
      given: { claim: tied(), live: gone, ending: { kind: 'madeAgain' } },
      expected: { kind: 'untie' },
    },
    {
      name: 'tied by a backup, to another claim -> untied',
      given: { claim: tied([], undefined, 'StatefulSet.apps/web/uid-of-web/another'), ending: endsWith },
      expected: { kind: 'untie' },
    },
    {
      name: 'tied, gate off -> untied',
      given: { claim: tied(), windows: false },
      expected: { kind: 'untie' },
    },
    { name: 'marked, not due -> waits', given: { claim: tied([], soon) }, expected: { kind: 'wait' } },
    {
      name: "due by this machine's clock alone -> waits",
      given: { claim: tied([], soon), now: noon + 3_600_000 },
      expected: { kind: 'wait' },
    },
    {
      name: 'R1: due, and led again a moment ago after nobody led for long -> waits',
      given: { claim: tied([], past), live: gone, noneOverBefore: noon + 1 },
      expected: { kind: 'wait', until: noon + 1 },
    },
    {
      name: 'due -> looked at live',
      given: { claim: tied([], past) },
      expected: { kind: 'askLive', about: 'users' },
    },
    {
      name: 'due, gone, unused -> deleted',
      given: { claim: tied([], past), live: gone },
      expected: { kind: 'deleteClaim', reason: 'GraceOver' },
    },
    {
      name: 'due, a pod uses it -> looked at again later',
      given: { claim: tied([], past), live: { ...gone, inUse: true } },
      expected: { kind: 'postpone', overdue: noon - Date.parse(past) },
    },
    {
      name: 'due, a set of the name is there -> unmarked',
      given: { claim: tied([], past), live: { ...gone, workload: 'there' } },
      expected: { kind: 'unmark' },
    },
    {
      name: 'due, its kind is not looked after any more -> kept',
      given: { claim: tied([], past), live: { ...gone, workload: 'unknown' } },
      expected: { kind: 'none' },
    },
    {
      name: 'due, its kind can not be read now -> looked at again later',
      given: { claim: tied([], past), live: { ...gone, workload: 'unseen' } },
      expected: { kind: 'postpone', reason: 'WorkloadUnseen' },
    },
    {
      name: 'tied, ended with its dependents, its kind can not be read now -> looked at again later',
      given: { claim: tied(), ending: endsWith, live: { workload: 'unseen', inUse: 'notAsked' } },
      expected: { kind: 'postpone', reason: 'WorkloadUnseen' },
    },
    {
      name: 'due, it has an owner -> kept',
      given: { claim: tied([foreignOwner], past), live: gone },
      expected: { kind: 'none', reason: 'OtherOwners' },
    },
    {
      name: 'due, gate off -> unmarked',
      given: { claim: tied([], past), live: gone, windows: false },
      expected: { kind: 'unmark' },
    },
    {
      name: 'due, its set was orphaned after all -> unmarked',
      given: { claim: tied([], past), live: gone, ending: { kind: 'orphaned' } },
      expected: { kind: 'unmark' },
    },
    {
      name: 'due, its set was made again since -> unmarked',
      given: { claim: tied([], past), live: gone, ending: { kind: 'madeAgain' } },
      expected: { kind: 'unmark' },
    },
    {
      name: 'due, others have written an earlier mark again -> unmarked',
      given: { claim: tied([], past), live: gone, markWasStray: true },
      expected: { kind: 'unmark', what: 'mark' },
    },
    {
      name: 'due, the mark is of another claim -> unmarked',
      given: {
        claim: tied([], past, 'StatefulSet.apps/web/uid-of-web/another'),
        live: gone,
      },
      expected: { kind: 'unmark' },
    },
  ];
  test.each(cases)('S2: $name', ({ given, expected }) => {
    expect(decideLeftover(leftover(given))).toMatchObject(expected);
  });
});
