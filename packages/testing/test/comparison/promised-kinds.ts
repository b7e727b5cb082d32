/**
 * The kinds, by the plurals of their resources, of which nothing is taken here that the real server refuses: those that
 * are validated by upstream's rules, and whose mutated objects have shown no difference.
 */
export const promisedKinds: ReadonlySet<string> = new Set([
  'apiservices',
  'certificatesigningrequests',
  'csistoragecapacities',
  'deviceclasses',
  'endpoints',
  'endpointslices',
  'flowschemas',
  'horizontalpodautoscalers',
  'ingressclasses',
  'ingresses',
  'ipaddresses',
  'limitranges',
  'networkpolicies',
  'nodes',
  'poddisruptionbudgets',
  'pods',
  'podtemplates',
  'priorityclasses',
  'prioritylevelconfigurations',
  'resourcequotas',
  'resourceclaims',
  'resourceclaimtemplates',
  'resourceslices',
  'servicecidrs',
  'services',
  'volumeattributesclasses',
]);
