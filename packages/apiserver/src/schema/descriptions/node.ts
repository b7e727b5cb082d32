import type { Descriptions } from './description.ts';

export const nodeDescriptions: Descriptions = {
  'node.v1.Overhead': {
    about: 'Resources that running a pod costs on top of its containers.',
    fields: { podFixed: 'Amounts for each pod, by resource.' },
  },
  'node.v1.RuntimeClass': {
    about: 'A container runtime for pods, by name.',
    fields: {
      handler: 'Handler of the CRI configuration that runs the pods, a DNS label; it cannot be changed.',
      overhead: 'Resources that each pod costs on top of its containers.',
      scheduling: 'Nodes that have the runtime; all when unset.',
    },
  },
  'node.v1.Scheduling': {
    about: 'Nodes that have a runtime.',
    fields: {
      nodeSelector: 'Labels of these nodes, merged with the nodeSelector of the pod.',
      tolerations: 'Tolerations that are added to those of the pod.',
    },
  },
};
