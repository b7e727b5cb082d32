import { type Json, type JsonObject, withoutFields } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { notNegative } from '../numbers.ts';
import {
  type Autoscaler,
  type CurrentMetric,
  type Metric,
  validateAutoscaler,
} from './autoscaler-validation.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

/* HorizontalPodAutoscalers, stored as autoscaling/v2 and also served as autoscaling/v1. */

const shared = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  namespaced: true,
  storageVersionHash: 'qwQve8ut294=',
  hasStatus: true,
  statusRefusals: ({ status }: Autoscaler) =>
    notNegative(status, 'status', ['currentReplicas', 'desiredReplicas']),
  shown: [
    text<Autoscaler>(
      'Reference',
      'What it scales',
      ({
        spec: {
          scaleTargetRef: { kind, name },
        },
      }) => `${kind}/${name}`,
    ),
    text<Autoscaler>('Targets', 'What is seen, and what is aimed at', printTargets),
    text<Autoscaler>('MinPods', 'The fewest pods', ({ spec }) => String(spec.minReplicas ?? '<unset>')),
    text<Autoscaler>('MaxPods', 'The most pods', ({ spec }) => spec.maxReplicas),
    text<Autoscaler>('Replicas', 'The pods there are', ({ status }) => status.currentReplicas ?? 0),
    age,
  ],
} as const;

const usualMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
} as const;

export const horizontalPodAutoscalers = describedResource({
  ...shared,
  version: 'v2',
  struct: 'autoscaling.v2.HorizontalPodAutoscaler',
  hasAllRules: true,
  applyDefaults({ spec }: Autoscaler) {
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) {
      spec.metrics = [
        { type: 'Resource', resource: { name: 'cpu', target: { ...usualMetric.resource.target } } },
      ];
    }
    if (spec.behavior !== undefined) {
      completeBehavior(spec.behavior);
    }
  },
  refusals: (object: Autoscaler, old) => validateAutoscaler(object, old as Autoscaler | undefined),
});

const scalingPolicy = (
  type: string,
  value: number,
): { type: string; value: number; periodSeconds: number } => ({
  type,
  value,
  periodSeconds: 15,
});

/** If a client sets the behavior for one direction, the rest of it and the other direction get defaults. */
function completeBehavior(behavior: NonNullable<Autoscaler['spec']['behavior']>): void {
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [scalingPolicy('Pods', 4), scalingPolicy('Percent', 100)],
    ...behavior.scaleUp,
  };
  // stabilizationWindowSeconds has no default here, because a flag of kube-controller-manager sets it.
  behavior.scaleDown = {
    selectPolicy: 'Max',
    policies: [scalingPolicy('Percent', 100)],
    ...behavior.scaleDown,
  };
}

interface OldAutoscaler extends KubeObject {
  spec: {
    scaleTargetRef: Autoscaler['spec']['scaleTargetRef'];
    minReplicas?: number;
    maxReplicas: number;
    targetCPUUtilizationPercentage?: number;
  };
  status: { currentReplicas?: number; currentCPUUtilizationPercentage?: number } & JsonObject;
}

/** The annotations in which autoscaling/v1 keeps, as JSON, what it has no fields for. */
const kept = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

export const horizontalPodAutoscalersV1 = describedResource({
  ...shared,
  version: 'v1',
  struct: 'autoscaling.v1.HorizontalPodAutoscaler',
  conversion: {
    storedAs: { group: 'autoscaling', name: 'horizontalpodautoscalers' },
    toStored,
    fromStored,
  },
  judgedHere: ['autoscaling.v1.CrossVersionObjectReference'],
  applyDefaults({ metadata, spec }: OldAutoscaler) {
    spec.minReplicas ??= 1;
    if (metadata.annotations?.[kept.metrics] === undefined) {
      spec.targetCPUUtilizationPercentage ??= usualMetric.resource.target.averageUtilization;
    }
  },
  refusals(object, old) {
    // The contents of annotations are not validated, because they have the form of removed versions.
    const { spec, ...rest } = toStored(withoutKept(object)) as Autoscaler;
    return validateAutoscaler({ ...rest, spec }, old as Autoscaler | undefined);
  },
});

function withoutKept(object: KubeObject): KubeObject {
  return { ...object, metadata: withoutFields(object.metadata, ['annotations']) };
}

function isUtilizationOfCpu({ type, resource }: Metric): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;
}

