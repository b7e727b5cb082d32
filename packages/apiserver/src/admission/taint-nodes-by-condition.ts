import { isObject } from '../meta/json.ts';
import type { AdmissionPlugin } from './admission.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Taints a new node as not ready, so that no pod is scheduled onto it before it reports that it is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate({ operation, definition, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) {
      return;
    }
    if (definition.group !== '' || definition.plural !== 'nodes') {
      return;
    }
    const spec = object['spec'];
    if (!isObject(spec)) {
      return;
    }
    const taints = Array.isArray(spec['taints']) ? spec['taints'] : [];
    const isTainted = taints.some(
      (taint) => isObject(taint) && taint['key'] === notReady.key && taint['effect'] === notReady.effect,
    );
    if (!isTainted) {
      spec['taints'] = [...taints, { ...notReady }];
    }
  },
};
