import { isGivenEmpty } from '../../schema/decode.ts';
import { withoutFields } from '../../meta/json.ts';
import { notNegative } from '../numbers.ts';
import { keptAnnotations } from './autoscaler-annotations.ts';
import {
  type Autoscaler,
  type CurrentMetric,
  type Metric,
  type ScalingRules,
  validateAutoscaler,
} from './autoscaler-validation.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

/* HorizontalPodAutoscalers of autoscaling/v2, the version in which they are stored. */

/** What the versions have in common. */
export const autoscalerDescription = {
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

/** What is aimed at if nothing is said. */
export const usualUtilization = 80;

export const horizontalPodAutoscalers = describedResource({
  ...autoscalerDescription,
  version: 'v2',
  struct: 'autoscaling.v2.HorizontalPodAutoscaler',
  applyDefaults({ metadata, spec }: Autoscaler) {
    if (metadata.annotations !== undefined) {
      metadata.annotations = withoutFields(metadata.annotations, keptAnnotations) as Annotations;
    }
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) {
      spec.metrics = [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: usualUtilization } },
        },
      ];
    }
    completeBehavior(spec);
  },
  refusals: (object: Autoscaler, old) => validateAutoscaler(object, old as Autoscaler | undefined),
});

type Annotations = Record<string, string>;

const scalingPolicy = (
  type: string,
  value: number,
): { type: string; value: number; periodSeconds: number } => ({
  type,
  value,
  periodSeconds: 15,
});

/** If a client sets the behavior for one direction, the rest of it and the other direction get defaults. */
export function completeBehavior({ behavior }: Pick<Autoscaler['spec'], 'behavior'>): void {
  if (behavior === undefined) {
    return;
  }
  behavior.scaleUp = completeRules(behavior.scaleUp, {
    stabilizationWindowSeconds: 0,
    policies: [scalingPolicy('Pods', 4), scalingPolicy('Percent', 100)],
  });
  // stabilizationWindowSeconds has no default here, because a flag of kube-controller-manager sets it.
  behavior.scaleDown = completeRules(behavior.scaleDown, { policies: [scalingPolicy('Percent', 100)] });
}

function completeRules(given: ScalingRules = {}, usual: ScalingRules): ScalingRules {
  const {
    stabilizationWindowSeconds,
    selectPolicy = 'Max',
    policies = [],
    tolerance,
  } = { ...usual, ...given };
  return {
    ...(stabilizationWindowSeconds === undefined ? undefined : { stabilizationWindowSeconds }),
    selectPolicy,
    // A list that was sent empty gets no default, and validation refuses it.
    policies: isGivenEmpty(given, 'policies') ? [] : policies,
    ...(tolerance === undefined ? undefined : { tolerance }),
  };
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
