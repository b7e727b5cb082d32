import { isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { AdmissionPlugin } from './admission.ts';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/**
 * Sets the default class of a new claim without one. Of several default classes the newest is used, and of
 * equally old ones the first by name.
 */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  mutate({ operation, definition, subresource, object, storage }) {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) {
      return;
    }
    if (definition.group !== '' || definition.plural !== 'persistentvolumeclaims') {
      return;
    }
    const spec = object['spec'];
    if (!isObject(spec) || spec['storageClassName'] !== undefined) {
      return;
    }
    if (object.metadata.annotations?.[classAnnotation] !== undefined) {
      return;
    }
    const [chosen] = storage
      .list('storage.k8s.io/storageclasses')
      .map((entry) => entry.object)
      .filter((candidate) =>
        defaultAnnotations.some((key) => candidate.metadata.annotations?.[key] === 'true'),
      )
      .sort(newestFirst);
    if (chosen?.metadata.name !== undefined) {
      spec['storageClassName'] = chosen.metadata.name;
    }
  },
};

/** Classes of the same age keep their order, which is by name. */
function newestFirst(a: KubeObject, b: KubeObject): number {
  const [left = '', right = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return left < right ? 1 : left > right ? -1 : 0;
}
