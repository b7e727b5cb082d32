import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

export const coreDescriptions: Descriptions = {
  'core.v1.AttachedVolume': {
    about: 'A volume that is attached to a node.',
    fields: { name: 'Name of the volume.', devicePath: 'Path of the device on the node.' },
  },
  'core.v1.Binding': {
    about: 'Binds a pod to a node; schedulers create it.',
    fields: { target: 'Node that the pod is bound to.' },
  },
  'core.v1.ClientIPConfig': {
    about: 'Session affinity by the address of the client.',
    fields: { timeoutSeconds: 'Seconds that a session lasts, 1 to 86400; 10800 (3 hours) by default.' },
  },
  'core.v1.ComponentCondition': {
    about: 'A condition of a component.',
    fields: {
      type: 'Type of the condition; Healthy is the one there is.',
      status: 'Whether it holds: True, False or Unknown.',
      message: 'Answer of the health check.',
      error: 'Error of the health check.',
    },
  },
  'core.v1.ComponentStatus': {
    about: 'Health of a component of the control plane; deprecated.',
    fields: { conditions: 'What the component was found to be.' },
  },
  'core.v1.ConfigMap': {
    about: 'Configuration data, not secret, for pods to use.',
    fields: {
      immutable: 'Whether data can no longer be changed, nor this field be unset; false by default.',
      data: 'Values in UTF-8 by key; keys consist of letters, digits, "-", "_" and ".".',
      binaryData: 'Values of any bytes by key, in base64; no key may be in data, too.',
    },
  },
  'core.v1.ConfigMapNodeConfigSource': {
    about: 'A ConfigMap as configuration of a kubelet; no longer supported.',
    fields: {
      namespace: 'Namespace of the ConfigMap.',
      name: 'Name of the ConfigMap.',
      uid: 'UID of the ConfigMap; in status only.',
      resourceVersion: 'Version of the ConfigMap; in status only.',
      kubeletConfigKey: 'Key of the ConfigMap that holds the configuration.',
    },
  },
  'core.v1.ContainerImage': {
    about: 'An image on a node.',
    fields: { names: 'Names of the image, by tag and by digest.', sizeBytes: 'Size in bytes.' },
  },
  'core.v1.DaemonEndpoint': {
    about: 'A port of a daemon on a node.',
    fields: { Port: 'Number of the port.' },
  },
  'core.v1.EndpointAddress': {
    about: 'An address of an endpoint.',
    fields: {
      ip: 'Address, IPv4 or IPv6; loopback and link-local ones are refused.',
      hostname: 'Host name of the endpoint.',
      nodeName: 'Node that the endpoint is on.',
      targetRef: 'Object behind the address, most often a pod.',
    },
  },
  'core.v1.EndpointPort': {
    about: 'A port of endpoints.',
    fields: {
      name: 'Name of the port, that of the port of the Service; optional where there is one port alone.',
      port: 'Number of the port.',
      protocol: 'Protocol of the port: TCP (default), UDP or SCTP.',
      appProtocol: 'Application protocol, such as kubernetes.io/h2c or a name of the IANA.',
    },
  },
  'core.v1.EndpointSubset': {
    about: 'Addresses that all have the same ports.',
    fields: {
      addresses: 'Addresses that are ready.',
      notReadyAddresses: 'Addresses that are not ready.',
      ports: 'Ports of all these addresses.',
    },
  },
  'core.v1.Endpoints': {
    about: 'The endpoints of a Service; deprecated, EndpointSlices replace them.',
    fields: { subsets: 'Groups of addresses with their ports.' },
  },
  'core.v1.Event': {
    about: 'A report of something that happened to an object; it is informative, and expires.',
    fields: {
      involvedObject: 'Object that the event is about.',
      reason: 'Why it happened, in one CamelCase word.',
      message: 'What happened, for people.',
      source: 'Component that reported it.',
      firstTimestamp: 'When it was first reported.',
      lastTimestamp: 'When it was last reported.',
      count: 'How many times it has happened.',
      type: 'Normal or Warning; others may come.',
      eventTime: 'When it was first observed, to the microsecond.',
      series: 'How it went on, if it repeats.',
      action: 'What was done about the object, or failed.',
      related: 'A second object, if the action concerns one.',
      reportingComponent: 'Controller that reported it, such as kubernetes.io/kubelet.',
      reportingInstance: 'Instance of that controller, such as its pod.',
    },
  },
  'core.v1.EventSeries': {
    about: 'How an event has repeated.',
    fields: {
      count: 'How many times it has happened up to the last heartbeat.',
      lastObservedTime: 'When it last happened.',
    },
  },
  'core.v1.EventSource': {
    about: 'Where an event comes from.',
    fields: { component: 'Component that reported it.', host: 'Node of that component.' },
  },
  'core.v1.LimitRange': {
    about: 'Bounds and defaults for the resources of single objects in a namespace.',
    fields: { spec: 'The bounds.' },
  },
  'core.v1.LimitRangeItem': {
    about: 'Bounds for one type of object.',
    fields: {
      type: 'Pod, Container or PersistentVolumeClaim.',
      max: 'Most that each resource may be.',
      min: 'Least that each resource must be.',
      default: 'Limits for containers that set none; max by default.',
      defaultRequest: 'Requests for containers that set none; default, or min where there is none.',
      maxLimitRequestRatio: 'Most that a limit may be as a multiple of its request.',
    },
  },
  'core.v1.LimitRangeSpec': {
    about: 'Bounds by types of objects.',
    fields: { limits: 'The bounds, all of which are enforced.' },
  },
  'core.v1.LoadBalancerIngress': {
    about: 'An entry point of a load balancer.',
    fields: {
      ip: 'Address, for load balancers that are found by address.',
      hostname: 'DNS name, for load balancers that are found by name.',
      ipMode: 'VIP (default with ip) delivers packets for this address, Proxy for the node or the pod.',
      ports: 'State of the ports of the load balancer.',
    },
  },
  'core.v1.LoadBalancerStatus': {
    about: 'State of a load balancer.',
    fields: { ingress: 'Its entry points.' },
  },
  'core.v1.LocalObjectReference': {
    about: 'An object of a known kind in the same namespace.',
    fields: { name: 'Name of the object.' },
  },
  'core.v1.Namespace': {
    about: 'A scope for names, rights and quotas.',
    fields: { spec: 'Finalizers of the namespace.', status: 'State of the namespace.' },
  },
  'core.v1.NamespaceCondition': {
    about: 'A condition of a namespace, mostly about what its deletion waits for.',
    fields: { ...conditionFields },
  },
  'core.v1.NamespaceSpec': {
    about: 'What a namespace is to be.',
    fields: {
      finalizers:
        'Finalizers that must be gone before the namespace is removed; kubernetes is put in at creation.',
    },
  },
  'core.v1.NamespaceStatus': {
    about: 'State of a namespace.',
    fields: {
      phase: 'Active, or Terminating while it is deleted together with all that is in it.',
      conditions: 'Conditions, mostly about the deletion.',
    },
  },
  'core.v1.Node': {
    about: 'A machine that runs pods.',
    fields: { spec: 'How the node is to be used.', status: 'State of the node, as the kubelet reports it.' },
  },
  'core.v1.NodeAddress': {
    about: 'An address of a node.',
    fields: {
      type: 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.',
      address: 'The address.',
    },
  },
  'core.v1.NodeCondition': {
    about: 'A condition of a node, such as Ready or MemoryPressure.',
    fields: { ...conditionFields, lastHeartbeatTime: 'When the condition was last reported.' },
  },
  'core.v1.NodeConfigSource': {
    about: 'Where a kubelet takes its configuration from; no longer supported.',
    fields: { configMap: 'ConfigMap with the configuration.' },
  },
  'core.v1.NodeConfigStatus': {
    about: 'Configuration of a kubelet by ConfigMap; no longer supported.',
    fields: {
      assigned: 'Configuration that the kubelet is to use.',
      active: 'Configuration that the kubelet uses.',
      lastKnownGood: 'Configuration that the kubelet falls back to.',
      error: 'Why the assigned configuration is not used.',
    },
  },
  'core.v1.NodeDaemonEndpoints': {
    about: 'Ports of the daemons on a node.',
    fields: { kubeletEndpoint: 'Port of the kubelet.' },
  },
  'core.v1.NodeFeatures': {
    about: 'Features of the container runtime of a node, for all its handlers.',
    fields: { supplementalGroupsPolicy: 'Whether the runtime knows supplementalGroupsPolicy of pods.' },
  },
  'core.v1.NodeRuntimeHandler': {
    about: 'A handler of the container runtime.',
    fields: { name: 'Name of the handler; empty for the default one.', features: 'Features of the handler.' },
  },
  'core.v1.NodeRuntimeHandlerFeatures': {
    about: 'Features of a runtime handler.',
    fields: {
      recursiveReadOnlyMounts: 'Whether mounts can be read-only recursively.',
      userNamespaces: 'Whether pods can have user namespaces of their own.',
    },
  },
  'core.v1.NodeSpec': {
    about: 'How a node is to be used.',
    fields: {
      podCIDR: 'Range of the addresses of its pods.',
      podCIDRs: 'Ranges of the addresses of its pods, one for each IP family at most; the first is podCIDR.',
      providerID: 'ID of the machine at the cloud provider, as provider://id.',
      unschedulable: 'Whether new pods are kept away, as by kubectl cordon; false by default.',
      taints: 'Taints that repel pods without a toleration.',
      configSource: "Source of the kubelet's configuration; no longer supported.",
      externalID: 'Unused.',
    },
  },
  'core.v1.NodeStatus': {
    about: 'State of a node.',
    fields: {
      capacity: 'All resources of the node.',
      allocatable: 'Resources that pods can have; capacity by default.',
      phase: 'Unused.',
      conditions: 'Conditions, such as Ready, MemoryPressure, DiskPressure and PIDPressure.',
      addresses: 'Addresses of the node.',
      daemonEndpoints: 'Ports of the daemons on the node.',
      nodeInfo: 'Versions of the system and of the software.',
      images: 'Images on the node.',
      volumesInUse: 'Attachable volumes that are mounted, or may be.',
      volumesAttached: 'Volumes that the attach-detach controller has attached.',
      config: 'Configuration by ConfigMap; no longer supported.',
      runtimeHandlers: 'Handlers of the container runtime.',
      features: 'Features of the container runtime.',
      declaredFeatures: 'Features by feature gate that the kubelet declares, for scheduling.',
    },
  },
  'core.v1.NodeSwapStatus': {
    about: 'Swap of a node.',
    fields: { capacity: 'Size of the swap in bytes.' },
  },
  'core.v1.NodeSystemInfo': {
    about: 'Identity of a machine and versions of its software.',
    fields: {
      machineID: 'Contents of /etc/machine-id.',
      systemUUID: 'UUID that the hardware reports.',
      bootID: 'ID that changes with each boot.',
      kernelVersion: 'Version of the kernel.',
      osImage: 'Name of the operating system, such as that in /etc/os-release.',
      containerRuntimeVersion: 'Runtime and its version, such as containerd://2.1.0.',
      kubeletVersion: 'Version of the kubelet.',
      kubeProxyVersion: 'Deprecated, and no version that can be relied on.',
      operatingSystem: 'Operating system, such as linux.',
      architecture: 'Architecture of the processor, such as amd64.',
      swap: 'Swap of the node.',
    },
  },
  'core.v1.ObjectReference': {
    about: 'An object of any kind.',
    fields: {
      kind: 'Kind of the object.',
      namespace: 'Namespace of the object.',
      name: 'Name of the object.',
      uid: 'UID of the object.',
      apiVersion: 'Group and version of the object.',
      resourceVersion: 'Version of the object that is meant, if one.',
      fieldPath: 'Part of the object that is meant, such as spec.containers{app}.',
    },
  },
  'core.v1.PortStatus': {
    about: 'State of a port of a load balancer.',
    fields: {
      port: 'Number of the port.',
      protocol: 'Protocol of the port: TCP, UDP or SCTP.',
      error:
        'Why the port does not work, in CamelCase; those of providers have a prefix, as in example.com/Reason.',
    },
  },
  'core.v1.ReplicationController': {
    about: 'Keeps a number of equal pods running; Deployments replace it.',
    fields: { spec: 'Pods that are wanted.', status: 'Pods that there are.' },
  },
  'core.v1.ReplicationControllerCondition': {
    about: 'A condition of a ReplicationController, such as ReplicaFailure.',
    fields: { ...conditionFields },
  },
  'core.v1.ReplicationControllerSpec': {
    about: 'Pods that are wanted.',
    fields: {
      replicas: 'How many pods to keep; 1 by default.',
      minReadySeconds: 'Seconds that a new pod must stay ready before it counts as available; 0 by default.',
      selector: 'Labels of the pods that are counted; by default those of the template.',
      template: 'Template of new pods.',
    },
  },
  'core.v1.ReplicationControllerStatus': {
    about: 'Pods that there are.',
    fields: {
      replicas: 'Pods that exist.',
      fullyLabeledReplicas: 'Pods that have all labels of the template.',
      readyReplicas: 'Pods that are ready.',
      availableReplicas: 'Pods that have been ready for minReadySeconds.',
      observedGeneration: 'Generation that the controller last acted on.',
      conditions: 'Conditions of the controller.',
    },
  },
  'core.v1.ResourceQuota': {
    about: 'Bounds for the sum of resources in a namespace.',
    fields: { spec: 'The bounds.', status: 'The bounds that are enforced, and what is used.' },
  },
  'core.v1.ResourceQuotaSpec': {
    about: 'Bounds for the sum of resources.',
    fields: {
      hard: 'Most there may be, by resource, such as requests.cpu, pods or count/jobs.batch.',
      scopes: 'Objects that are counted, such as NotTerminating; all scopes must match.',
      scopeSelector: 'Objects that are counted, by scopes with values; it applies besides scopes.',
    },
  },
  'core.v1.ResourceQuotaStatus': {
    about: 'Bounds that are enforced, and what is used.',
    fields: { hard: 'Bounds that are enforced.', used: 'What is used, by resource.' },
  },
  'core.v1.ScopeSelector': {
    about: 'Objects that a quota counts, by scopes.',
    fields: { matchExpressions: 'Conditions, all of which must hold.' },
  },
  'core.v1.ScopedResourceSelectorRequirement': {
    about: 'A condition by a scope and values.',
    fields: {
      scopeName: 'Scope that is meant.',
      operator: 'In, NotIn, Exists or DoesNotExist.',
      values: 'Values for In and NotIn; none for Exists and DoesNotExist.',
    },
  },
  'core.v1.Secret': {
    about: 'Confidential data, such as passwords, for pods to use.',
    fields: {
      immutable: 'Whether data can no longer be changed, nor this field be unset; false by default.',
      data: 'Values by key, in base64; 1 MiB at most in all.',
      stringData: 'Values in clear text that a write puts into data; never read back.',
      type: 'Tells programs what is in it; Opaque by default, and some types require certain keys.',
    },
  },
  'core.v1.SecretReference': {
    about: 'A Secret in any namespace.',
    fields: { name: 'Name of the Secret.', namespace: 'Namespace of the Secret.' },
  },
  'core.v1.Service': {
    about: 'A stable name and address for a set of pods.',
    fields: {
      spec: 'Pods and ports, and how they are reached.',
      status: 'State of the load balancer, if there is one.',
    },
  },
  'core.v1.ServiceAccount': {
    about: 'An identity for programs that run in pods.',
    fields: {
      secrets: 'Older list of Secrets that pods of the account may use.',
      imagePullSecrets: 'Secrets for image registries that its pods are given.',
      automountServiceAccountToken:
        'Whether its pods get a token mounted; true when unset, and pods can say otherwise.',
    },
  },
  'core.v1.ServicePort': {
    about: 'A port of a Service.',
    fields: {
      name: 'Name of the port, a DNS label; required where there are several.',
      protocol: 'Protocol of the port: TCP (default), UDP or SCTP.',
      appProtocol: 'Application protocol, such as kubernetes.io/h2c or a name of the IANA.',
      port: 'Port of the Service, 1 to 65535.',
      targetPort: 'Number or name of the port of the pods; by default the same as port.',
      nodePort: 'Port of each node, with type NodePort or LoadBalancer; by default one is allocated.',
    },
  },
  'core.v1.ServiceSpec': {
    about: 'Pods and ports of a Service, and how they are reached.',
    fields: {
      ports: 'Ports of the Service.',
      selector: 'Labels of the pods that traffic goes to; without it endpoints are kept by others.',
      clusterIP: 'Address of the Service; allocated when unset, and None for a headless Service.',
      clusterIPs: 'Addresses of the Service, one for each IP family at most; the first is clusterIP.',
      type: 'How it is reached: ClusterIP (default), NodePort, LoadBalancer or ExternalName.',
      externalIPs:
        'Addresses, routed to nodes by others than Kubernetes, at which nodes accept traffic for the Service.',
      sessionAffinity: 'None (default), or ClientIP to send each client to the same pod.',
      loadBalancerIP: 'Address that is wished for; deprecated, as providers treat it differently.',
      loadBalancerSourceRanges: 'Ranges of clients that the load balancer lets in, if the provider can.',
      externalName: 'DNS name that the Service is an alias of, with type ExternalName.',
      externalTrafficPolicy:
        "Cluster (default) spreads outside traffic over all pods; Local keeps it on the node and keeps the client's address.",
      healthCheckNodePort:
        'Port of nodes for health checks, with type LoadBalancer and policy Local; by default one is allocated.',
      publishNotReadyAddresses: 'Whether pods that are not ready count as ready endpoints; false by default.',
      sessionAffinityConfig: 'Settings of the session affinity.',
      ipFamilies: 'IP families of the Service, IPv4 or IPv6, at most both; assigned when unset.',
      ipFamilyPolicy: 'SingleStack (default), PreferDualStack or RequireDualStack.',
      allocateLoadBalancerNodePorts:
        'Whether ports of nodes are allocated with type LoadBalancer; true by default.',
      loadBalancerClass:
        'Implementation of load balancers to use, such as example.com/internal; by default that of the provider.',
      internalTrafficPolicy:
        'Cluster (default) spreads traffic from inside over all pods; Local keeps it on the node.',
      trafficDistribution:
        'Preference among endpoints: PreferSameZone (also PreferClose) or PreferSameNode; by default none.',
    },
  },
  'core.v1.ServiceStatus': {
    about: 'State of a Service.',
    fields: { loadBalancer: 'State of the load balancer.', conditions: 'Conditions of the Service.' },
  },
  'core.v1.SessionAffinityConfig': {
    about: 'Settings of session affinity.',
    fields: { clientIP: 'Settings of the affinity by address of the client.' },
  },
  'core.v1.Taint': {
    about: 'Keeps pods from a node unless they tolerate it.',
    fields: {
      key: 'Key of the taint.',
      value: 'Value of the taint.',
      effect:
        'NoSchedule keeps new pods away, PreferNoSchedule if possible; NoExecute evicts those that run, too.',
      timeAdded: 'When the taint was added.',
    },
  },
  'core.v1.TopologySelectorLabelRequirement': {
    about: 'Values that a label of the topology may have.',
    fields: { key: 'Label that is meant.', values: 'Values, one of which the label must have.' },
  },
  'core.v1.TopologySelectorTerm': {
    about: 'Where volumes may be provisioned, by labels.',
    fields: { matchLabelExpressions: 'Conditions, all of which must hold.' },
  },
};
