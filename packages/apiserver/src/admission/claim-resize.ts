import { isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { forbidden } from '../meta/status-error.ts';
import { groupResource } from '../resources/resource-definition.ts';
import { compareQuantities } from '../schema/quantity.ts';
import type { AdmissionPlugin } from './admission.ts';

/** Refuses to expand a claim that is not bound, or whose class does not allow expansion. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  validate({ operation, definition, subresource, object, oldObject, storage }) {
    if (operation !== 'UPDATE' || subresource !== '' || object === undefined || oldObject === undefined) {
      return;
    }
    if (definition.group !== '' || definition.plural !== 'persistentvolumeclaims') {
      return;
    }
    const before = requested(oldObject);
    const after = requested(object);
    if (before === undefined || after === undefined || compareQuantities(after, before) <= 0) {
      return;
    }
    const { name = '' } = object.metadata;
    const status = oldObject['status'];
    if (!isObject(status) || status['phase'] !== 'Bound') {
      throw forbidden(groupResource(definition), name, 'Only bound persistent volume claims can be expanded');
    }
    const spec = object['spec'];
    const className = isObject(spec) ? spec['storageClassName'] : undefined;
    const storageClass =
      typeof className === 'string' ? storage.get('storage.k8s.io/storageclasses', '', className) : undefined;
    if (storageClass?.object['allowVolumeExpansion'] !== true) {
      throw forbidden(
        groupResource(definition),
        name,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    }
  },
};

function requested(claim: KubeObject): string | undefined {
  const spec = claim['spec'];
  const resources = isObject(spec) ? spec['resources'] : undefined;
  const requests = isObject(resources) ? resources['requests'] : undefined;
  const storage = isObject(requests) ? requests['storage'] : undefined;
  return typeof storage === 'string' ? storage : undefined;
}
