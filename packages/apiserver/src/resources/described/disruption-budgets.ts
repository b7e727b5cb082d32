import { invalid, notSupported } from '../../meta/field-error.ts';
import type { DisruptionBudget } from '../disruption.ts';
import { pathSegment } from '../../meta/names.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { validateConditions } from '../conditions.ts';
import { goValue } from '../go-diff.ts';
import { describedResource } from './described-resource.ts';
import { notNegative, notNegativeOrPercentage } from '../numbers.ts';
import { age, text, typed } from './shown.ts';

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

/** policy/v1 */
export const podDisruptionBudgets = describedResource({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  namespaced: true,
  struct: 'policy.v1.PodDisruptionBudget',
  storageVersionHash: 'EVWiDmWqyJw=',
  hasGeneration: true,
  hasStatus: true,
  allowUnconditionalUpdate: false,
  takesAnyFinalizer: true,
  nameRule: pathSegment,
  judgesMetadataLast: true,
  refusals({ spec }: DisruptionBudget) {
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
    const shown = goValue(spec, 'policy.v1.PodDisruptionBudgetSpec');
    return [
      ...(minAvailable !== undefined && maxUnavailable !== undefined
        ? [invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set')]
        : []),
      ...notNegativeOrPercentage(minAvailable, 'spec.minAvailable'),
      ...notNegativeOrPercentage(maxUnavailable, 'spec.maxUnavailable'),
      ...validateLabelSelector(selector, 'spec.selector'),
      ...(policy === undefined || evictionPolicies.includes(policy)
        ? []
        : [notSupported('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies)]),
    ];
  },
  statusRefusals: ({ status }: DisruptionBudget) => [
    ...validateConditions(status.conditions ?? [], 'status.conditions'),
    ...notNegative(status, 'status', [
      'disruptionsAllowed',
      'currentHealthy',
      'desiredHealthy',
      'expectedPods',
    ]),
  ],
  shown: [
    text<DisruptionBudget>('Min Available', 'The fewest pods that must stay', ({ spec }) =>
      String(spec.minAvailable ?? 'N/A'),
    ),
    text<DisruptionBudget>('Max Unavailable', 'The most that may go', ({ spec }) =>
      String(spec.maxUnavailable ?? 'N/A'),
    ),
    typed<DisruptionBudget>(
      'Allowed Disruptions',
      'integer',
      'How many may go now',
      ({ status }) => status.disruptionsAllowed ?? 0,
    ),
    age,
  ],
});
