import { goJson } from '../../meta/go-print.ts';
import { type Json, type JsonObject, isObject } from '../../meta/json.ts';
import { DecodeError, decodeStruct } from '../../schema/decode.ts';
import { namedAsInJson } from '../../schema/go-names.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { goValue } from '../go-diff.ts';
import type { Autoscaler, CurrentMetric, Metric } from './autoscaler-validation.ts';

/*
 * The annotations in which autoscaling/v1 keeps, as JSON, what it has no fields for. Metrics and their present
 * values have a form of their own there, and the behavior has the names of Go's fields.
 */

/** The annotations that stand for fields of the spec. */
export const specAnnotations = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

/** The annotations that stand for fields of the status. */
export const statusAnnotations = {
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

/** The annotations that no autoscaler of autoscaling/v2 has. */
export const keptAnnotations: readonly string[] = [
  ...Object.values(specAnnotations),
  ...Object.values(statusAnnotations),
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
];

/** What annotations can say, in the form of autoscaling/v2. */
export interface Annotated {
  readonly metrics: Metric[] | undefined;
  readonly behavior: Autoscaler['spec']['behavior'];
  readonly currentMetrics: CurrentMetric[] | undefined;
  readonly conditions: JsonObject[] | undefined;
}

/** Reads the annotations. One that does not fit its type says nothing. */
export function readAnnotations(annotations: Readonly<Record<string, string>>): Annotated {
  const { metrics, behavior } = specAnnotations;
  const { currentMetrics, conditions } = statusAnnotations;
  return {
    metrics: read(annotations[metrics], (value) =>
      listOf(value, 'autoscaling.v1.MetricSpec').map((metric) => converted(metric, newSources) as Metric),
    ),
    behavior: read(annotations[behavior], readBehavior),
    currentMetrics: read(annotations[currentMetrics], (value) =>
      listOf(value, 'autoscaling.v1.MetricStatus').map(
        (metric) => converted(metric, newCurrents) as CurrentMetric,
      ),
    ),
    conditions: read(annotations[conditions], (value) => listOf(value, oldCondition)),
  };
}

/** Writes the annotations of what there is. */
export function writeAnnotations({
  metrics = [],
  behavior,
  currentMetrics = [],
  conditions = [],
}: Annotated): Record<string, string> {
  const inOldForm = (list: readonly JsonObject[], struct: string, forms: Forms): Json[] =>
    list.map((metric) => decodeStruct(struct, converted(metric, forms)).value);
  const written: readonly (readonly [name: string, isThere: boolean, value: () => Json])[] = [
    [
      specAnnotations.metrics,
      metrics.length > 0,
      () => inOldForm(metrics, 'autoscaling.v1.MetricSpec', oldSources),
    ],
    [
      specAnnotations.behavior,
      behavior !== undefined,
      () => goValue(behavior ?? {}, 'autoscaling.v2.HorizontalPodAutoscalerBehavior'),
    ],
    [
      statusAnnotations.currentMetrics,
      currentMetrics.length > 0,
      () => inOldForm(currentMetrics, 'autoscaling.v1.MetricStatus', oldCurrents),
    ],
    [
      statusAnnotations.conditions,
      conditions.length > 0,
      () => conditions.map((condition) => decodeStruct(oldCondition, condition).value),
    ],
  ];
  return Object.fromEntries(
    written.filter(([, isThere]) => isThere).map(([name, , value]) => [name, goJson(value())]),
  );
}

const oldCondition = 'autoscaling.v1.HorizontalPodAutoscalerCondition';

function read<Value>(text: string | undefined, as: (value: Json) => Value): Value | undefined {
  if (text === undefined) {
    return undefined;
  }
  try {
    return as(JSON.parse(text) as Json);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DecodeError) {
      return undefined;
    }
    throw error;
  }
}

/** Throws DecodeError. */
function listOf(value: Json, struct: string): JsonObject[] {
  if (value !== null && !Array.isArray(value)) {
    throw new DecodeError('not a list');
  }
  return (value ?? []).map((item) => decodeStruct(struct, item).value);
}

/** Throws DecodeError. */
function readBehavior(value: Json): Autoscaler['spec']['behavior'] {
  const struct = 'autoscaling.v2.HorizontalPodAutoscalerBehavior';
  const behavior = decodeStruct(struct, namedAsInJson(struct, value)).value;
  return Object.keys(behavior).length === 0 ? undefined : behavior;
}

/** How the source of a metric looks in the other form, by the name of its field. */
type Forms = Readonly<Record<string, (source: JsonObject) => JsonObject>>;

function converted(metric: JsonObject, forms: Forms): JsonObject {
  return Object.fromEntries(
    Object.entries(metric).map(([name, source]) => [
      name,
      isObject(source) ? (forms[name]?.(source) ?? source) : (source ?? null),
    ]),
  );
}

