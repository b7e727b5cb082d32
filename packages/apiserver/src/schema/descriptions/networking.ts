import type { Descriptions } from './description.ts';

export const networkingDescriptions: Descriptions = {
  'networking.v1.HTTPIngressPath': {
    about: 'A path, and where its requests go.',
    fields: {
      path: 'Path of the requests, from a slash on.',
      pathType: 'Exact, Prefix (by whole elements between slashes) or ImplementationSpecific.',
      backend: 'Where the requests go.',
    },
  },
  'networking.v1.HTTPIngressRuleValue': {
    about: 'Paths of a host.',
    fields: { paths: 'The paths.' },
  },
  'networking.v1.IPAddress': {
    about: 'An address that an object of the cluster uses; its name is the address.',
    fields: { spec: 'Who uses the address.' },
  },
  'networking.v1.IPAddressSpec': {
    about: 'Who uses an address.',
    fields: { parentRef: 'Object that the address was given to.' },
  },
  'networking.v1.IPBlock': {
    about: 'A range of addresses.',
    fields: { cidr: 'Range, such as 192.0.2.0/24.', except: 'Parts of the range that are left out.' },
  },
  'networking.v1.Ingress': {
    about: 'Routes of HTTP from outside to Services.',
    fields: { spec: 'The routes.', status: 'State of the load balancer.' },
  },
  'networking.v1.IngressBackend': {
    about: 'Where requests go; exactly one field is set.',
    fields: { service: 'Service of the same namespace.', resource: 'Another object of the same namespace.' },
  },
  'networking.v1.IngressClass': {
    about:
      'An implementation of Ingresses; the annotation ingressclass.kubernetes.io/is-default-class makes it the default.',
    fields: { spec: 'Controller and parameters.' },
  },
  'networking.v1.IngressClassParametersReference': {
    about: 'Object with the parameters of a class.',
    fields: {
      apiGroup: 'API group of the object; unset for the core group.',
      kind: 'Kind of the object.',
      name: 'Name of the object.',
      scope: 'Cluster (default) or Namespace.',
      namespace: 'Namespace of the object; required with scope Namespace, refused with Cluster.',
    },
  },
  'networking.v1.IngressClassSpec': {
    about: 'Controller and parameters of a class.',
    fields: {
      controller: 'Controller of the class, such as example.com/ingress-controller; it cannot be changed.',
      parameters: 'Object with parameters for the controller.',
    },
  },
  'networking.v1.IngressLoadBalancerIngress': {
    about: 'An entry point of the load balancer of an Ingress.',
    fields: {
      ip: 'Address of the entry point.',
      hostname: 'DNS name of the entry point.',
      ports: 'State of its ports.',
    },
  },
  'networking.v1.IngressLoadBalancerStatus': {
    about: 'State of the load balancer of an Ingress.',
    fields: { ingress: 'Its entry points.' },
  },
  'networking.v1.IngressPortStatus': {
    about: 'State of a port of a load balancer.',
    fields: {
      port: 'Number of the port.',
      protocol: 'Protocol of the port: TCP, UDP or SCTP.',
      error:
        'Why the port does not work, in CamelCase; those of providers have a prefix, as in example.com/Reason.',
    },
  },
  'networking.v1.IngressRule': {
    about: 'Routes of one host.',
    fields: {
      host: 'Host name, also *.example.com for one label before; all hosts when empty.',
      http: 'Paths of the host; all of them go to the default backend when unset.',
    },
  },
  'networking.v1.IngressServiceBackend': {
    about: 'A port of a Service.',
    fields: { name: 'Name of the Service, in the namespace of the Ingress.', port: 'Port of the Service.' },
  },
  'networking.v1.IngressSpec': {
    about: 'Routes of an Ingress.',
    fields: {
      ingressClassName:
        'IngressClass that implements the Ingress; by default the class that is marked as default.',
      defaultBackend: 'Where requests go that no rule is for.',
      tls: 'Certificates by hosts.',
      rules: 'Routes by hosts.',
    },
  },
  'networking.v1.IngressStatus': {
    about: 'State of an Ingress.',
    fields: { loadBalancer: 'State of the load balancer.' },
  },
  'networking.v1.IngressTLS': {
    about: 'A certificate, and the hosts that it is for.',
    fields: {
      hosts: 'Hosts of the certificate; by default up to the controller.',
      secretName: 'Secret with the certificate and the key.',
    },
  },
  'networking.v1.NetworkPolicy': {
    about:
      'Traffic that is allowed to and from pods; once a policy selects a pod, all other traffic is refused.',
    fields: { spec: 'Pods, and the traffic that is allowed.' },
  },
  'networking.v1.NetworkPolicyEgressRule': {
    about: 'Traffic that pods may send.',
    fields: {
      ports: 'Ports that they may reach; all when empty.',
      to: 'Peers that they may reach; all when empty.',
    },
  },
  'networking.v1.NetworkPolicyIngressRule': {
    about: 'Traffic that pods may receive.',
    fields: {
      ports: 'Ports that may be reached; all when empty.',
      from: 'Peers that may reach them; all when empty.',
    },
  },
  'networking.v1.NetworkPolicyPeer': {
    about: 'Other ends of connections, as selectors or as an ipBlock.',
    fields: {
      podSelector: "Pods; of the policy's own namespace unless namespaceSelector says otherwise.",
      namespaceSelector:
        'Namespaces of the pods; {} for all. Without podSelector all of their pods are meant.',
      ipBlock: 'Range of addresses; not together with the selectors.',
    },
  },
  'networking.v1.NetworkPolicyPort': {
    about: 'Ports of a protocol.',
    fields: {
      protocol: 'Protocol of the port: TCP (default), UDP or SCTP.',
      port: 'Number or name of the port; all ports when unset.',
      endPort: 'Last port of a range that begins at port, which must then be a number.',
    },
  },
  'networking.v1.NetworkPolicySpec': {
    about: 'Pods of a policy, and the traffic that is allowed.',
    fields: {
      podSelector: 'Pods that the policy is for; {} selects all of the namespace.',
      ingress: 'Traffic that the pods may receive; none when empty.',
      egress: 'Traffic that the pods may send, with the type Egress; none when empty.',
      policyTypes: 'Ingress, Egress or both; by default Ingress, and Egress too if there are egress rules.',
    },
  },
  'networking.v1.ParentReference': {
    about: 'Object that an address was given to.',
    fields: {
      group: 'API group of the object.',
      resource: 'Resource of the object, such as services.',
      namespace: 'Namespace of the object.',
      name: 'Name of the object.',
    },
  },
  'networking.v1.ServiceBackendPort': {
    about: 'A port of a Service, by name or number; exactly one is set.',
    fields: { name: 'Name of the port.', number: 'Number of the port.' },
  },
  'networking.v1.ServiceCIDR': {
    about: 'Ranges from which Services get their addresses.',
    fields: { spec: 'The ranges.', status: 'State of the ranges.' },
  },
  'networking.v1.ServiceCIDRSpec': {
    about: 'Ranges of addresses of Services.',
    fields: {
      cidrs:
        'One or two ranges, one for each IP family at most; they cannot be changed, but a second one can be added.',
    },
  },
  'networking.v1.ServiceCIDRStatus': {
    about: 'State of a ServiceCIDR.',
    fields: { conditions: 'Conditions, such as Ready.' },
  },
};
