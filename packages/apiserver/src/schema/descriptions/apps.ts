import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

export const appsDescriptions: Descriptions = {
  'apps.v1.ControllerRevision': {
    about: 'A snapshot of the template of a DaemonSet or a StatefulSet.',
    fields: {
      data: 'The snapshot; it cannot be changed.',
      revision: 'Number of the revision; the highest is the newest.',
    },
  },
  'apps.v1.DaemonSet': {
    about: 'Runs one pod on each node, or on those that match.',
    fields: { spec: 'Pods that are wanted.', status: 'Pods that there are.' },
  },
  'apps.v1.DaemonSetCondition': {
    about: 'A condition of a DaemonSet.',
    fields: { ...conditionFields },
  },
  'apps.v1.DaemonSetSpec': {
    about: 'Pods that are wanted on the nodes.',
    fields: {
      selector: 'Pods that belong to the set, by labels that the template must have; it cannot be changed.',
      template:
        'Template of the pods; its nodeSelector and affinity choose the nodes, and its restartPolicy must be Always.',
      updateStrategy: 'How pods are replaced when the template changes.',
      minReadySeconds: 'Seconds that a new pod must stay ready before it counts as available; 0 by default.',
      revisionHistoryLimit: 'Old revisions that are kept for a rollback; 10 by default.',
    },
  },
  'apps.v1.DaemonSetStatus': {
    about: 'Pods of a DaemonSet.',
    fields: {
      currentNumberScheduled: 'Nodes that run the pod, and should.',
      numberMisscheduled: 'Nodes that run the pod, but should not.',
      desiredNumberScheduled: 'Nodes that should run the pod.',
      numberReady: 'Nodes that should run the pod and have it ready.',
      observedGeneration: 'Generation that the controller last acted on.',
      updatedNumberScheduled: 'Nodes that run the pod of the newest template.',
      numberAvailable: 'Nodes whose pod has been ready for minReadySeconds.',
      numberUnavailable: 'Nodes that should have an available pod and have none.',
      collisionCount: 'Collisions of the names of revisions, from which further names are made.',
      conditions: 'Conditions of the set.',
    },
  },
  'apps.v1.DaemonSetUpdateStrategy': {
    about: 'How a DaemonSet replaces its pods.',
    fields: {
      type: 'RollingUpdate (default), or OnDelete to replace a pod only when it is deleted.',
      rollingUpdate: 'Settings of RollingUpdate.',
    },
  },
  'apps.v1.Deployment': {
    about:
      'Runs equal pods by way of ReplicaSets and replaces them step by step when their template changes.',
    fields: { spec: 'Pods that are wanted.', status: 'Pods that there are.' },
  },
  'apps.v1.DeploymentCondition': {
    about: 'A condition of a Deployment: Available, Progressing or ReplicaFailure.',
    fields: { ...conditionFields, lastUpdateTime: 'When the condition was last written.' },
  },
  'apps.v1.DeploymentSpec': {
    about: 'Pods that are wanted, and how they are replaced.',
    fields: {
      replicas: 'How many pods to run; 1 by default.',
      selector:
        'Pods that belong to the Deployment, by labels that the template must have; it cannot be changed.',
      template: 'Template of the pods, whose restartPolicy must be Always; a change starts a rollout.',
      strategy: 'How old pods are replaced by new ones.',
      minReadySeconds: 'Seconds that a new pod must stay ready before it counts as available; 0 by default.',
      revisionHistoryLimit: 'Old ReplicaSets that are kept for a rollback; 10 by default.',
      paused: 'Whether changes of the template start no rollout; false by default.',
      progressDeadlineSeconds:
        'Seconds without progress after which a rollout is reported as failed; 600 by default. Paused time does not count.',
    },
  },
  'apps.v1.DeploymentStatus': {
    about: 'Pods of a Deployment.',
    fields: {
      observedGeneration: 'Generation that the controller last acted on.',
      replicas: 'Pods that exist and are not terminating.',
      updatedReplicas: 'Those of them that have the newest template.',
      readyReplicas: 'Those of them that are ready.',
      availableReplicas: 'Those of them that have been ready for minReadySeconds.',
      unavailableReplicas: 'Pods that are still missing for full availability.',
      terminatingReplicas: 'Pods that are being deleted and have not yet ended.',
      conditions: 'Conditions of the Deployment.',
      collisionCount: 'Collisions of the names of ReplicaSets, from which further names are made.',
    },
  },
  'apps.v1.DeploymentStrategy': {
    about: 'How a Deployment replaces its pods.',
    fields: {
      type: 'RollingUpdate (default), or Recreate to end all old pods before new ones start.',
      rollingUpdate: 'Settings of RollingUpdate.',
    },
  },
  'apps.v1.ReplicaSet': {
    about: 'Keeps a number of equal pods running; most belong to a Deployment.',
    fields: { spec: 'Pods that are wanted.', status: 'Pods that there are.' },
  },
  'apps.v1.ReplicaSetCondition': {
    about: 'A condition of a ReplicaSet, such as ReplicaFailure.',
    fields: { ...conditionFields },
  },
  'apps.v1.ReplicaSetSpec': {
    about: 'Pods that are wanted.',
    fields: {
      replicas: 'How many pods to keep; 1 by default.',
      minReadySeconds: 'Seconds that a new pod must stay ready before it counts as available; 0 by default.',
      selector: 'Pods that belong to the set, by labels that the template must have; it cannot be changed.',
      template: 'Template of new pods.',
    },
  },
  'apps.v1.ReplicaSetStatus': {
    about: 'Pods of a ReplicaSet.',
    fields: {
      replicas: 'Pods that exist and are not terminating.',
      fullyLabeledReplicas: 'Those of them that have all labels of the template.',
      readyReplicas: 'Those of them that are ready.',
      availableReplicas: 'Those of them that have been ready for minReadySeconds.',
      terminatingReplicas: 'Pods that are being deleted and have not yet ended.',
      observedGeneration: 'Generation that the controller last acted on.',
      conditions: 'Conditions of the set.',
    },
  },
  'apps.v1.RollingUpdateDaemonSet': {
    about: 'Pace of a rolling update of a DaemonSet.',
    fields: {
      maxUnavailable:
        'Nodes that may be without an available pod at once, a number or a percentage rounded up; 1 by default.',
      maxSurge:
        'Nodes that may run old and new pod at once, a number or a percentage rounded up; 0 by default.',
    },
  },
  'apps.v1.RollingUpdateDeployment': {
    about: 'Pace of a rolling update of a Deployment; the two cannot both be 0.',
    fields: {
      maxUnavailable:
        'Pods that may be missing at once, a number or a percentage of replicas rounded down; 25% by default.',
      maxSurge: 'Pods that may exist beyond replicas, a number or a percentage rounded up; 25% by default.',
    },
  },
  'apps.v1.RollingUpdateStatefulSetStrategy': {
    about: 'Pace of a rolling update of a StatefulSet.',
    fields: {
      partition: 'Pods with a lower ordinal keep the old template; 0 by default.',
      maxUnavailable:
        'Pods that may be unavailable at once, a number or a percentage rounded up; needs its feature gate, and 1 is meant without.',
    },
  },
  'apps.v1.StatefulSet': {
    about: 'Runs pods with stable names and volumes of their own.',
    fields: { spec: 'Pods and claims that are wanted.', status: 'Pods that there are.' },
  },
  'apps.v1.StatefulSetCondition': {
    about: 'A condition of a StatefulSet.',
    fields: { ...conditionFields },
  },
  'apps.v1.StatefulSetOrdinals': {
    about: 'Numbering of the pods.',
    fields: { start: 'Ordinal of the first pod; 0 by default.' },
  },
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
    about: 'What becomes of claims that were made from volumeClaimTemplates.',
    fields: {
      whenDeleted: 'When the set is deleted: Retain (default) keeps them, Delete deletes them.',
      whenScaled:
        'When the set is scaled down: Retain (default) keeps those of the removed pods, Delete deletes them.',
    },
  },
  'apps.v1.StatefulSetSpec': {
    about: 'Pods and claims that are wanted.',
    fields: {
      replicas: 'How many pods to run; 1 by default.',
      selector: 'Pods that belong to the set, by labels that the template must have; it cannot be changed.',
      template: 'Template of the pods, which are named SET-ORDINAL; its restartPolicy must be Always.',
      volumeClaimTemplates:
        'Claims that each pod gets, named TEMPLATE-POD; they stand in for volumes of the same names.',
      serviceName: 'Headless Service that gives the pods their DNS names.',
      podManagementPolicy:
        'OrderedReady (default) starts pods one after another and stops them in reverse; Parallel does all at once.',
      updateStrategy: 'How pods are replaced when the template changes.',
      revisionHistoryLimit: 'Old revisions that are kept for a rollback; 10 by default.',
      minReadySeconds: 'Seconds that a new pod must stay ready before it counts as available; 0 by default.',
      persistentVolumeClaimRetentionPolicy: 'What becomes of claims when pods go; they are kept by default.',
      ordinals: 'Numbering of the pods, from 0 by default.',
    },
  },
  'apps.v1.StatefulSetStatus': {
    about: 'Pods of a StatefulSet.',
    fields: {
      observedGeneration: 'Generation that the controller last acted on.',
      replicas: 'Pods that exist.',
      readyReplicas: 'Pods that are ready.',
      currentReplicas: 'Pods of currentRevision.',
      updatedReplicas: 'Pods of updateRevision.',
      currentRevision: 'Revision that pods have which an update has not reached.',
      updateRevision: 'Revision that pods are updated to.',
      collisionCount: 'Collisions of the names of revisions, from which further names are made.',
      conditions: 'Conditions of the set.',
      availableReplicas: 'Pods that have been ready for minReadySeconds.',
    },
  },
  'apps.v1.StatefulSetUpdateStrategy': {
    about: 'How a StatefulSet replaces its pods.',
    fields: {
      type: 'RollingUpdate (default), or OnDelete to replace a pod only when it is deleted.',
      rollingUpdate: 'Settings of RollingUpdate.',
    },
  },
};
