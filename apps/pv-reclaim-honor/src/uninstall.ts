import {
  finalizers,
  hasFinalizer,
  isTerminating,
  persistentVolumes,
  type PersistentVolume,
} from '@holdfast/core';
import { MustStay, type UninstallStep } from '@holdfast/runtime';
import { command } from './config.ts';
import { heldByAnnotation, isStatic, ownHolds, recordedHold } from './decide/held-by.ts';
import { statedPolicyOf } from './decide/stated-policy.ts';
import { meansDelete } from './decide/undo-window.ts';
import { finalizerOperations } from './finalizer-writer.ts';
import { withoutBegun } from './record-begun.ts';
import { storageNameOf } from './storage-name.ts';
import { withoutMark } from './undo/undo-patch.ts';

export interface UninstallFlags {
  /** The value of `--csi-finalizer`. */
  readonly csiFinalizer: string;
  /** Only volumes whose `claimRef` points into these namespaces; empty: all. */
  readonly namespaces: readonly string[];
}

/** The finalizers that other provisioners use too. */
const shared: readonly string[] = [finalizers.externalProvisioner, finalizers.pvController];

/**
 * Removes from volumes the finalizers that this app has added, in any process and under any flags, the record
 * of them, and the marks of undo windows.
 *
 * Release 0.1.0 did not record its finalizers. They are distinguished from a csi-provisioner's by the
 * volume's `managedFields`, where the API server has recorded whose request added the finalizer. If these are
 * gone or also name others, the finalizer stays.
 *
 * A volume that waits for the deletion of its storage loses its finalizer like any other, and is named in a
 * notice. It cannot be left as it is, because nobody would ever remove the finalizer.
 */
export function uninstallSteps({ csiFinalizer, namespaces }: UninstallFlags) {
  const isMeant = ({ spec }: PersistentVolume): boolean =>
    namespaces.length === 0 || namespaces.includes(spec?.claimRef?.namespace ?? '');
  const holdsOf = (volume: PersistentVolume): readonly string[] => [
    ...new Set([
      ...ownHolds(volume, csiFinalizer),
      ...shared.filter((each) => hasFinalizer(volume, each) && isPutOnByUs(volume, each)),
    ]),
  ];

  return [
    {
      what: `finalizers of volumes, annotation ${heldByAnnotation} and marks and records of undo windows`,
      // Whole objects, because a projection does not know managedFields.
      resource: persistentVolumes,
      takeBack: (volume: PersistentVolume) => {
        const remove = holdsOf(volume);
        const undo = [...withoutMark(volume), ...withoutBegun(volume)];
        const isRecorded = recordedHold(volume) !== undefined;
        if (!isMeant(volume) || (remove.length === 0 && undo.length === 0 && !isRecorded)) {
          return undefined;
        }
        if (remove.includes(finalizers.pvController) && wouldHang(volume)) {
          const { namespace = '', name = '' } = volume.spec?.claimRef ?? {};
          throw new MustStay(
            `the volume is terminating while it is Bound, and kube-controller-manager would hang on it without its finalizer: delete claim ${namespace}/${name}, then run this again`,
          );
        }
        return [
          ...(remove.length > 0 || isRecorded ? finalizerOperations(volume, { add: [], remove }) : []),
          ...undo,
        ];
      },
      notice: (volume: PersistentVolume) =>
        holdsOf(volume).length > 0 && mightBeToBeDeleted(volume)
          ? `it waits for its storage to be deleted, which is left behind unless another provisioner deletes it: ${storageNameOf(volume)}`
          : undefined,
    },
  ] satisfies readonly UninstallStep<PersistentVolume>[];
}

/** For a provisioned in-tree volume; see `decide.ts`. */
function wouldHang(volume: PersistentVolume): boolean {
  return isTerminating(volume) && volume.status?.phase === 'Bound' && !isStatic(volume);
}

function mightBeToBeDeleted(volume: PersistentVolume): boolean {
  const { phase } = volume.status ?? {};
  return (
    (statedPolicyOf(volume) !== 'other' || meansDelete(volume)) &&
    (isTerminating(volume) || phase === 'Released' || phase === 'Failed')
  );
}

/**
 * Judges by the API server's record of who wrote which field; managers are named after the programs in
 * `User-Agent`.
 */
function isPutOnByUs({ metadata }: PersistentVolume, finalizer: string): boolean {
  const managers = (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => managesFinalizer(fieldsV1, finalizer))
    .map(({ manager }) => manager);
  return managers.length > 0 && managers.every((each) => each === command.name);
}

/** FieldsV1 writes a value of a set as `v:` followed by its JSON. */
function managesFinalizer(fields: unknown, finalizer: string): boolean {
  const { 'f:metadata': metadata } = (fields ?? {}) as { 'f:metadata'?: { 'f:finalizers'?: object } };
  return Object.hasOwn(metadata?.['f:finalizers'] ?? {}, `v:${JSON.stringify(finalizer)}`);
}
