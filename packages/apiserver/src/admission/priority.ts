import { isObject } from '../meta/json.ts';
import type { AdmissionPlugin } from './admission.ts';

/** Pods get the priority of their class, for good; no classes are served here, so it is the default one. */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  mutate({ operation, definition, subresource, object, oldObject }) {
    if (subresource !== '' || object === undefined) {
      return;
    }
    if (definition.group !== '' || definition.plural !== 'pods') {
      return;
    }
    const spec = object['spec'];
    if (!isObject(spec)) {
      return;
    }
    if (operation === 'CREATE') {
      spec['priority'] ??= 0;
      spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
    } else if (operation === 'UPDATE' && isObject(oldObject?.['spec'])) {
      const { priority: before, preemptionPolicy } = oldObject['spec'];
      if (before !== undefined) {
        spec['priority'] ??= before;
      }
      if (preemptionPolicy !== undefined) {
        spec['preemptionPolicy'] ??= preemptionPolicy;
      }
    }
  },
};
