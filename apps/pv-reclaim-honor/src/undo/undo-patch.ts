import {
  guardedPatch,
  pointer,
  testAbsent,
  type JsonPatch,
  type JsonPatchOperation,
  type PersistentVolume,
} from '@holdfast/core';
import { deletionBegunAnnotation } from '../decide/deletion-begun.ts';
import { markAnnotations, newMark } from '../decide/undo-mark.ts';

const annotationsPath = pointer('metadata', 'annotations');
const claimUidPath = pointer('spec', 'claimRef', 'uid');

/**
 * Writes a mark in place of what there is of one, for the release from the claim that `claimRef` names.
 *
 * @param volume whole, as the API server has it.
 * @param due milliseconds since 1970.
 */
export function markPatch(volume: PersistentVolume, due: number): JsonPatch {
  const mark = newMark(volume, due);
  const { annotations } = volume.metadata;
  return guardedPatch(volume, [
    testClaimUid(volume),
    ...(annotations === undefined
      ? [testAbsent(annotationsPath), { op: 'add' as const, path: annotationsPath, value: mark }]
      : [
          // What users are told of their way back depends on it.
          testAnnotation(volume, deletionBegunAnnotation),
          ...Object.entries(mark).flatMap(([name, value]): readonly JsonPatchOperation[] => [
            testAnnotation(volume, name),
            { op: 'add', path: annotationPath(name), value },
          ]),
        ]),
  ]);
}

/**
 * Removes what there is of a mark.
 *
 * @param volume whole, as the API server has it.
 */
export function unmarkPatch(volume: PersistentVolume): JsonPatch {
  return guardedPatch(volume, withoutMark(volume));
}

/**
 * Gives the volume back to the name of its claim. `claimRef` keeps namespace and name, so that no other claim
 * gets the volume, and loses the UID and resourceVersion of the claim that is gone. The volume binder then
 * binds it to the claim that asks for it. A terminating volume is left as it is: its deletion cannot be
 * undone.
 *
 * @param volume whole, as the API server has it.
 * @param boundUid UID of the claim if that is bound to the volume already; undefined if the binder is to bind it.
 */
export function giveBackPatch(volume: PersistentVolume, boundUid: string | undefined): JsonPatch {
  const { namespace, name, resourceVersion } = volume.spec?.claimRef ?? {};
  const versionPath = pointer('spec', 'claimRef', 'resourceVersion');
  return guardedPatch(volume, [
    testAbsent(pointer('metadata', 'deletionTimestamp')),
    { op: 'test', path: pointer('spec', 'claimRef', 'namespace'), value: namespace ?? null },
    { op: 'test', path: pointer('spec', 'claimRef', 'name'), value: name ?? null },
    testClaimUid(volume),
    boundUid === undefined
      ? { op: 'remove', path: claimUidPath }
      : { op: 'replace', path: claimUidPath, value: boundUid },
    ...(resourceVersion === undefined
      ? []
      : [
          { op: 'test' as const, path: versionPath, value: resourceVersion },
          { op: 'remove' as const, path: versionPath },
        ]),
    ...(volume.metadata.annotations === undefined ? [] : [testAnnotation(volume, deletionBegunAnnotation)]),
    ...withoutMark(volume),
  ]);
}

/** Returns the operations of {@link unmarkPatch}, without its guards. */
export function withoutMark(volume: PersistentVolume): readonly JsonPatchOperation[] {
  return markAnnotations.flatMap((name): readonly JsonPatchOperation[] =>
    volume.metadata.annotations?.[name] === undefined
      ? []
      : [testAnnotation(volume, name), { op: 'remove', path: annotationPath(name) }],
  );
}

function testAnnotation({ metadata }: PersistentVolume, name: string): JsonPatchOperation {
  return { op: 'test', path: annotationPath(name), value: metadata.annotations?.[name] ?? null };
}

function testClaimUid({ spec }: PersistentVolume): JsonPatchOperation {
  return { op: 'test', path: claimUidPath, value: spec?.claimRef?.uid ?? null };
}

function annotationPath(name: string): string {
  return pointer('metadata', 'annotations', name);
}
