import type { Descriptions } from './description.ts';

export const policyDescriptions: Descriptions = {
  'policy.v1.PodDisruptionBudget': {
    about: 'How many of a set of pods evictions may take away at once.',
    fields: { spec: 'The budget.', status: 'What the budget allows now.' },
  },
  'policy.v1.PodDisruptionBudgetSpec': {
    about: 'A budget of disruptions.',
    fields: {
      minAvailable:
        'Pods that must stay available, a number or a percentage; not together with maxUnavailable.',
      selector: 'Pods that the budget is for; {} selects all of the namespace, null none.',
      maxUnavailable:
        'Pods that may be unavailable, a number or a percentage; not together with minAvailable.',
      unhealthyPodEvictionPolicy:
        'When running pods that are not ready can be evicted: IfHealthyBudget (default) only while enough others are healthy, AlwaysAllow always.',
    },
  },
  'policy.v1.PodDisruptionBudgetStatus': {
    about: 'What a budget allows now.',
    fields: {
      observedGeneration:
        'Generation that the other fields were computed for; evictions wait for the newest.',
      disruptedPods: 'Pods whose eviction was allowed and that are not yet gone, with the time.',
      disruptionsAllowed: 'Evictions that are allowed now.',
      currentHealthy: 'Pods that are healthy.',
      desiredHealthy: 'Pods that must be healthy.',
      expectedPods: 'Pods that the budget counts.',
      conditions: 'Conditions, such as DisruptionAllowed.',
    },
  },
};
