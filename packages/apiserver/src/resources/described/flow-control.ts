import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

/* flowcontrol.apiserver.k8s.io/v1. Responses name the matching objects, but requests are never queued. */

export interface FlowSchema extends KubeObject {
  spec: {
    priorityLevelConfiguration: { name: string };
    matchingPrecedence: number;
    distinguisherMethod?: { type: string };
    rules?: FlowRule[];
  } & JsonObject;
  status: { conditions?: FlowSchemaCondition[] };
}

export interface FlowSchemaCondition extends JsonObject {
  type: string;
  status: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/** The requests that a rule matches. A list with just a star matches everything. */
export interface FlowRule extends JsonObject {
  subjects: FlowSubject[];
  resourceRules?: ResourceFlowRule[];
  nonResourceRules?: PathFlowRule[];
}

export interface FlowSubject extends JsonObject {
  kind: string;
  user?: { name: string };
  group?: { name: string };
  serviceAccount?: { namespace: string; name: string };
}

export interface ResourceFlowRule extends JsonObject {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  /** Whether the rule matches requests without a namespace. */
  clusterScope?: boolean;
  /** The namespaces of the requests that the rule matches. */
  namespaces?: string[];
}

export interface PathFlowRule extends JsonObject {
  verbs: string[];
  nonResourceURLs: string[];
}

/** Orders flow schemas as they are matched: by precedence, then by name. */
export function compareFlowSchemas(a: FlowSchema, b: FlowSchema): number {
  const [first = '', second = ''] = [a.metadata.name, b.metadata.name];
  return a.spec.matchingPrecedence - b.spec.matchingPrecedence || (first < second ? -1 : 1);
}

const greatestPrecedence = 10_000;

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
  allowUnconditionalUpdate: false,
  judgedHere: ['flowcontrol.v1.PriorityLevelConfigurationReference'],
  applyDefaults({ spec }: FlowSchema) {
    if (spec.matchingPrecedence === 0) {
      spec.matchingPrecedence = 1000;
    }
  },
  refusals({ spec }: FlowSchema) {
    const { matchingPrecedence, priorityLevelConfiguration } = spec;
    const errors: FieldError[] = [];
    if (matchingPrecedence < 0) {
      errors.push(invalid('spec.matchingPrecedence', matchingPrecedence, 'must be a positive value'));
    }
    if (matchingPrecedence > greatestPrecedence) {
      const problem = `must not be greater than ${greatestPrecedence}`;
      errors.push(invalid('spec.matchingPrecedence', matchingPrecedence, problem));
    }
    if (priorityLevelConfiguration.name === '') {
      errors.push(required('spec.priorityLevelConfiguration.name', 'must reference a priority level'));
    }
    return errors;
  },
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

export interface PriorityLevel extends KubeObject {
  spec: {
    type: string;
    limited?: {
      nominalConcurrencyShares?: number;
      lendablePercent?: number;
      limitResponse: {
        type: string;
        queuing?: { queues?: number; handSize?: number; queueLengthLimit?: number };
      };
    };
    exempt?: { nominalConcurrencyShares?: number; lendablePercent?: number };
  };
}

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
  allowUnconditionalUpdate: false,
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
  refusals({ spec: { type, limited } }: PriorityLevel) {
    if (type !== '' && type !== 'Exempt' && type !== 'Limited') {
      const message = `Unsupported value: ${JSON.stringify(type)}: supported values: "Exempt", "Limited"`;
      return [{ field: 'spec.type', reason: 'FieldValueNotSupported', message }];
    }
    return type === 'Limited' && limited === undefined
      ? [required('spec.limited', 'must not be empty when type is Limited')]
      : [];
  },
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
