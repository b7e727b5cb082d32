import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

const targetReference = {
  kind: 'Kind of the object.',
  name: 'Name of the object.',
  apiVersion: 'Group and version of the object.',
};

export const autoscalingDescriptions: Descriptions = {
  'autoscaling.v1.CrossVersionObjectReference': {
    about: 'An object in the same namespace.',
    fields: { ...targetReference },
  },
  'autoscaling.v1.HorizontalPodAutoscaler': {
    about: 'Scales a set of pods by their use of CPU.',
    fields: { spec: 'What to scale, and how far.', status: 'Replicas and use of CPU now.' },
  },
  'autoscaling.v1.HorizontalPodAutoscalerSpec': {
    about: 'What to scale by CPU, and how far.',
    fields: {
      scaleTargetRef: 'Object to scale, by its scale subresource.',
      minReplicas: 'Least number of replicas; 1 by default.',
      maxReplicas: 'Most replicas there may be.',
      targetCPUUtilizationPercentage: 'Average use of CPU to aim at, in percent of requests; 80 when unset.',
    },
  },
  'autoscaling.v1.HorizontalPodAutoscalerStatus': {
    about: 'State of an autoscaler.',
    fields: {
      observedGeneration: 'Generation that the autoscaler last acted on.',
      lastScaleTime: 'When the number of replicas was last changed.',
      currentReplicas: 'Replicas now.',
      desiredReplicas: 'Replicas that are wanted.',
      currentCPUUtilizationPercentage: 'Average use of CPU now, in percent of requests.',
    },
  },
  'autoscaling.v2.ContainerResourceMetricSource': {
    about: 'A resource of one container in each pod, as a metric to scale by.',
    fields: {
      name: 'Resource, such as cpu.',
      target: 'Value to aim at.',
      container: 'Container that is measured.',
    },
  },
  'autoscaling.v2.ContainerResourceMetricStatus': {
    about: 'Value of a resource of one container.',
    fields: {
      name: 'Resource, such as cpu.',
      current: 'Value now.',
      container: 'Container that is measured.',
    },
  },
  'autoscaling.v2.CrossVersionObjectReference': {
    about: 'An object in the same namespace.',
    fields: { ...targetReference },
  },
  'autoscaling.v2.ExternalMetricSource': {
    about: 'A metric from outside of the cluster to scale by.',
    fields: { metric: 'Metric that is meant.', target: 'Value to aim at.' },
  },
  'autoscaling.v2.ExternalMetricStatus': {
    about: 'Value of an external metric.',
    fields: { metric: 'Metric that is meant.', current: 'Value now.' },
  },
  'autoscaling.v2.HPAScalingPolicy': {
    about: 'How far one step of scaling may go.',
    fields: {
      type: 'Pods for a number of pods, Percent for a share of them.',
      value: 'Most pods, or percent, within the period.',
      periodSeconds: 'Length of the period in seconds, 1 to 1800.',
    },
  },
  'autoscaling.v2.HPAScalingRules': {
    about: 'How fast to scale in one direction.',
    fields: {
      stabilizationWindowSeconds:
        'Seconds of past recommendations to consider, 0 to 3600; 0 for scaleUp, for scaleDown as the controller is set (300).',
      selectPolicy:
        'Which policy counts: Max (default) the one of most change, Min that of least; Disabled for no scaling.',
      policies:
        'Limits of a step; by default 4 pods or 100 percent in 15 seconds upwards, 100 percent downwards.',
      tolerance:
        'Deviation from the target that is tolerated, such as 0.05; as the controller is set (0.1) when unset.',
    },
  },
  'autoscaling.v2.HorizontalPodAutoscaler': {
    about: 'Scales a set of pods by metrics.',
    fields: { spec: 'What to scale, by which metrics, and how far.', status: 'Replicas and metrics now.' },
  },
  'autoscaling.v2.HorizontalPodAutoscalerBehavior': {
    about: 'How fast to scale up and down.',
    fields: { scaleUp: 'Rules for scaling up.', scaleDown: 'Rules for scaling down.' },
  },
  'autoscaling.v2.HorizontalPodAutoscalerCondition': {
    about: 'A condition of an autoscaler: AbleToScale, ScalingActive or ScalingLimited.',
    fields: { ...conditionFields },
  },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': {
    about: 'What to scale, by which metrics, and how far.',
    fields: {
      scaleTargetRef: 'Object to scale, by its scale subresource.',
      minReplicas: 'Least number of replicas; 1 by default, and 0 needs its feature gate.',
      maxReplicas: 'Most replicas there may be.',
      metrics: 'Metrics, of which the one that wants most replicas counts; CPU at 80 percent by default.',
      behavior: 'How fast to scale.',
    },
  },
  'autoscaling.v2.HorizontalPodAutoscalerStatus': {
    about: 'State of an autoscaler.',
    fields: {
      observedGeneration: 'Generation that the autoscaler last acted on.',
      lastScaleTime: 'When the number of replicas was last changed.',
      currentReplicas: 'Replicas now.',
      desiredReplicas: 'Replicas that are wanted.',
      currentMetrics: 'Values of the metrics now.',
      conditions: 'Conditions of the autoscaler.',
    },
  },
  'autoscaling.v2.MetricIdentifier': {
    about: 'A metric by name and labels.',
    fields: {
      name: 'Name of the metric.',
      selector: 'Narrows down the metric by its labels; unset for all.',
    },
  },
  'autoscaling.v2.MetricSpec': {
    about: 'A metric to scale by; the field of its type is set.',
    fields: {
      type: 'Object, Pods, Resource, ContainerResource or External.',
      object: 'A metric of one object, such as requests per second of an Ingress.',
      pods: 'A metric of each pod, averaged.',
      resource: 'A resource of the pods, such as cpu.',
      containerResource: 'A resource of one container in each pod.',
      external: 'A metric from outside of the cluster.',
    },
  },
  'autoscaling.v2.MetricStatus': {
    about: 'Value of a metric; the field of its type is set.',
    fields: {
      type: 'Object, Pods, Resource, ContainerResource or External.',
      object: 'Value of a metric of one object.',
      pods: 'Value of a metric of the pods.',
      resource: 'Value of a resource of the pods.',
      containerResource: 'Value of a resource of one container.',
      external: 'Value of a metric from outside of the cluster.',
    },
  },
  'autoscaling.v2.MetricTarget': {
    about: 'The value of a metric to aim at.',
    fields: {
      type: 'Utilization, Value or AverageValue; the field of that name is set.',
      value: 'Value as a whole.',
      averageValue: 'Value for each pod on average.',
      averageUtilization: 'Use for each pod on average, in percent of requests; for resources only.',
    },
  },
  'autoscaling.v2.MetricValueStatus': {
    about: 'The value of a metric now.',
    fields: {
      value: 'Value as a whole.',
      averageValue: 'Value for each pod on average.',
      averageUtilization: 'Use for each pod on average, in percent of requests.',
    },
  },
  'autoscaling.v2.ObjectMetricSource': {
    about: 'A metric of one object to scale by.',
    fields: {
      describedObject: 'Object that is measured.',
      target: 'Value to aim at.',
      metric: 'Metric that is meant.',
    },
  },
  'autoscaling.v2.ObjectMetricStatus': {
    about: 'Value of a metric of one object.',
    fields: {
      metric: 'Metric that is meant.',
      current: 'Value now.',
      describedObject: 'Object that is measured.',
    },
  },
  'autoscaling.v2.PodsMetricSource': {
    about: 'A metric of each pod to scale by.',
    fields: { metric: 'Metric that is meant.', target: 'Average to aim at.' },
  },
  'autoscaling.v2.PodsMetricStatus': {
    about: 'Value of a metric of the pods.',
    fields: { metric: 'Metric that is meant.', current: 'Average now.' },
  },
  'autoscaling.v2.ResourceMetricSource': {
    about: 'A resource of the pods to scale by.',
    fields: { name: 'Resource, such as cpu.', target: 'Value to aim at.' },
  },
  'autoscaling.v2.ResourceMetricStatus': {
    about: 'Value of a resource of the pods.',
    fields: { name: 'Resource, such as cpu.', current: 'Value now.' },
  },
};
