import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual } from '../../meta/json.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { badRequest } from '../../meta/status-error.ts';
import { goValue } from '../go-diff.ts';
import { amountOf, notNegative, notNegativeOrPercentage } from '../numbers.ts';
import { applyPodSpecDefaults } from '../pod-spec-defaults.ts';
import { validatePodTemplate } from '../pod-template.ts';
import { describedResource } from './described-resource.ts';
import { age, printLabels, text, typed } from './shown.ts';
import {
  type Workload,
  isAskable,
  validateCollisions,
  validateLasting,
  validateOwnSelector,
  validateSelection,
  workloadColumns,
  workloadWarnings,
} from './workload.ts';

interface DaemonSet extends Workload {
  spec: Workload['spec'] & {
    updateStrategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    } & JsonObject;
  };
}

/** How often the template was changed. It was a field before apps/v1. */
const templateGeneration = 'deprecated.daemonset.template.generation';

/** apps/v1 */
export const daemonSets = describedResource({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  namespaced: true,
  struct: 'apps.v1.DaemonSet',
  storageVersionHash: 'dd7pWHUlMKQ=',
  specAnnotations: [templateGeneration],
  hasGeneration: true,
  hasStatus: true,
  applyDefaults({ metadata, spec }: DaemonSet) {
    const { updateStrategy } = spec;
    refuseGeneration(metadata.annotations?.[templateGeneration]);
    // A client that does not send the annotation still writes it, and its manager owns it.
    metadata.annotations = { [templateGeneration]: '0', ...metadata.annotations };
    updateStrategy.type ??= 'RollingUpdate';
    if (updateStrategy.type === 'RollingUpdate') {
      updateStrategy.rollingUpdate ??= {};
      updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      updateStrategy.rollingUpdate.maxSurge ??= 0;
    } else if (updateStrategy.rollingUpdate !== undefined) {
      // The real server has no default for this field, but always shows it.
      updateStrategy.rollingUpdate.maxUnavailable ??= 0;
      updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    applyPodSpecDefaults(spec.template.spec);
  },
  prepareForCreate({ metadata }: DaemonSet) {
    const given = Number(metadata.annotations?.[templateGeneration] ?? 0);
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(Math.max(given, 1)) };
  },
  prepareForUpdate({ metadata, spec }: DaemonSet, old: DaemonSet) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
    const isChanged = !jsonEqual(spec.template, old.spec.template);
    const count = String(before + Number(isChanged));
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: count };
  },
  refusals: ({ spec }: DaemonSet, old) => [
    ...(old === undefined
      ? []
      : validateImmutable(spec.selector, (old as DaemonSet).spec.selector, 'spec.selector')),
    // A set without a selector is refused by other rules.
    ...(spec.selector === null ? [] : validateOwnSelector(spec.selector, 'daemonset')),
    ...(isAskable(spec.selector) ? validateSelection(spec.selector, spec.template) : []),
    ...validatePodTemplate(spec.template, 'spec.template'),
    ...validateLasting(spec.template.spec, 'DaemonSet'),
    ...notNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
    ...validateUpdateStrategy(spec.updateStrategy),
  ],
  statusRefusals: ({ status }: DaemonSet, old) => [
    ...notNegative(status, 'status', [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ]),
    ...validateCollisions(status, (old as DaemonSet).status),
  ],
  warnings: workloadWarnings,
  shown: [
    ...[
      ['Desired', 'desiredNumberScheduled', 'How many nodes should have its pod'],
      ['Current', 'currentNumberScheduled', 'How many nodes have it'],
      ['Ready', 'numberReady', 'On how many it is ready'],
      ['Up-to-date', 'updatedNumberScheduled', 'On how many it is of the newest template'],
      ['Available', 'numberAvailable', 'On how many it is ready for long enough'],
    ].map(([name = '', field = '', description = '']) =>
      typed<DaemonSet>(name, 'integer', description, ({ status }) => status[field] ?? 0),
    ),
    text<DaemonSet>('Node Selector', 'Which nodes it is for', ({ spec }) =>
      printLabels(spec.template.spec['nodeSelector']),
    ),
    age,
    ...workloadColumns,
  ],
});

/**
 * Throws 400, because the annotation stands for a number field: with another value, the real server cannot
 * decode the object.
 */
function refuseGeneration(given: string | undefined): void {
  if (given !== undefined && !/^[+-]?\d+$/.test(given)) {
    const problem = `strconv.ParseInt: parsing ${JSON.stringify(given)}: invalid syntax`;
    throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${problem}`);
  }
}

function validateUpdateStrategy(strategy: DaemonSet['spec']['updateStrategy']): FieldError[] {
  const { type, rollingUpdate = {} } = strategy;
  if (type === 'OnDelete') {
    return [];
  }
  if (type !== 'RollingUpdate') {
    const shown = goValue(strategy, 'apps.v1.DaemonSetUpdateStrategy');
    return [notSupported('spec.updateStrategy', shown, ['RollingUpdate', 'OnDelete'])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const path = 'spec.updateStrategy.rollingUpdate';
  const [isUnavailable, isSurging] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  return [
    ...notNegativeOrPercentage(maxUnavailable, `${path}.maxUnavailable`),
    ...notNegativeOrPercentage(maxSurge, `${path}.maxSurge`),
    ...(isUnavailable && isSurging
      ? [invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(!isUnavailable && !isSurging
      ? [required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
      : []),
  ];
}
