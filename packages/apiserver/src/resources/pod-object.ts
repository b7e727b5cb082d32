import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { PodSpec } from './pod-spec.ts';

/* The type of a pod, with the fields that the server reads. */

export interface ContainerStatus extends JsonObject {
  name: string;
  ready: boolean;
  /** For a sidecar: whether later containers may start. */
  started?: boolean;
  restartCount: number;
  state?: {
    waiting?: { reason?: string };
    running?: { startedAt?: string };
    terminated?: { reason?: string; signal?: number; exitCode: number };
  };
  lastState?: { terminated?: { finishedAt?: string } };
  user?: { linux?: { uid: number; gid: number; supplementalGroups?: number[] } };
  allocatedResourcesStatus?: {
    name: string;
    resources?: { resourceID: string; health?: string; message?: string }[];
  }[];
}

export interface PodStatus extends JsonObject {
  phase?: string;
  reason?: string;
  conditions?: {
    type: string;
    status: string;
    reason?: string;
    message?: string;
    lastTransitionTime?: string | null;
    observedGeneration?: number;
  }[];
  podIPs?: { ip: string }[];
  hostIPs?: { ip: string }[];
  podIP?: string;
  hostIP?: string;
  observedGeneration?: number;
  nominatedNodeName?: string;
  qosClass?: string;
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  resourceClaimStatuses?: { name: string; resourceClaimName?: string }[];
  extendedResourceClaimStatus?: {
    requestMappings: { containerName: string; resourceName: string; requestName: string }[] | null;
    resourceClaimName: string;
  };
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status: PodStatus;
}
