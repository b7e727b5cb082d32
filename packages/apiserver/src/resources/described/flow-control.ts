import { describedResource } from './described-resource.ts';
import { type FlowSchema, validateFlowConditions, validateFlowSchema } from './flow-schema-validation.ts';
import { type PriorityLevel, validatePriorityLevel } from './priority-level-validation.ts';
import { age, text } from './shown.ts';

/* flowcontrol.apiserver.k8s.io/v1. Responses name the matching objects, but requests are never queued. */

/** Orders flow schemas as they are matched: by precedence, then by name. */
export function compareFlowSchemas(a: FlowSchema, b: FlowSchema): number {
  const [first = '', second = ''] = [a.metadata.name, b.metadata.name];
  return a.spec.matchingPrecedence - b.spec.matchingPrecedence || (first < second ? -1 : 1);
}

export const flowSchemas = describedResource({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
  struct: 'flowcontrol.v1.FlowSchema',
  storageVersionHash: 'GJVAJZSZBIw=',
  hasGeneration: true,
  hasStatus: true,
  statusKeeps: 'all',
  applyDefaults({ spec }: FlowSchema) {
    if (spec.matchingPrecedence === 0) {
      spec.matchingPrecedence = 1000;
    }
  },
  refusals: (schema: FlowSchema) => validateFlowSchema(schema),
  statusRefusals: ({ status }: FlowSchema) => validateFlowConditions(status.conditions),
  compareRows: (a, b) => compareFlowSchemas(a as FlowSchema, b as FlowSchema),
  shown: [
    text<FlowSchema>(
      'PriorityLevel',
      'Where its requests queue',
      ({ spec }) => spec.priorityLevelConfiguration.name,
    ),
    text<FlowSchema>('MatchingPrecedence', 'The least is asked first', ({ spec }) => spec.matchingPrecedence),
    text<FlowSchema>(
      'DistinguisherMethod',
      'What makes flows of them',
      ({ spec }) => spec.distinguisherMethod?.type ?? '<none>',
    ),
    age,
    text<FlowSchema>(
      'MissingPL',
      'Whether there is no such priority level',
      ({ status }) => status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ),
  ],
});

export const priorityLevelConfigurations = describedResource({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
  struct: 'flowcontrol.v1.PriorityLevelConfiguration',
  storageVersionHash: 'Kir5PVfvNeI=',
  hasGeneration: true,
  hasStatus: true,
  statusKeeps: 'all',
  applyDefaults({ spec: { limited, exempt } }: PriorityLevel) {
    if (exempt !== undefined) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (limited !== undefined) {
      limited.nominalConcurrencyShares ??= 30;
      limited.lendablePercent ??= 0;
      const { queuing } = limited.limitResponse;
      if (queuing !== undefined) {
        queuing.queues ||= 64;
        queuing.handSize ||= 8;
        queuing.queueLengthLimit ||= 50;
      }
    }
  },
  refusals: (level: PriorityLevel) => validatePriorityLevel(level),
  statusRefusals: ({ status }: PriorityLevel) => validateFlowConditions(status.conditions),
  shown: [
    text<PriorityLevel>('Type', 'Whether it has limits', ({ spec }) => spec.type),
    text<PriorityLevel>(
      'NominalConcurrencyShares',
      'Its share of the requests that are served at once',
      ({ spec }) => spec.limited?.nominalConcurrencyShares ?? '<none>',
    ),
    ...(
      [
        ['Queues', 'queues', 'How many queues there are'],
        ['HandSize', 'handSize', 'How many a flow may use'],
        ['QueueLengthLimit', 'queueLengthLimit', 'How long one may be'],
      ] as const
    ).map(([name, field, description]) =>
      text<PriorityLevel>(
        name,
        description,
        ({ spec }) => spec.limited?.limitResponse.queuing?.[field] ?? '<none>',
      ),
    ),
    age,
  ],
});
