import type { Descriptions } from './description.ts';

export const schedulingDescriptions: Descriptions = {
  'scheduling.v1.PriorityClass': {
    about: 'A named priority for pods.',
    fields: {
      value: 'Priority of the pods; higher is more important, and above 1000000000 is for the system.',
      globalDefault:
        'Whether pods without a class get this one; false by default, and true in one class alone.',
      description: 'When to use the class, for people.',
      preemptionPolicy: 'PreemptLowerPriority (default) lets the pods preempt others; Never does not.',
    },
  },
};
