import { isObject } from '../json.ts';
import type { AdmissionPlugin } from './admission.ts';

/** Pods get the priority of their class; no classes are served here, so it is the default one. */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  mutate({ operation, definition, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
    if (definition.group !== '' || definition.plural !== 'pods') return;
    const spec = object['spec'];
    if (!isObject(spec)) return;
    spec['priority'] ??= 0;
    spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
  },
};
