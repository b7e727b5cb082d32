import { describe, expect, test } from '@jest/globals';
import { decideLeftover } from '../src/decide/leftover.ts';
import { decideAgain } from '../src/decide/look-back.ts';
import { claim, deleteAfter, facts, foreignOwner, snapshot, toPod, toSet } from './snapshots.ts';

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
});

describe('claim named after no workload', () => {
  const orphan = { uid: 'uid-of-web-1', orphaned: true, namesClaim: true };

  test('the orphaned pod of a scale-down controls it -> the pod lets go of it', () => {
    const given = claim([toPod(), foreignOwner]);
    expect(decideLeftover({ claim: given, livePod: undefined })).toEqual({ kind: 'askLive' });
    expect(decideLeftover({ claim: given, livePod: orphan })).toMatchObject({
      kind: 'setOwners',
      operation: 'remove',
      references: [foreignOwner],
    });
  });

  test.each([
    { name: 'pod is gone', livePod: 'none' },
    { name: 'another pod has the name', livePod: { ...orphan, uid: 'other' } },
    { name: 'pod has a controller, or no workload made it', livePod: { ...orphan, orphaned: false } },
    { name: "claim is the pod's ephemeral volume", livePod: { ...orphan, namesClaim: false } },
  ] as const)('$name -> left', ({ livePod }) => {
    expect(decideLeftover({ claim: claim([toPod()]), livePod }).kind).toBe('none');
  });

  test('mark -> cleared, and nothing else asked', () => {
    const marked = claim([toPod()], { mark: '2026-01-01T00:00:00Z' });
    expect(marked.metadata.annotations?.[deleteAfter]).toBeDefined();
    expect(decideLeftover({ claim: marked, livePod: undefined }).kind).toBe('unmark');
  });

  test.each([
    { name: 'gone', given: undefined },
    { name: 'terminating', given: claim([toPod()], { deleted: true }) },
    { name: 'without owner', given: claim() },
    { name: "a pod's of another name", given: claim([toPod({ name: 'db-1' })]) },
    { name: "a pod's, not as controller", given: claim([toPod({ controller: false })]) },
    { name: "a set's", given: claim([toSet()]) },
  ])('claim is $name -> left', ({ given }) => {
    expect(decideLeftover({ claim: given, livePod: undefined }).kind).toBe('none');
  });
});
