import { inKeyOrder } from '../../meta/go-print.ts';
import { type JsonObject, withoutFields } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import {
  keptAnnotations,
  readAnnotations,
  specAnnotations,
  statusAnnotations,
  writeAnnotations,
} from './autoscaler-annotations.ts';
import { type Autoscaler, type Metric, validateAutoscaler } from './autoscaler-validation.ts';
import { autoscalerDescription, completeBehavior, usualUtilization } from './autoscaling.ts';
import { describedResource, keepAnnotation } from './described-resource.ts';

/* HorizontalPodAutoscalers of autoscaling/v1, which has the target of the cpu and otherwise annotations. */

interface OldAutoscaler extends KubeObject {
  spec: {
    scaleTargetRef: Autoscaler['spec']['scaleTargetRef'];
    minReplicas?: number;
    maxReplicas: number;
    targetCPUUtilizationPercentage?: number;
  };
  status: { currentReplicas?: number; currentCPUUtilizationPercentage?: number } & JsonObject;
}

export const horizontalPodAutoscalersV1 = describedResource({
  ...autoscalerDescription,
  version: 'v1',
  struct: 'autoscaling.v1.HorizontalPodAutoscaler',
  conversion: {
    storedAs: { group: 'autoscaling', name: 'horizontalpodautoscalers' },
    toStored(object) {
      const stored = toNew(object);
      // What is read from storage gets the defaults of autoscaling/v2.
      completeBehavior(stored.spec);
      return stored;
    },
    fromStored,
  },
  specAnnotations: Object.values(specAnnotations),
  applyDefaults(object: OldAutoscaler) {
    object.spec.minReplicas ??= 1;
    const { metadata, spec, status } = fromStored(toNew(object));
    object.spec = spec;
    object.status = status;
    // The metadata must stay the same object.
    if (metadata.annotations === undefined) {
      delete object.metadata.annotations;
    } else {
      object.metadata.annotations = metadata.annotations;
    }
  },
  prepareForCreate({ metadata }) {
    for (const name of Object.values(statusAnnotations)) {
      Reflect.deleteProperty(metadata.annotations ?? {}, name);
    }
  },
  prepareForUpdate(object, old) {
    for (const name of Object.values(statusAnnotations)) {
      keepAnnotation(object, old, name);
    }
  },
  refusals: (object, old) => validateAutoscaler(toNew(object), old as Autoscaler | undefined),
});

const cpuUtilization = (averageUtilization: number): Metric => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

function isUtilizationOfCpu({ type, resource }: Metric): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;
}

function toNew(object: KubeObject): Autoscaler {
  const { metadata, spec, status } = object as OldAutoscaler;
  const { targetCPUUtilizationPercentage: target, ...rest } = spec;
  const { currentCPUUtilizationPercentage: current, currentReplicas = 0, ...seen } = status;
  const { annotations = {} } = metadata;
  const { metrics: others = [], behavior, currentMetrics, conditions } = readAnnotations(annotations);
  const metrics = [...others, ...(target === undefined ? [] : [cpuUtilization(target)])];
  const left = withoutFields(annotations, keptAnnotations) as Record<string, string>;
  const meta = withoutFields(metadata, ['annotations']);
  const ofCpu = {
    type: 'Resource',
    resource: { name: 'cpu', current: { averageUtilization: current ?? 0 } },
  };
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v2',
    metadata: Object.keys(left).length === 0 ? meta : { ...meta, annotations: left },
    spec: {
      ...rest,
      metrics: metrics.length === 0 ? [cpuUtilization(usualUtilization)] : metrics,
      ...(behavior === undefined ? undefined : { behavior }),
    },
    status: {
      ...(currentReplicas === 0 ? undefined : { currentReplicas }),
      ...seen,
      currentMetrics: currentMetrics ?? (current === undefined ? null : [ofCpu]),
      ...(conditions === undefined || conditions.length === 0 ? undefined : { conditions }),
    },
  };
}

function fromStored(object: KubeObject): OldAutoscaler {
  const { metadata, spec, status } = object as Autoscaler;
  const { metrics = [], behavior, ...rest } = spec;
  const { currentMetrics: given, conditions, currentReplicas = 0, desiredReplicas = 0, ...seen } = status;
  const currentMetrics = given ?? [];
  const target = metrics.find(isUtilizationOfCpu)?.resource?.target.averageUtilization;
  const current = currentMetrics.findLast(
    ({ type, resource }) =>
      type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined,
  )?.resource?.current.averageUtilization;
  const added = writeAnnotations({
    metrics: metrics.filter((metric) => !isUtilizationOfCpu(metric)),
    behavior,
    currentMetrics,
    conditions,
  });
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v1',
    metadata:
      Object.keys(added).length === 0
        ? metadata
        : { ...metadata, annotations: inKeyOrder({ ...metadata.annotations, ...added }) },
    spec: {
      ...rest,
      ...(target === undefined ? undefined : { targetCPUUtilizationPercentage: target }),
    },
    status: {
      ...seen,
      currentReplicas,
      desiredReplicas,
      ...(current === undefined ? undefined : { currentCPUUtilizationPercentage: current }),
    },
  };
}
