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
 * What `--uninstall` does about the finalizer of an {@link objectController}: it is taken off each object of the kind. Left on, nobody could delete these
 * objects any more.
 *
 *     await runApp(command, compose, { uninstall: () => [uninstallFinalizer(sites, 'example.com/drain')] });
 *
 * An object that is terminating keeps it, and counts as refused: it has still to be cleaned up, which the app alone knows how to.
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
      // One that is deleted meanwhile must not lose it either.
      return [
        testAbsent(pointer('metadata', 'deletionTimestamp')),
        ...removeFinalizerPatch(object, finalizer),
      ];
    },
  };
}