const part = (source: JsonObject, name: string): JsonObject => {
  const value = source[name];
  return isObject(value) ? value : {};
};

/** Leaves out what is undefined. */
function present(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const identifier = (name: Json | undefined, selector: Json | undefined): JsonObject =>
  present({ name, selector });

const isZero = (quantity: Json | undefined): boolean =>
  typeof quantity === 'string' && compareQuantities(quantity, '0') === 0;

const newResource = ({
  targetAverageUtilization: averageUtilization,
  targetAverageValue: averageValue,
  ...rest
}: JsonObject): JsonObject => ({
  ...rest,
  target: present({
    type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
    averageValue,
    averageUtilization,
  }),
});

const newSources: Forms = {
  object: ({ target, metricName, targetValue, selector, averageValue }) => ({
    ...present({ describedObject: target }),
    target: present({
      type: averageValue === undefined ? 'Value' : 'AverageValue',
      // A zero beside an average only means that autoscaling/v1 cannot leave it out.
      value: averageValue === undefined || !isZero(targetValue) ? targetValue : undefined,
      averageValue,
    }),
    metric: identifier(metricName, selector),
  }),
  pods: ({ metricName, targetAverageValue: averageValue, selector }) => ({
    metric: identifier(metricName, selector),
    target: present({ type: 'AverageValue', averageValue }),
  }),
  resource: newResource,
  containerResource: newResource,
  external: ({ metricName, metricSelector, targetValue: value, targetAverageValue: averageValue }) => ({
    metric: identifier(metricName, metricSelector),
    target: present({ type: value === undefined ? 'AverageValue' : 'Value', value, averageValue }),
  }),
};

const oldResource = ({ target, ...rest }: JsonObject): JsonObject => {
  const { averageUtilization, averageValue } = isObject(target) ? target : {};
  return present({
    ...rest,
    targetAverageUtilization: averageUtilization,
    targetAverageValue: averageValue,
  });
};

const oldSources: Forms = {
  object: (source) => {
    const { name: metricName, selector } = part(source, 'metric');
    const { value: targetValue, averageValue } = part(source, 'target');
    return present({ target: source['describedObject'], metricName, targetValue, selector, averageValue });
  },
  pods: (source) => {
    const { name: metricName, selector } = part(source, 'metric');
    const { averageValue: targetAverageValue } = part(source, 'target');
    return present({ metricName, targetAverageValue, selector });
  },
  resource: oldResource,
  containerResource: oldResource,
  external: (source) => {
    const { name: metricName, selector: metricSelector } = part(source, 'metric');
    const { value: targetValue, averageValue: targetAverageValue } = part(source, 'target');
    return present({ metricName, metricSelector, targetValue, targetAverageValue });
  },
};

const newCurrentResource = ({
  currentAverageUtilization: averageUtilization,
  currentAverageValue: averageValue,
  ...rest
}: JsonObject): JsonObject => ({ ...rest, current: present({ averageValue, averageUtilization }) });

const newCurrents: Forms = {
  object: ({ target, metricName, currentValue: value, selector, averageValue }) => ({
    metric: identifier(metricName, selector),
    current: present({ value, averageValue }),
    ...present({ describedObject: target }),
  }),
  pods: ({ metricName, currentAverageValue: averageValue, selector }) => ({
    metric: identifier(metricName, selector),
    current: present({ averageValue }),
  }),
  resource: newCurrentResource,
  containerResource: newCurrentResource,
  external: ({ metricName, metricSelector, currentValue: value, currentAverageValue: averageValue }) => ({
    metric: identifier(metricName, metricSelector),
    current: present({ value, averageValue }),
  }),
};

const oldCurrentResource = ({ current, ...rest }: JsonObject): JsonObject => {
  const { averageUtilization, averageValue } = isObject(current) ? current : {};
  return present({
    ...rest,
    currentAverageUtilization: averageUtilization,
    currentAverageValue: averageValue,
  });
};

const oldCurrents: Forms = {
  object: (source) => {
    const { name: metricName, selector } = part(source, 'metric');
    const { value: currentValue, averageValue } = part(source, 'current');
    return present({ target: source['describedObject'], metricName, currentValue, selector, averageValue });
  },
  pods: (source) => {
    const { name: metricName, selector } = part(source, 'metric');
    const { averageValue: currentAverageValue } = part(source, 'current');
    return present({ metricName, currentAverageValue, selector });
  },
  resource: oldCurrentResource,
  containerResource: oldCurrentResource,
  external: (source) => {
    const { name: metricName, selector: metricSelector } = part(source, 'metric');
    const { value: currentValue, averageValue: currentAverageValue } = part(source, 'current');
    return present({ metricName, metricSelector, currentValue, currentAverageValue });
  },
};
