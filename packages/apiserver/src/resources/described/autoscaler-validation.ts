import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, pathSegment } from '../../meta/names.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { validateContainerResourceName } from '../resource-names.ts';

/* Validates autoscalers in the form of autoscaling/v2. */

interface MetricTarget extends JsonObject {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

interface MetricSource extends JsonObject {
  name?: string;
  container?: string;
  metric?: { name: string };
  describedObject?: Reference;
  target: MetricTarget;
}

interface Reference extends JsonObject {
  apiVersion?: string;
  kind: string;
  name: string;
}

export interface Metric extends JsonObject {
  type: string;
  resource?: { name: string; target: MetricTarget };
  pods?: MetricSource;
  object?: MetricSource;
  external?: MetricSource;
  containerResource?: MetricSource;
}

export interface ScalingRules extends JsonObject {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type: string; value: number; periodSeconds: number }[];
  tolerance?: string;
}

export interface CurrentMetric extends JsonObject {
  type: string;
  resource?: { name: string; current: MetricValue };
}

interface MetricValue extends JsonObject {
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

export interface Autoscaler extends KubeObject {
  spec: {
    scaleTargetRef: Reference;
    minReplicas?: number;
    maxReplicas: number;
    metrics?: Metric[];
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  } & JsonObject;
  status: {
    currentReplicas?: number;
    currentMetrics?: CurrentMetric[] | null;
    conditions?: JsonObject[];
  } & JsonObject;
}

/** @param old undefined for a new autoscaler */
export function validateAutoscaler({ spec }: Autoscaler, old: Autoscaler | undefined): FieldError[] {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior = {} } = spec;
  const before = old?.spec.scaleTargetRef;
  const isSame = before?.apiVersion === scaleTargetRef.apiVersion && before?.kind === scaleTargetRef.kind;
  return [
    ...(minReplicas !== undefined && minReplicas < 1
      ? [invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')]
      : []),
    ...(maxReplicas === 0 ? [required('spec.maxReplicas', 'must be set and greater than 0')] : []),
    ...(maxReplicas < 0
      ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1')]
      : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateReference(scaleTargetRef, 'spec.scaleTargetRef'),
    ...(isSame
      ? []
      : validateVersion(
          scaleTargetRef,
          scaleTargetRef.kind === 'ReplicationController',
          'spec.scaleTargetRef',
        )),
    ...metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
    ...(minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')
      ? [
          forbiddenField(
            'spec.metrics',
            'must specify at least one Object or External metric to support scaling to zero replicas',
          ),
        ]
      : []),
    ...validateRules(behavior.scaleUp, 'spec.behavior.scaleUp'),
    ...validateRules(behavior.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

function validateReference(reference: Reference, path: string): FieldError[] {
  return (['kind', 'name'] as const).flatMap((field) =>
    reference[field] === ''
      ? [required(`${path}.${field}`)]
      : validateSegment(reference[field], `${path}.${field}`),
  );
}

function validateSegment(text: string, path: string): FieldError[] {
  return pathSegment(text, false).map((problem) => invalid(path, text, problem));
}

function validateVersion({ apiVersion = '' }: Reference, mayBeCore: boolean, path: string): FieldError[] {
  const at = `${path}.apiVersion`;
  const parts = apiVersion === '/' ? [] : apiVersion.split('/');
  if (parts.length > 2) {
    return [invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const isCore = parts.length < 2 || parts[0] === '';
  return isCore && !mayBeCore ? [invalid(at, apiVersion, 'apiVersion must specify API group')] : [];
}

const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
/** In this order; only the first one that is present is validated. */
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

function validateMetric(metric: Metric, path: string): FieldError[] {
  const { type } = metric;
  const given = sources.filter((source) => metric[source] !== undefined);
  const [first] = given;
  const source = first === undefined ? undefined : metric[first];
  const expected = sources.find((name) => name.toLowerCase() === type.toLowerCase());
  const isKnown = metricTypes.includes(type);
  // The real server makes this check twice.
  const unknown = isKnown ? [] : [notSupported(`${path}.type`, type, metricTypes)];
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : []),
    ...unknown,
    ...(first === undefined || source === undefined ? [] : validateSource(first, source, `${path}.${first}`)),
    ...(isKnown && expected !== undefined && !given.includes(expected)
      ? [required(`${path}.${expected}`, 'must populate information for the given metric source')]
      : []),
    ...unknown,
    ...(given.length === 1
      ? []
      : given
          .filter((name) => !isKnown || name !== expected)
          .map((name) => forbiddenField(`${path}.${name}`, 'must populate the given metric source only'))),
  ];
}

function validateSource(kind: (typeof sources)[number], source: MetricSource, path: string): FieldError[] {
  const { target, metric = { name: '' } } = source;
  const { value, averageValue } = target;
  const ofTarget = validateTarget(target, `${path}.target`);
  const needed = (isThere: boolean, problem: string): FieldError[] =>
    isThere ? [] : [required(`${path}.target.averageValue`, problem)];
  switch (kind) {
    case 'object': {
      const described = source.describedObject ?? { kind: '', name: '' };
      return [
        ...validateReference(described, `${path}.describedObject`),
        ...validateVersion(described, true, `${path}.describedObject`),
        ...validateIdentifier(metric.name, `${path}.metric.name`),
        ...ofTarget,
        ...needed(
          value !== undefined || averageValue !== undefined,
          'must set either a target value or averageValue',
        ),
      ];
    }
    case 'external':
      return [
        ...validateIdentifier(metric.name, `${path}.metric.name`),
        ...ofTarget,
        ...needed(
          value !== undefined || averageValue !== undefined,
          'must set either a target value for metric or a per-pod target',
        ),
        ...(value !== undefined && averageValue !== undefined
          ? [
              forbiddenField(
                `${path}.target.value`,
                'may not set both a target value for metric and a per-pod target',
              ),
            ]
          : []),
      ];
    case 'pods':
      return [
        ...validateIdentifier(metric.name, `${path}.metric.name`),
        ...ofTarget,
        ...needed(averageValue !== undefined, 'must specify a positive target averageValue'),
      ];
    case 'resource':
    case 'containerResource':
      return validateResource(kind, source, path);
  }
}

function validateResource(
  kind: 'resource' | 'containerResource',
  { name = '', container = '', target }: MetricSource,
  path: string,
): FieldError[] {
  const { averageUtilization, averageValue } = target;
  const isOfContainer = kind === 'containerResource';
  return [
    ...(name === '' ? [required(`${path}.name`, 'must specify a resource name')] : []),
    ...(name !== '' && isOfContainer ? validateContainerResourceName(name, `${path}.name`) : []),
    ...(isOfContainer && container === '' ? [required(`${path}.container`, 'must specify a container')] : []),
    ...(isOfContainer && container !== ''
      ? dnsLabel(container, false).map((problem) => invalid(`${path}.container`, container, problem))
      : []),
    ...validateTarget(target, `${path}.target`),
    ...(averageUtilization === undefined && averageValue === undefined
      ? [
          required(
            `${path}.target.averageUtilization`,
            'must set either a target raw value or a target utilization',
          ),
        ]
      : []),
    ...(averageUtilization !== undefined && averageValue !== undefined
      ? [
          forbiddenField(
            `${path}.target.averageValue`,
            'may not set both a target raw value and a target utilization',
          ),
        ]
      : []),
  ];
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function validateTarget(target: MetricTarget, path: string): FieldError[] {
  const { type = '', averageUtilization } = target;
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : []),
    ...(targetTypes.includes(type)
      ? []
      : [invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...(['value', 'averageValue'] as const).flatMap((field) => {
      const amount = target[field];
      return amount !== undefined && compareQuantities(amount, '0') <= 0
        ? [invalid(`${path}.${field}`, amount, 'must be positive')]
        : [];
    }),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0')]
      : []),
  ];
}

function validateIdentifier(name: string, path: string): FieldError[] {
  return name === '' ? [required(path, 'must specify a metric name')] : validateSegment(name, path);
}

const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];
const longestWindow = 3600;
const longestPeriod = 1800;

function validateRules(rules: ScalingRules | undefined, path: string): FieldError[] {
  if (rules === undefined) {
    return [];
  }
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [], tolerance } = rules;
  return [
    ...(seconds !== undefined && seconds < 0
      ? [invalid(`${path}.stabilizationWindowSeconds`, seconds, 'must be greater than or equal to zero')]
      : []),
    ...(seconds !== undefined && seconds > longestWindow
      ? [
          invalid(
            `${path}.stabilizationWindowSeconds`,
            seconds,
            `must be less than or equal to ${longestWindow}`,
          ),
        ]
      : []),
    ...(selectPolicy === undefined || selectPolicies.includes(selectPolicy)
      ? []
      : [notSupported(`${path}.selectPolicy`, selectPolicy, selectPolicies)]),
    ...(policies.length === 0 ? [required(`${path}.policies`, 'must specify at least one Policy')] : []),
    ...policies.flatMap(({ type, value, periodSeconds }, index) => {
      const at = `${path}.policies[${index}]`;
      return [
        ...(policyTypes.includes(type) ? [] : [notSupported(`${at}.type`, type, policyTypes)]),
        ...(value <= 0 ? [invalid(`${at}.value`, value, 'must be greater than zero')] : []),
        ...(periodSeconds <= 0
          ? [invalid(`${at}.periodSeconds`, periodSeconds, 'must be greater than zero')]
          : []),
        ...(periodSeconds > longestPeriod
          ? [invalid(`${at}.periodSeconds`, periodSeconds, `must be less than or equal to ${longestPeriod}`)]
          : []),
      ];
    }),
    ...(tolerance !== undefined && compareQuantities(tolerance, '0') < 0
      ? [invalid(`${path}.tolerance`, tolerance, 'must be greater than or equal to 0')]
      : []),
  ];
}
