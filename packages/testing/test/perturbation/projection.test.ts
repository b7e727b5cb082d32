import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@holdfast/core';
import { differences, projectionOf } from '../../src/perturbation/projection.ts';

const uids = ['1f0c5b1e-0000-4000-8000-000000000001', '1f0c5b1e-0000-4000-8000-000000000002'] as const;

function pod(name: string, uid: string, rest: object = {}): KubernetesObject {
  return {
    kind: 'Pod',
    metadata: { name, namespace: 'shop', uid, resourceVersion: '7', ...rest },
  };
}

describe('what a world has come to', () => {
  test('other uids, times, versions and order -> the same', () => {
    const first = projectionOf([
      pod('a', uids[0], { creationTimestamp: '2026-01-01T00:00:00Z', generation: 3 }),
      pod('b', uids[1], { ownerReferences: [{ uid: uids[0] }], name: 'b' }),
    ]);
    const second = projectionOf([
      pod('b', uids[0], { resourceVersion: '9', ownerReferences: [{ uid: uids[1] }] }),
      pod('a', uids[1], { creationTimestamp: '2027-02-03T04:05:06.789Z' }),
    ]);
    expect(differences(first, second)).toStrictEqual([]);
  });

  test('an owner that is another object -> not the same', () => {
    const owned = (owner: string) =>
      projectionOf([pod('a', uids[0]), pod('b', uids[1], { ownerReferences: [{ uid: owner }] })]);
    expect(differences(owned(uids[0]), owned(uids[1]))).toEqual([
      'Pod shop/b.metadata.ownerReferences: expected [{"uid":"<uid of Pod shop/a>"}], found [{"uid":"<uid of Pod shop/b>"}]',
    ]);
  });

  test('an object that is missing, and a field -> each named', () => {
    const [a, b] = [pod('a', uids[0], { labels: { x: 'y' } }), pod('b', uids[1])];
    expect(differences(projectionOf([a, b]), projectionOf([pod('a', uids[0])]))).toEqual([
      'Pod shop/a.metadata.labels: expected {"x":"y"}, found none',
      expect.stringMatching(/^Pod shop\/b: expected \{.*\}, found none$/),
    ]);
  });

  test('Events, Leases and what the scenario leaves out -> not counted; what remains is', () => {
    const objects = [
      { ...pod('a', uids[0]), kind: 'Event' },
      { ...pod('b', uids[1]), kind: 'Lease' },
      pod('c', uids[0]),
    ];
    expect(projectionOf(objects, () => undefined, { files: 2 })).toEqual({ 'what remains': { files: 2 } });
  });
});
