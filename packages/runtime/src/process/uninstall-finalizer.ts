import {
  hasFinalizer,
  isTerminating,
  pointer,
  removeFinalizerPatch,
  testAbsent,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import { MustStay, type UninstallStep } from './uninstall-step.ts';

/**
 * Returns the step by which `--uninstall` takes the finalizer of an {@link objectController} off each object
 * of the kind. If it stayed, nobody could delete these objects any more.
 *
 *     await runApp(command, compose, { uninstall: () => [uninstallFinalizer(sites, 'example.com/drain')] });
 *
 * A terminating object keeps it and counts as refused, because it still needs the cleanup that only the app
 * can do.
 */
export function uninstallFinalizer<T extends KubernetesObject>(
  resource: ApiResource<T>,
  finalizer: string,
): UninstallStep<T> {
  return {
    what: `finalizer ${finalizer}`,
    resource,
    takeBack: (object) => {
      if (!hasFinalizer(object, finalizer)) {
        return undefined;
      }
      if (isTerminating(object)) {
        throw new MustStay(
          `it is being deleted, and finalizer ${finalizer} stands for what has still to be cleaned up: let the controller run until it is gone, and uninstall again`,
        );
      }
      // An object that is deleted in between must not lose it either.
      return [
        testAbsent(pointer('metadata', 'deletionTimestamp')),
        ...removeFinalizerPatch(object, finalizer),
      ];
    },
  };
}
