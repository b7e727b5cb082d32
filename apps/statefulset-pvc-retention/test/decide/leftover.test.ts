import { describe, expect, test } from '@jest/globals';
import { decideLeftover } from '../../src/decide/leftover.ts';
import { claim, foreignOwner, leftover, toPod, toSet } from '../snapshots.ts';

describe('claim named after no workload', () => {
  const orphan = { uid: 'uid-of-web-1', orphaned: true, namesClaim: true };

  test('the orphaned pod of a scale-down controls it -> the pod lets go of it', () => {
    const given = claim([toPod(), foreignOwner]);
    expect(decideLeftover(leftover({ claim: given }))).toMatchObject({ kind: 'askLive', about: 'pod' });
    expect(decideLeftover(leftover({ claim: given, livePod: orphan }))).toMatchObject({
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
    expect(decideLeftover(leftover({ claim: claim([toPod()]), livePod })).kind).toBe('none');
  });

  test('mark -> cleared, and nothing else asked', () => {
    const marked = claim([toPod()], { mark: '2026-01-01T00:00:00Z' });
    expect(decideLeftover(leftover({ claim: marked })).kind).toBe('unmark');
  });

  test.each([
    { name: 'gone', given: undefined },
    { name: 'terminating', given: claim([toPod()], { deleted: true }) },
    { name: 'without owner', given: claim() },
    { name: "a pod's of another name", given: claim([toPod({ name: 'db-1' })]) },
    { name: "a pod's, not as controller", given: claim([toPod({ controller: false })]) },
    { name: "a set's", given: claim([toSet()]) },
  ])('claim is $name -> left', ({ given }) => {
    expect(decideLeftover(leftover({ claim: given })).kind).toBe('none');
  });
});
