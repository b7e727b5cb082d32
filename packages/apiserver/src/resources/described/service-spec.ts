import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';

/* The type of a service, with the fields that the server reads. */

export interface ServicePort extends JsonObject {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
}

export interface ServiceSpec extends JsonObject {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ports?: ServicePort[];
  selector?: { [key: string]: string };
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  externalName?: string;
  externalIPs?: string[];
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  healthCheckNodePort?: number;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  trafficDistribution?: string;
}

export interface LoadBalancerIngress extends JsonObject {
  ip?: string;
  ipMode?: string;
  hostname?: string;
}

export interface Service extends KubeObject {
  spec: ServiceSpec;
  status: { loadBalancer?: { ingress?: LoadBalancerIngress[] } } & JsonObject;
}

/** Whether a service has a clusterIP, even if it is `None`. Only an ExternalName has none. */
export const hasAddress = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

/** Whether the service has no address of its own. */
export const isHeadless = ({ clusterIPs: [first] = [] }: ServiceSpec): boolean => first === 'None';

export const isOnNodes = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** Whether traffic from outside the cluster can reach the service. */
export const isReachableFromOutside = (spec: ServiceSpec): boolean =>
  isOnNodes(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);

/** Whether a load balancer must check on each node whether it has pods of the service. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** Whether two lists have the same items in the same order. An absent list counts as empty. */
export const isSameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);
