import { keyspaceOf } from '../resources/resource-definition.ts';
import type { AdmissionPlugin } from './admission.ts';

const finalizers: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/**
 * Adds finalizers to new claims, volumes and VolumeAttributesClasses that keep them while they are in use.
 */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, definition, subresource, object }) {
    const finalizer = finalizers[keyspaceOf(definition)];
    if (operation !== 'CREATE' || subresource !== '' || object === undefined || finalizer === undefined) {
      return;
    }
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) {
      object.metadata.finalizers = [...present, finalizer];
    }
  },
};
