import { guardedPatch, testAbsent, type JsonPatch, type PersistentVolumeClaim } from '@holdfast/core';
import { conditionType, type UnusedState } from './decide.ts';

const path = '/status/conditions';

/** Returns the patch of the status subresource that sets the condition and leaves the others unchanged. */
export function setConditionPatch(claim: PersistentVolumeClaim, state: UnusedState, now: Date): JsonPatch {
  const conditions = claim.status?.conditions ?? [];
  const condition = {
    type: conditionType,
    ...state,
    lastTransitionTime: `${now.toISOString().slice(0, -5)}Z`,
  };
  if (conditions.length === 0) {
    return guardedPatch(claim, [testAbsent(path), { op: 'add', path, value: [condition] }]);
  }
  const index = conditions.findIndex(({ type }) => type === conditionType);
  return index < 0
    ? guardedPatch(claim, [
        // This is the only way to notice that another writer has appended one meanwhile.
        { op: 'test', path: '/metadata/resourceVersion', value: claim.metadata.resourceVersion },
        { op: 'add', path: `${path}/-`, value: condition },
      ])
    : guardedPatch(claim, [
        ...testsOf(claim, index),
        { op: 'replace', path: `${path}/${String(index)}`, value: condition },
      ]);
}

/** Returns the patch that removes the existing condition; see {@link setConditionPatch}. */
export function removeConditionPatch(claim: PersistentVolumeClaim): JsonPatch {
  const index = (claim.status?.conditions ?? []).findIndex(({ type }) => type === conditionType);
  return guardedPatch(claim, [...testsOf(claim, index), { op: 'remove', path: `${path}/${String(index)}` }]);
}

function testsOf(claim: PersistentVolumeClaim, index: number): JsonPatch {
  const at = `${path}/${String(index)}`;
  return [
    { op: 'test', path: `${at}/type`, value: conditionType },
    { op: 'test', path: `${at}/status`, value: claim.status?.conditions?.[index]?.status ?? null },
  ];
}
