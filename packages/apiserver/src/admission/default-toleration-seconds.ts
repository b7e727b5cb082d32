import { isObject } from '../meta/json.ts';
import type { Toleration } from '../resources/pod-spec.ts';
import type { AdmissionPlugin } from './admission.ts';

const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const seconds = 300;

/**
 * Lets a pod tolerate a not-ready or unreachable node for five minutes, unless it sets its own tolerations.
 */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate({ operation, definition, subresource, object }) {
    if (operation === 'DELETE' || subresource !== '' || object === undefined) {
      return;
    }
    if (definition.group !== '' || definition.plural !== 'pods') {
      return;
    }
    const spec = object['spec'];
    if (!isObject(spec)) {
      return;
    }
    const tolerations = (spec['tolerations'] ?? []) as Toleration[];
    const missing = taints.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)));
    if (missing.length === 0) {
      return;
    }
    spec['tolerations'] = [
      ...tolerations,
      ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds })),
    ];
  },
};

function tolerates({ key = '', effect = '' }: Toleration, taint: string): boolean {
  return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');
}