function readKept(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

function toStored(object: KubeObject): KubeObject {
  const { metadata, spec, status } = object as OldAutoscaler;
  const { targetCPUUtilizationPercentage: percentage, ...rest } = spec;
  const { currentCPUUtilizationPercentage: current, currentReplicas = 0, ...seen } = status;
  const { annotations = {} } = metadata;
  const others = readKept(annotations[kept.metrics]);
  const metrics: Metric[] = [
    ...(Array.isArray(others) ? (others as Metric[]) : []),
    ...(percentage === undefined
      ? []
      : [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
          },
        ]),
  ];
  const behavior = readKept(annotations[kept.behavior]);
  const names: ReadonlySet<string> = new Set(Object.values(kept));
  const left = Object.fromEntries(Object.entries(annotations).filter(([name]) => !names.has(name)));
  const meta = withoutFields(metadata, ['annotations']);
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v2',
    metadata: Object.keys(left).length === 0 ? meta : { ...meta, annotations: left },
    spec: {
      ...rest,
      metrics: metrics.length === 0 ? [{ ...usualMetric }] : metrics,
      ...(behavior === undefined ? undefined : { behavior }),
    },
    status: {
      ...(currentReplicas === 0 ? undefined : { currentReplicas }),
      ...seen,
      currentMetrics:
        current === undefined
          ? null
          : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }],
    },
  };
}

function fromStored(object: KubeObject): KubeObject {
  const { metadata, spec, status } = object as Autoscaler;
  const { metrics = [], behavior, ...rest } = spec;
  const { currentMetrics, conditions, ...seen } = status;
  const target = metrics.find(isUtilizationOfCpu)?.resource?.target.averageUtilization;
  const others = metrics.filter((metric) => !isUtilizationOfCpu(metric));
  const current = currentMetrics?.find(({ resource }) => resource?.name === 'cpu')?.resource?.current
    .averageUtilization;
  const added = Object.entries({
    [kept.metrics]: others.length === 0 ? undefined : others,
    [kept.behavior]: behavior,
    [kept.currentMetrics]: currentMetrics?.flatMap(oldCurrentMetric),
    [kept.conditions]: conditions,
  }).filter(([, value]) => value !== undefined);
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v1',
    metadata:
      added.length === 0
        ? metadata
        : {
            ...metadata,
            annotations: {
              ...metadata.annotations,
              ...Object.fromEntries(added.map(([name, value]) => [name, JSON.stringify(value)])),
            },
          },
    spec: {
      ...rest,
      ...(target === undefined ? undefined : { targetCPUUtilizationPercentage: target }),
    },
    status: {
      currentReplicas: 0,
      desiredReplicas: 0,
      ...seen,
      ...(current === undefined ? undefined : { currentCPUUtilizationPercentage: current }),
    },
  };
}

function oldCurrentMetric({ type, resource }: CurrentMetric): JsonObject[] {
  if (resource === undefined) {
    return [];
  }
  const { averageUtilization, averageValue = '0' } = resource.current;
  const utilization =
    averageUtilization === undefined ? undefined : { currentAverageUtilization: averageUtilization };
  return [{ type, resource: { name: resource.name, ...utilization, currentAverageValue: averageValue } }];
}

const mostTargets = 2;

function printTargets({ spec: { metrics = [] }, status }: Autoscaler): string {
  const shown = metrics
    .slice(0, mostTargets)
    .map((metric) => printTarget(metric, status.currentMetrics ?? []));
  const rest = metrics.length - mostTargets;
  return metrics.length === 0 ? '<none>' : `${shown.join(', ')}${rest > 0 ? ` + ${rest} more...` : ''}`;
}

function printTarget(metric: Metric, seen: readonly CurrentMetric[]): string {
  const { resource } = metric;
  if (resource !== undefined) {
    const current = seen.find((other) => other.resource?.name === resource.name)?.resource?.current;
    const { averageUtilization, averageValue = '<auto>' } = resource.target;
    const [is, aim] =
      averageUtilization === undefined
        ? [current?.averageValue, averageValue]
        : [
            current?.averageUtilization === undefined ? undefined : `${current.averageUtilization}%`,
            `${averageUtilization}%`,
          ];
    return `${resource.name}: ${is ?? '<unknown>'}/${aim}`;
  }
  const of = metric.pods ?? metric.object ?? metric.external ?? metric.containerResource;
  const { averageValue, value = '<auto>' } = of?.target ?? {};
  return `<unknown>/${averageValue === undefined ? value : `${averageValue} (avg)`}`;
}
