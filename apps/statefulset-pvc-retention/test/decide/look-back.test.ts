import { describe, expect, test } from '@jest/globals';
import { decideAgain } from '../../src/decide/look-back.ts';
import { claim, facts, foreignOwner, hold, snapshot, toPod, toSet } from '../snapshots.ts';

const deletes = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
const scaledDown = facts({ ...deletes, wanted: false });

describe('after a reference was added', () => {
  const withSet = snapshot({ claim: claim([foreignOwner, toSet()]), workload: facts(deletes) });
  const withPod = snapshot({ claim: claim([foreignOwner, toPod()]), workload: scaledDown });
  const withGonePod = { ...withPod, pod: undefined, lastPodUid: 'uid-of-web-1' };

  test.each([
    { name: 'set, nothing changed', given: withSet, workload: facts(deletes) },
    { name: 'set, scaled down meanwhile', given: withSet, workload: scaledDown },
    {
      name: 'set, its deletion began',
      given: withSet,
      workload: facts({ ...deletes, deletion: 'underWay' }),
    },
    { name: 'pod, nothing changed', given: withPod, workload: scaledDown },
    { name: 'pod that is gone, nothing changed', given: withGonePod, workload: scaledDown },
  ] as const)('$name -> stays', ({ given, workload }) => {
    expect(decideAgain(given, workload)).toBeUndefined();
  });

  test.each([
    { name: 'set, gone meanwhile', given: withSet, workload: undefined },
    { name: 'set, another has its name', given: withSet, workload: facts({ ...deletes, uid: 'other' }) },
    {
      name: 'set, its orphaning began',
      given: withSet,
      workload: facts({ ...deletes, deletion: 'orphaning' }),
    },
    { name: 'set, turned to Retain', given: withSet, workload: facts() },
    { name: 'pod, set gone meanwhile', given: withPod, workload: undefined },
    { name: 'pod, scaled up again', given: withPod, workload: facts(deletes) },
    { name: 'pod that is gone, scaled up again', given: withGonePod, workload: facts(deletes) },
    { name: 'pod, turned to Retain', given: withPod, workload: facts({ wanted: false }) },
    { name: 'pod, orphaning began', given: withPod, workload: { ...scaledDown, deletion: 'orphaning' } },
  ] as const)('$name -> taken back', ({ given, workload }) => {
    expect(decideAgain(given, workload)).toMatchObject({
      kind: 'setOwners',
      operation: 'remove',
      references: [foreignOwner],
    });
  });

  test.each([
    { name: 'is terminating by now', given: claim([toSet()], { deleted: true }) },
    { name: 'is gone by now', given: undefined },
    { name: 'has nothing of ours left', given: claim([foreignOwner]) },
  ])('set, gone meanwhile, the claim $name -> nothing is written', ({ given }) => {
    expect(decideAgain({ ...withSet, claim: given }, undefined)).toBeUndefined();
  });

  test('set, held, scaled down meanwhile -> confirmed: the set is no pod that the claim could go with', () => {
    const given = { ...withSet, claim: claim([toSet(), hold]) };
    expect(decideAgain(given, scaledDown)).toMatchObject({ operation: 'confirm', references: [toSet()] });
  });
});
