import { type FieldError, invalid } from '../../meta/field-error.ts';
import type { DisruptionBudget } from '../disruption.ts';
import { pathSegment } from '../../meta/names.ts';
import { goValue } from '../go-diff.ts';
import { describedResource } from './described-resource.ts';
import { notNegative, notNegativeOrPercentage } from '../numbers.ts';
import { age, text, typed } from './shown.ts';

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
    const { minAvailable, maxUnavailable } = spec;
    const errors: FieldError[] = [];
    if (minAvailable !== undefined && maxUnavailable !== undefined) {
      const shown = goValue(spec, 'policy.v1.PodDisruptionBudgetSpec');
      errors.push(invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'));
    }
    return [
      ...errors,
      ...notNegativeOrPercentage(minAvailable, 'spec.minAvailable'),
      ...notNegativeOrPercentage(maxUnavailable, 'spec.maxUnavailable'),
    ];
  },
  statusRefusals: ({ status }: DisruptionBudget) =>
    notNegative(status, 'status', ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']),
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
