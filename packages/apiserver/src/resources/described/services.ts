import { type FieldError, forbiddenField, invalidObject } from '../../meta/field-error.ts';
import { dnsLabel } from '../../meta/names.ts';
import { addressWarnings } from '../ip-warnings.ts';
import type { WriteContext } from '../resource-definition.ts';
import { describedResource } from './described-resource.ts';
import { allocateAddress, completeFamilies, dropAddresses, keepAddresses } from './service-addresses.ts';
import { allocateNodePorts, dropNodePorts, keepNodePorts } from './service-ports.ts';
import {
  type Service,
  type ServicePort,
  type ServiceSpec,
  isOnNodes,
  isReachableFromOutside,
} from './service-spec.ts';
import { validateIngress, validateService } from './service-validation.ts';
import { serviceWarnings } from './service-warnings.ts';
import { age, printLabels, text } from './shown.ts';

const affinitySeconds = 3 * 60 * 60;

/** core/v1. Nothing routes traffic to them here. */
export const services = describedResource({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  struct: 'core.v1.Service',
  nameRule: dnsLabel,
  storageVersionHash: '0/CO1lhkEBI=',
  allowCreateOnUpdate: true,
  hasStatus: true,
  returnsDeletedObject: true,
  selectableFields: {
    'spec.clusterIP': ({ spec }) => (spec as Service['spec']).clusterIP ?? '',
    'spec.type': ({ spec }) => (spec as Service['spec']).type ?? '',
  },
  hasFieldLabelConversion: true,
  applyDefaults({ spec, status }: Service) {
    spec.sessionAffinity ??= 'None';
    if (spec.sessionAffinity === 'None') {
      delete spec.sessionAffinityConfig;
    } else if (spec.sessionAffinity === 'ClientIP') {
      spec.sessionAffinityConfig = {
        clientIP: { timeoutSeconds: spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? affinitySeconds },
      };
    }
    spec.type ??= 'ClusterIP';
    for (const port of spec.ports ?? []) {
      port.protocol ??= 'TCP';
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') {
        port.targetPort = port.port;
      }
    }
    if (isReachableFromOutside(spec)) {
      spec.externalTrafficPolicy ??= 'Cluster';
    }
    if (isOnNodes(spec) || spec.type === 'ClusterIP') {
      spec.internalTrafficPolicy ??= 'Cluster';
    }
    if (spec.type === 'LoadBalancer') {
      spec.allocateLoadBalancerNodePorts ??= true;
      for (const ingress of status.loadBalancer?.ingress ?? []) {
        if (ingress.ip !== undefined) {
          ingress.ipMode ??= 'VIP';
        }
      }
    }
  },
  prepareForCreate(service: Service, context) {
    allocate(service, undefined, context);
  },
  prepareForUpdate(service: Service, old: Service, context) {
    keepNodePorts(service.spec, old.spec);
    allocate(service, old, context);
    dropAddresses(service.spec, old.spec);
    dropNodePorts(service.spec, old.spec);
    dropOfBalancers(service, old);
  },
  hide({ spec }: Service) {
    // The field was once defaulted for all services, so a stored ExternalName may have it.
    if (spec.type === 'ExternalName') {
      delete spec.internalTrafficPolicy;
    }
  },
  refusals: (service: Service, old) => validateService(service, old as Service | undefined),
  statusRefusals: ({ spec, status }: Service) =>
    spec.type === 'LoadBalancer'
      ? validateIngress(status.loadBalancer?.ingress ?? [])
      : (status.loadBalancer?.ingress ?? []).length > 0
        ? [
            forbiddenField(
              'status.loadBalancer.ingress',
              "may only be used when `spec.type` is 'LoadBalancer'",
            ),
          ]
        : [],
  statusWarnings: ({ status }: Service) =>
    (status.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }, index) =>
      addressWarnings(ip, `status.loadBalancer.ingress[${index}]`),
    ),
  warnings: (service: Service) => serviceWarnings(service),
  shown: [
    text<Service>('Type', 'How it is exposed', ({ spec }) => spec.type ?? ''),
    text<Service>('Cluster-IP', 'Its address in the cluster', ({ spec }) => spec.clusterIPs?.[0] ?? '<none>'),
    text<Service>('External-IP', 'Its addresses outside', externalAddress),
    text<Service>('Port(s)', 'Where it listens', ({ spec }) => printPorts(spec.ports ?? [])),
    age,
    text<Service>('Selector', 'Which pods it leads to', ({ spec }) => printLabels(spec.selector), 1),
  ],
});

/** Allocates addresses and node ports. Throws 422 if the service cannot have what it asks for. */
function allocate(service: Service, old: Service | undefined, { storage, isDryRun }: WriteContext): void {
  const { metadata, spec } = service;
  keepAddresses(spec, old?.spec);
  const all = storage.list('services').map(({ object }) => object as Service);
  const others = all.filter(
    (other) => other.metadata.name !== metadata.name || other.metadata.namespace !== metadata.namespace,
  );
  const specsOf = (list: readonly Service[]): readonly ServiceSpec[] => list.map((each) => each.spec);
  const refuse = (errors: readonly FieldError[]): void => {
    if (errors.length > 0) {
      throw invalidObject({ group: '', name: 'Service' }, metadata.name ?? '', errors);
    }
  };
  refuse(completeFamilies(spec, old?.spec));
  // The real server allocates before it finds that the name is taken, so a create can fail because the
  // existing service has the same address.
  refuse(allocateAddress(service, old?.spec, specsOf(old === undefined ? all : others), isDryRun));
  refuse(allocateNodePorts(spec, old?.spec, specsOf(others), isDryRun));
}

/**
 * Drops the fields that only load balancers have. If the client changed one as well, it stays, and validation
 * refuses it.
 */
function dropOfBalancers({ spec, status }: Service, old: Service): void {
  if (spec.type !== 'LoadBalancer') {
    if (old.spec.type === 'LoadBalancer') {
      for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
        if (spec[field] === old.spec[field]) {
          Reflect.deleteProperty(spec, field);
        }
      }
    }
    status.loadBalancer = {};
  }
  if (
    isReachableFromOutside(old.spec) &&
    !isReachableFromOutside(spec) &&
    spec.externalTrafficPolicy === old.spec.externalTrafficPolicy
  ) {
    delete spec.externalTrafficPolicy;
  }
}

function externalAddress({ spec, status }: Service): string {
  const given = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ExternalName':
      return spec.externalName ?? '';
    case 'LoadBalancer': {
      const found = (status.loadBalancer?.ingress ?? []).map(({ ip, hostname = '' }) => ip ?? hostname);
      const all = [...found, ...given];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return given.length === 0 ? '<none>' : given.join(',');
  }
}

function printPorts(ports: readonly ServicePort[]): string {
  const printed = ports.map(({ port, nodePort = 0, protocol = 'TCP' }) =>
    nodePort === 0 ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
  );
  return printed.length === 0 ? '<none>' : printed.join(',');
}
