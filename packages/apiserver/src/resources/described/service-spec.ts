import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';

/* Services, as far as they are looked at here. */

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

/** What ExternalName alone has not, be it the address `None`. */
export const hasAddress = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

/** Whether the service is without an address of its own. */
export const isHeadless = ({ clusterIPs: [first] = [] }: ServiceSpec): boolean => first === 'None';

export const isOnNodes = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** Whether what comes from outside can reach it. */
export const isReachableFromOutside = (spec: ServiceSpec): boolean =>
  isOnNodes(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);

/** Whether a load balancer must ask each node if it has pods of the service. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** Whether two lists have the same items in the same order; an absent one is empty. */
export const isSameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);
