import { expect, test } from '@jest/globals';
import type { AdmissionRequest } from '@holdfast/runtime';
import { protectClaim } from '../src/admission/protect-claim.ts';

const creationOf = (finalizers: unknown): AdmissionRequest =>
  ({
    operation: 'CREATE',
    object: { metadata: { name: 'data', finalizers } },
  }) as unknown as AdmissionRequest;
const patchTo = (...value: readonly string[]) => ({
  kind: 'patch',
  patch: [{ op: 'add', path: '/metadata/finalizers', value }],
});
const ours = 'kubernetes.io/pvc-protection';

test.each([
  { finalizers: undefined, answer: patchTo(ours) },
  { finalizers: null, answer: patchTo(ours) },
  { finalizers: ['example.com/x'], answer: patchTo('example.com/x', ours) },
  { finalizers: [ours], answer: { kind: 'allowed' } },
])('claim is created with finalizers $finalizers -> the finalizer is on it', ({ finalizers, answer }) => {
  expect(protectClaim(creationOf(finalizers))).toEqual(answer);
});

test.each(['odd', ours, 7, { length: 1 }])(
  'Issue 19: claim is created with finalizers %j, which are no list -> no answer, and nothing is changed',
  (finalizers) => {
    expect(() => protectClaim(creationOf(finalizers))).toThrow('metadata.finalizers is no list');
  },
);
