import type { Descriptions } from './description.ts';

export const discoveryDescriptions: Descriptions = {
  'discovery.v1.Endpoint': {
    about: 'A backend of a Service.',
    fields: {
      addresses: 'Addresses of the backend; clients use the first.',
      conditions: 'State of the backend.',
      hostname: 'Host name of the backend, a DNS label.',
      targetRef: 'Object behind the backend, most often a pod.',
      deprecatedTopology: 'Topology from the version v1beta1; written by nobody now.',
      nodeName: 'Node of the backend.',
      zone: 'Zone of the backend.',
      hints: 'Where traffic for the backend should come from.',
    },
  },
  'discovery.v1.EndpointConditions': {
    about: 'State of a backend.',
    fields: {
      ready: 'Whether it should get new connections; unset is true. False while it terminates, as a rule.',
      serving: 'Whether it answers, even while it terminates; unset is as ready.',
      terminating: 'Whether it is being ended; unset is false.',
    },
  },
  'discovery.v1.EndpointHints': {
    about: 'Where traffic for a backend should come from.',
    fields: {
      forZones: 'Zones whose clients should use the backend; 8 at most.',
      forNodes: 'Nodes whose clients should use the backend; 8 at most.',
    },
  },
  'discovery.v1.EndpointPort': {
    about: 'A port of the backends of a slice.',
    fields: {
      name: 'Name of the port, unique in the slice; "" by default.',
      protocol: 'Protocol of the port: TCP (default), UDP or SCTP.',
      port: 'Number of the port; unset is for consumers to interpret.',
      appProtocol: 'Application protocol, such as kubernetes.io/h2c or a name of the IANA.',
    },
  },
  'discovery.v1.EndpointSlice': {
    about: 'A part of the backends of a Service; the label kubernetes.io/service-name says of which.',
    fields: {
      addressType:
        'Type of all addresses of the slice: IPv4, IPv6 or FQDN (deprecated); it cannot be changed.',
      endpoints: 'The backends; 1000 at most.',
      ports: 'Ports of all these backends; 20000 at most.',
    },
  },
  'discovery.v1.ForNode': {
    about: 'A node in the hints of a backend.',
    fields: { name: 'Name of the node.' },
  },
  'discovery.v1.ForZone': {
    about: 'A zone in the hints of a backend.',
    fields: { name: 'Name of the zone.' },
  },
};
