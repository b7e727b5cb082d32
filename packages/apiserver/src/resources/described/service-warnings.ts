import { addressWarnings, cidrWarnings } from '../ip-warnings.ts';
import type { Service } from './service-spec.ts';

import { oldTopology, topologyMode } from './service-validation.ts';

/** Warnings about fields of a service that have no effect or are deprecated (pkg/api/service/warnings.go). */
export function serviceWarnings({ metadata, spec }: Service): readonly string[] {
  const { type, clusterIP, clusterIPs = [], externalIPs = [], loadBalancerIP = '' } = spec;
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None';
  const isOutside = type === 'ExternalName';
  const ignored = (field: string): string => `spec.${field} is ignored for headless services`;
  return [
    ...(metadata.annotations?.[oldTopology] === undefined
      ? []
      : [`annotation ${oldTopology} is deprecated, please use ${topologyMode} instead`]),
    ...clusterIPs.flatMap((address, index) => addressWarnings(address, `spec.clusterIPs[${index}]`)),
    ...(isHeadless && loadBalancerIP !== '' ? [ignored('loadBalancerIP')] : []),
    ...(isHeadless && externalIPs.length > 0 ? [ignored('externalIPs')] : []),
    ...(isHeadless && spec.sessionAffinity !== 'None' ? [ignored('SessionAffinity')] : []),
    ...externalIPs.flatMap((address, index) => addressWarnings(address, `spec.externalIPs[${index}]`)),
    ...(externalIPs.length > 0 && !isHeadless && !isOutside
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...addressWarnings(loadBalancerIP, 'spec.loadBalancerIP'),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, index) =>
      cidrWarnings(range, `spec.loadBalancerSourceRanges[${index}]`),
    ),
    ...(isOutside && externalIPs.length > 0
      ? ['spec.externalIPs is ignored when spec.type is "ExternalName"']
      : []),
    ...(!isOutside && (spec.externalName ?? '') !== ''
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
    ...(spec.trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
