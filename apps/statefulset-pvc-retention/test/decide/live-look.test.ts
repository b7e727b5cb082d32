import { describe, expect, test } from '@jest/globals';
import { decide, decideWithoutLook } from '../../src/decide/decide.ts';
import { agreeing, claim, facts, hold, ownPod, snapshot, toPod, toSet } from '../snapshots.ts';

const deletes = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
const scaledDown = facts({ ...deletes, wanted: false });

describe('live look', () => {
  const adding = snapshot({ workload: facts(deletes) });
  const condemning = snapshot({ claim: claim([toSet()]), workload: scaledDown });
  const swappingBack = snapshot({ claim: claim([toPod()]), workload: facts(deletes) });

  test.each([
    { name: "adding the set's reference", given: adding, about: 'workload' },
    { name: "adding the pod's reference", given: condemning, about: 'pod' },
    { name: 'swapping back', given: swappingBack, about: 'workload' },
    {
      name: "confirming the pod's reference",
      given: snapshot({ claim: claim([toPod(), hold]), workload: { ...scaledDown, whenDeleted: 'Retain' } }),
      about: 'pod',
    },
    {
      name: "confirming the set's reference of a condemned ordinal",
      given: snapshot({
        claim: claim([toSet(), hold]),
        workload: facts({ whenDeleted: 'Delete', wanted: false }),
      }),
      about: 'workload',
    },
    {
      name: 'deleting',
      given: snapshot({
        claim: claim([toSet()]),
        pod: undefined,
        workload: { ...scaledDown, whenDeleted: 'Retain' },
        collectMissed: true,
      }),
      about: 'users',
    },
  ])('$name -> asks about the $about first', ({ given, about }) => {
    expect(decide(given)).toEqual({ kind: 'askLive', about });
  });

  test.each([
    { name: 'no reference of ours', given: snapshot({ claim: claim([toSet()]) }) },
    {
      name: 'orphaned',
      given: snapshot({ claim: claim([toSet()]), workload: facts({ deletion: 'orphaning' }) }),
    },
  ])('removing ($name) -> needs no look', ({ given }) => {
    expect(decide(given)).toMatchObject({ kind: 'setOwners', operation: 'remove' });
  });

  test('tying the claim of a wanted ordinal -> needs no look', () => {
    const given = snapshot({ workload: facts({ whenDeleted: 'Delete', deletionGrace: 1_000 }) });
    expect(decide(given).kind).toBe('tie');
  });

  test('the pod was not asked for -> asks', () => {
    expect(decide({ ...condemning, live: agreeing(condemning, { pod: 'notAsked' }) })).toEqual({
      kind: 'askLive',
      about: 'pod',
    });
  });

  test.each([
    { name: 'gone', workload: undefined },
    { name: 'another of its name', workload: facts({ ...deletes, uid: 'other' }) },
    { name: 'being deleted', workload: facts({ ...deletes, deletion: 'underWay' }) },
    { name: 'being orphaned', workload: facts({ ...deletes, deletion: 'orphaning' }) },
    { name: 'turned to Retain', workload: facts() },
    { name: 'scaled down', workload: scaledDown },
  ] as const)('set is $name -> its reference is not added, looked at again', ({ workload }) => {
    expect(decide({ ...adding, live: agreeing(adding, { workload }) }).kind).toBe('lookAgain');
  });

  test.each([
    { name: 'set gone', workload: undefined },
    { name: 'set another of its name', workload: { ...scaledDown, uid: 'other' } },
    { name: 'set being deleted', workload: { ...scaledDown, deletion: 'underWay' } },
    { name: 'scaled up again', workload: facts(deletes) },
    { name: 'turned to Retain', workload: facts({ wanted: false }) },
    { name: 'undo window opened', workload: { ...scaledDown, grace: 1000 } },
  ] as const)("$name -> the pod's reference is not added, looked at again", ({ workload }) => {
    expect(decide({ ...condemning, live: agreeing(condemning, { workload }) }).kind).toBe('lookAgain');
  });

  test.each([
    { name: 'a pod names the claim', live: { inUse: true } },
    { name: 'a kind that can not be read might make claims of its name', live: { rival: 'unseen' } },
  ] as const)('adding, $name -> added: only what deletes at once waits for that', ({ live }) => {
    expect(decide({ ...adding, live: agreeing(adding, live) })).toMatchObject({ operation: 'add' });
  });

  test('looked at again -> says why', () => {
    expect(decide({ ...adding, live: agreeing(adding, { workload: undefined }) })).toEqual({
      kind: 'lookAgain',
      reason: 'the workload or the pod is no longer so',
    });
  });

  test('the pod is gone by now -> its UID serves', () => {
    expect(decide({ ...condemning, live: agreeing(condemning, { pod: 'gone' }) })).toMatchObject({
      kind: 'setOwners',
      operation: 'swap',
      references: [toPod()],
    });
  });

  test.each([
    { what: 'gives it the pod', workload: scaledDown },
    { what: 'gives it the set', workload: facts({ whenDeleted: 'Delete', wanted: false }) },
    { what: 'marks it', workload: { ...scaledDown, whenDeleted: 'Retain', grace: 1_000 } },
    {
      what: 'ties it',
      workload: facts({ whenDeleted: 'Delete', wanted: false, deletionGrace: 1_000 }),
    },
  ] as const)(
    'condemned, the cache $what, its pod is in doubt and gone by now -> looked at again',
    ({ workload }) => {
      const given = snapshot({ workload, pod: { ...ownPod, isInDoubt: true } });
      expect(decide(given)).toEqual({ kind: 'askLive', about: 'pod' });
      expect(decide({ ...given, live: agreeing(given, { pod: 'gone' }) }).kind).toBe('lookAgain');
    },
  );

  test.each([
    { name: "another of the set's", pod: { uid: 'new', ofWorkload: true } },
    { name: 'a foreign one', pod: { uid: 'new', ofWorkload: false } },
    { name: 'the same, released by the set', pod: { ...ownPod, ofWorkload: false } },
  ])('a new pod has the name: $name -> looked at again', ({ pod }) => {
    expect(decide({ ...condemning, live: agreeing(condemning, { pod }) }).kind).toBe('lookAgain');
  });

  test('last known UID, a new pod has the name -> looked at again', () => {
    const given = snapshot({ pod: undefined, lastPodUid: 'last', workload: scaledDown });
    expect(decide({ ...given, live: agreeing(given, { pod: ownPod }) }).kind).toBe('lookAgain');
  });

  test.each([
    { name: 'gone', workload: undefined },
    { name: 'being deleted', workload: facts({ ...deletes, deletion: 'underWay' }) },
    { name: 'scaled down once more', workload: scaledDown },
  ] as const)(
    'scaled up again, set is $name -> the pod lets go of the claim all the same',
    ({ workload }) => {
      expect(decide({ ...swappingBack, live: agreeing(swappingBack, { workload }) })).toMatchObject({
        kind: 'setOwners',
        operation: 'remove',
        references: [],
      });
    },
  );

  test('failed, scaled up again -> the pod lets go of the claim', () => {
    expect(decideWithoutLook(swappingBack)).toMatchObject({
      kind: 'setOwners',
      operation: 'remove',
      references: [],
    });
  });

  test('failed, a reference is to be added -> nothing', () => {
    expect(decideWithoutLook(adding)).toBeUndefined();
  });
});
