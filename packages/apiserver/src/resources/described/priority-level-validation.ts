import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import { jsonEqual, withoutFields } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { goValue } from '../go-diff.ts';
import type { FlowSchemaCondition } from './flow-schema-validation.ts';
import { exemptName, mandatoryPriorityLevels } from './suggested-flow-control.ts';

/* Validates priority levels. */

export interface PriorityLevel extends KubeObject {
  spec: {
    type: string;
    limited?: {
      nominalConcurrencyShares?: number;
      lendablePercent?: number;
      borrowingLimitPercent?: number;
      limitResponse: {
        type: string;
        queuing?: { queues?: number; handSize?: number; queueLengthLimit?: number };
      };
    };
    exempt?: { nominalConcurrencyShares?: number; lendablePercent?: number };
  };
  status: { conditions?: FlowSchemaCondition[] };
}

type Limits = NonNullable<PriorityLevel['spec']['limited']>;
type Queuing = NonNullable<Limits['limitResponse']['queuing']>;

const types = ['Exempt', 'Limited'];
const responses = ['Queue', 'Reject'];
const zeroSharesAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

export function validatePriorityLevel(level: PriorityLevel): FieldError[] {
  const { metadata, spec } = level;
  const { type, limited, exempt } = spec;
  return [
    ...(Object.hasOwn(metadata.annotations ?? {}, zeroSharesAnnotation)
      ? [forbiddenField('metadata.annotations', `annotation '${zeroSharesAnnotation}' is forbidden`)]
      : []),
    ...((metadata.name === exemptName) === (type === 'Exempt')
      ? []
      : [invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'")]),
    ...(type === 'Exempt' && limited !== undefined
      ? [forbiddenField('spec.limited', 'must be nil if the type is not Limited')]
      : []),
    ...(type === 'Exempt' && exempt !== undefined
      ? [
          ...validateShares(exempt.nominalConcurrencyShares, 'spec.exempt'),
          ...validateLendable(exempt.lendablePercent, 'spec.exempt'),
        ]
      : []),
    ...(type === 'Limited' && exempt !== undefined
      ? [forbiddenField('spec.exempt', 'must be nil if the type is Limited')]
      : []),
    ...(type === 'Limited' && limited === undefined
      ? [required('spec.limited', 'must not be empty when type is Limited')]
      : []),
    ...(type === 'Limited' && limited !== undefined ? validateLimits(limited, 'spec.limited') : []),
    ...validateChoice(type, types, 'spec.type'),
    ...validateMandatory(level),
  ];
}

/** What the server itself relies on must not change. */
function validateMandatory({ metadata: { name = '' }, spec }: PriorityLevel): FieldError[] {
  const fixed = mandatoryPriorityLevels.find(({ metadata }) => metadata.name === name)?.spec;
  if (fixed === undefined) {
    return [];
  }
  const isExempt = name === exemptName;
  const free = isExempt ? ['exempt'] : [];
  if (jsonEqual(withoutFields(spec, free), withoutFields(fixed, free))) {
    return [];
  }
  const what = isExempt ? "spec of 'exempt' except the 'spec.exempt' field" : `spec of '${name}'`;
  return [
    invalid(
      'spec',
      goValue(spec, 'flowcontrol.v1.PriorityLevelConfigurationSpec'),
      `${what} must equal the fixed value`,
    ),
  ];
}

/** For a field with an error of its own if it is empty. */
function validateChoice(value: string, choices: readonly string[], path: string): FieldError[] {
  if (value === '') {
    return [required(path)];
  }
  return choices.includes(value) ? [] : [notSupported(path, value, choices)];
}

function validateShares(shares: number | undefined, path: string): FieldError[] {
  return shares !== undefined && shares < 0
    ? [invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')]
    : [];
}

function validateLendable(percent: number | undefined, path: string): FieldError[] {
  return percent !== undefined && (percent < 0 || percent > 100)
    ? [invalid(`${path}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')]
    : [];
}

function validateLimits(limits: Limits, path: string): FieldError[] {
  const {
    nominalConcurrencyShares,
    limitResponse,
    lendablePercent,
    borrowingLimitPercent: borrowed,
  } = limits;
  const { type, queuing } = limitResponse;
  const at = `${path}.limitResponse`;
  return [
    ...validateShares(nominalConcurrencyShares, path),
    ...(type === 'Reject' && queuing !== undefined
      ? [forbiddenField(`${at}.queuing`, 'must be nil if limited.limitResponse.type is not Limited')]
      : []),
    ...(type === 'Queue' && queuing === undefined
      ? [required(`${at}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')]
      : []),
    ...(type === 'Queue' && queuing !== undefined ? validateQueuing(queuing, `${at}.queuing`) : []),
    ...validateChoice(type, responses, `${at}.type`),
    ...validateLendable(lendablePercent, path),
    ...(borrowed !== undefined && borrowed < 0
      ? [invalid(`${path}.borrowingLimitPercent`, borrowed, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

const mostQueues = 10_000_000;
/** The bits of a hash by which a hand is dealt. */
const mostBits = 60;

function validateQueuing(queuing: Queuing, path: string): FieldError[] {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  const handProblem = problemOfHand(queues, handSize);
  return [
    ...(queueLengthLimit <= 0
      ? [invalid(`${path}.queueLengthLimit`, queueLengthLimit, 'must be positive')]
      : []),
    ...(queues <= 0 ? [invalid(`${path}.queues`, queues, 'must be positive')] : []),
    ...(queues > mostQueues
      ? [invalid(`${path}.queues`, queues, `must not be greater than ${mostQueues}`)]
      : []),
    ...(handProblem === undefined ? [] : [invalid(`${path}.handSize`, handSize, handProblem)]),
  ];
}

function problemOfHand(queues: number, handSize: number): string | undefined {
  if (handSize <= 0) {
    return 'must be positive';
  }
  if (handSize > queues) {
    return `should not be greater than queues (${queues})`;
  }
  const bits = Math.ceil(Math.log2(queues) * handSize);
  return bits > mostBits
    ? `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostBits}`
    : undefined;
}
