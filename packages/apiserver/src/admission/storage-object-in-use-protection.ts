import type { AdmissionPlugin } from './admission.ts';

const finalizers: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
};

/** Gives new claims and volumes the finalizer that keeps them while they are in use. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, definition, subresource, object }) {
    const finalizer = definition.group === '' ? finalizers[definition.plural] : undefined;
    if (operation !== 'CREATE' || subresource !== '' || object === undefined || finalizer === undefined) {
      return;
    }
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) {
      object.metadata.finalizers = [...present, finalizer];
    }
  },
};
