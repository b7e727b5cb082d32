import {
  addFinalizerPatch,
  finalizers,
  hasFinalizer,
  isTerminating,
  objectKey,
  persistentVolumes,
  removeFinalizerPatch,
} from '@holdfast/core';
import type { Controller } from '../controller.ts';

/**
 * Stands in for kube-controller-manager's persistentvolume-protection-controller, which keeps a bound volume
 * from being deleted.
 */
export const persistentVolumeProtection: Controller = {
  name: 'persistentvolume-protection-controller',
  async setUp({ client, watch }) {
    const volumes = await watch(persistentVolumes, ({ object }) => [objectKey(object)]);
    return async (name) => {
      const volume = volumes.get(name);
      if (volume === undefined) {
        return undefined;
      }
      const isProtected = hasFinalizer(volume, finalizers.pvProtection);
      if (isTerminating(volume) && isProtected && volume.status?.phase !== 'Bound') {
        await client.patch(
          persistentVolumes,
          { name },
          removeFinalizerPatch(volume, finalizers.pvProtection),
        );
      } else if (!isTerminating(volume) && !isProtected) {
        await client.patch(persistentVolumes, { name }, addFinalizerPatch(volume, finalizers.pvProtection));
      }
      return undefined;
    };
  },
};
