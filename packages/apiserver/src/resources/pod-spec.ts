import type { JsonObject } from '../meta/json.ts';
import type { Affinity, PodAffinity } from './pod-validation/affinity.ts';
import type { Variable, VariableSource } from './pod-validation/environment.ts';
import type { HostNameFields } from './pod-validation/host-names.ts';
import type { VolumeDevice, VolumeMount } from './pod-validation/mounts.ts';
import type { ContainerPort } from './pod-validation/ports.ts';
import type { Handler, Probe } from './pod-validation/probes.ts';
import type { ResizePolicy } from './pod-validation/resize-policy.ts';
import type { PodResourceClaim } from './pod-validation/resource-claims.ts';
import type { RestartRule } from './pod-validation/restarts.ts';
import type { ContainerSecurity, PodSecurity } from './pod-validation/security.ts';
import type { Toleration } from './pod-validation/tolerations.ts';
import type { SpreadConstraint } from './pod-validation/topology-spread.ts';
import type { Volume } from './pod-validation/volumes.ts';

/*
 * The type of a pod's spec, with the fields that the server reads. The values of some parts are described at
 * their types.
 */

export type { ContainerPort, PodAffinity, Toleration, Volume };
export type { VolumeProjection } from './pod-validation/file-sources.ts';
export type EnvVar = Variable;

export interface ResourceRequirements extends JsonObject {
  limits?: { [resource: string]: string };
  requests?: { [resource: string]: string };
  claims?: { name: string; request?: string }[];
}

export interface Container extends JsonObject {
  name: string;
  image?: string;
  ports?: ContainerPort[];
  env?: EnvVar[];
  envFrom?: VariableSource[];
  resources: ResourceRequirements;
  resizePolicy?: ResizePolicy[];
  restartPolicy?: string;
  restartPolicyRules?: RestartRule[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
  securityContext?: ContainerSecurity;
  /** For ephemeral containers: the container whose processes they see. */
  targetContainerName?: string;
}

export interface PodSpec extends HostNameFields {
  volumes?: Volume[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  containers: Container[] | null;
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  nodeName?: string;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  serviceAccountName?: string;
  serviceAccount?: string;
  schedulerName?: string;
  securityContext?: PodSecurity;
  nodeSelector?: { [label: string]: string };
  affinity?: Affinity;
  topologySpreadConstraints?: SpreadConstraint[];
  imagePullSecrets?: { name?: string }[];
  overhead?: { [resource: string]: string };
  resources?: ResourceRequirements;
  resourceClaims?: PodResourceClaim[];
  runtimeClassName?: string;
  os?: { name: string };
  tolerations?: Toleration[];
  priority?: number;
  priorityClassName?: string;
  preemptionPolicy?: string;
  enableServiceLinks?: boolean;
  schedulingGates?: { name: string }[];
  readinessGates?: { conditionType: string }[];
}
