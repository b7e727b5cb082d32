import {
  guardedPatch,
  hasFinalizer,
  persistentVolumes,
  pointer,
  testAbsent,
  type JsonPatch,
  type PersistentVolume,
} from '@holdfast/core';
import {
  guardedWrite,
  writeOutcome,
  type ApiClient,
  type RequestOptions,
  type Written,
} from '@holdfast/runtime';
import { heldByAnnotation, isOfOthers, recordedHold } from './decide/held-by.ts';
import type { Metrics } from './metrics.ts';

/** Finalizers to add and remove together. */
export interface FinalizerDifference {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** What to record where no finalizer of ours is left, and others are. Default: the record is removed. */
  readonly record?: string;
}

/**
 * Adds and removes finalizers of a volume in one write, so that the volume always has one, and counts the
 * outcome.
 *
 * The same write records on the volume which finalizer is ours, and removes a record of one that is no longer
 * there or belongs to others. The write is outdated if the list of finalizers, the record or the reclaim
 * policy differ from those of `volume`, or if the look that the volume comes from, if any, has grown too old.
 *
 * Never rejects.
 */
export type FinalizerWriter = (
  volume: PersistentVolume,
  difference: FinalizerDifference,
  options: RequestOptions,
) => Promise<Written<PersistentVolume>>;

export function createFinalizerWriter(
  client: Pick<ApiClient, 'patch'>,
  metrics: Pick<Metrics, 'finalizer'>,
): FinalizerWriter {
  return async (volume, difference, options) => {
    const { name } = volume.metadata;
    const written = await guardedWrite(
      () => client.patch(persistentVolumes, { name }, finalizerPatch(volume, difference), options),
      (patched) =>
        difference.add.every((each) => hasFinalizer(patched, each)) &&
        !difference.remove.some((each) => hasFinalizer(patched, each)),
    );
    metrics.finalizer(difference.add.length > 0 ? 'add' : 'remove', writeOutcome(written));
    return written;
  };
}

const list = pointer('metadata', 'finalizers');
const annotations = pointer('metadata', 'annotations');
const record = pointer('metadata', 'annotations', heldByAnnotation);
const policy = pointer('spec', 'persistentVolumeReclaimPolicy');

/** @throws Error if nothing would change. */
function finalizerPatch(volume: PersistentVolume, difference: FinalizerDifference): JsonPatch {
  return guardedPatch(volume, [
    { op: 'test', path: policy, value: volume.spec?.persistentVolumeReclaimPolicy ?? null },
    ...finalizerOperations(volume, difference),
  ]);
}

/**
 * Returns the operations that change the list of finalizers and our record, and test what they change.
 *
 * @throws Error if nothing would change.
 */
export function finalizerOperations(
  volume: PersistentVolume,
  { add, remove, record: last }: FinalizerDifference,
): JsonPatch {
  const present = volume.metadata.finalizers ?? [];
  const next = [...present.filter((finalizer) => !remove.includes(finalizer))];
  const added = add.filter((finalizer) => !next.includes(finalizer));
  next.push(...added);
  const recorded = recordedHold(volume);
  const isRight = recorded !== undefined && next.includes(recorded) && !isOfOthers(recorded);
  const own = isRight ? recorded : (added[0] ?? (next.length > 0 ? last : undefined));
  const isSameList = next.length === present.length && next.every((each, index) => each === present[index]);
  if (isSameList && own === recorded) {
    throw new Error(`volume ${volume.metadata.name} has the finalizers [${present.join(', ')}] already`);
  }
  return [...(isSameList ? [] : listOperations(present, next)), ...recordOperations(volume, recorded, own)];
}

function listOperations(present: readonly string[], next: readonly string[]): JsonPatch {
  return present.length === 0
    ? [testAbsent(list), { op: 'add', path: list, value: next }]
    : [
        { op: 'test', path: list, value: present },
        { op: 'replace', path: list, value: next },
      ];
}

function recordOperations(
  { metadata }: PersistentVolume,
  recorded: string | undefined,
  own: string | undefined,
): JsonPatch {
  if (recorded === own) {
    return recorded === undefined ? [] : [{ op: 'test', path: record, value: recorded }];
  }
  if (own === undefined) {
    return [
      { op: 'test', path: record, value: recorded },
      { op: 'remove', path: record },
    ];
  }
  return metadata.annotations === undefined
    ? [testAbsent(annotations), { op: 'add', path: annotations, value: { [heldByAnnotation]: own } }]
    : [
        { op: 'test', path: record, value: recorded ?? null },
        { op: 'add', path: record, value: own },
      ];
}
