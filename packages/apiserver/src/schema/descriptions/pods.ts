import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

const containerFields = {
  name: 'Name of the container, a DNS label that no other container of the pod has; it cannot be changed.',
  image:
    'Image to run, such as registry.example.com/app:1.2; templates that have it filled in later may leave it out.',
  command:
    'Replaces the ENTRYPOINT of the image; not run in a shell. $(NAME) stands for an environment variable.',
  args: 'Arguments of the command, in place of the CMD of the image. $(NAME) stands for an environment variable.',
  workingDir: 'Directory in which the process starts; by default the one that the image names.',
  ports:
    'Ports that the container is known to listen on; a port that is missing here can be reached all the same.',
  envFrom:
    'ConfigMaps and Secrets whose keys all become environment variables; where keys repeat, the last source counts.',
  env: 'Environment variables of the container; they win over those of envFrom.',
  resources: 'Compute resources that the container asks for and may use at most.',
  resizePolicy: 'Whether the container restarts when one of its resources is resized in place.',
  restartPolicy:
    "Overrides the pod's restartPolicy for this container; Always on an init container makes it a sidecar.",
  restartPolicyRules:
    'Rules by exit code, tried in order before restartPolicy, which must be set on the container.',
  volumeMounts: 'Volumes of the pod that appear in the file system of the container.',
  volumeDevices: 'Claims of mode Block that the container gets as raw devices.',
  livenessProbe: 'When it fails, the kubelet kills the container and restartPolicy applies.',
  readinessProbe: 'While it fails, the pod is not Ready and gets no traffic from Services.',
  startupProbe: 'Until it has succeeded once, the other probes wait; when it fails, the container is killed.',
  lifecycle: 'Handlers that the kubelet calls after the container starts and before it stops.',
  terminationMessagePath:
    'File in the container whose text becomes the message of its termination; /dev/termination-log by default.',
  terminationMessagePolicy:
    'File (default) reads the termination message from its file alone; FallbackToLogsOnError takes the end of the log if that is empty and the exit was an error.',
  imagePullPolicy:
    'When to pull the image; Always for the tag latest or no tag, IfNotPresent for all others by default.',
  securityContext:
    "Privileges and identity of the container; what is set here wins over the pod's securityContext.",
  stdin:
    'Keeps a standard input open for the container; false by default, so that reads meet the end of the file.',
  stdinOnce:
    'Closes standard input for good when the first client that attached to it leaves; false by default.',
  tty: 'Gives the container a terminal, for which stdin must be true; false by default.',
};

export const podDescriptions: Descriptions = {
  'core.v1.Affinity': {
    about: 'Rules by which the scheduler prefers or demands nodes for a pod.',
    fields: {
      nodeAffinity: 'Rules about the labels and fields of nodes.',
      podAffinity: 'Rules that draw the pod towards other pods.',
      podAntiAffinity: 'Rules that keep the pod apart from other pods.',
    },
  },
  'core.v1.AppArmorProfile': {
    about: 'The AppArmor profile that confines a pod or a container.',
    fields: {
      type: 'Where the profile comes from: Localhost, RuntimeDefault, or Unconfined for none.',
      localhostProfile:
        'Name of a profile that is loaded on the node; required with type Localhost and refused with others.',
    },
  },
  'core.v1.Capabilities': {
    about: 'Linux capabilities to add to and take from what the runtime grants.',
    fields: {
      add: 'Capabilities to grant besides, such as NET_ADMIN.',
      drop: 'Capabilities to take away; ALL takes every one.',
    },
  },
  'core.v1.ConfigMapEnvSource': {
    about: 'A ConfigMap whose keys all become environment variables.',
    fields: {
      name: 'Name of the ConfigMap in the namespace of the pod.',
      optional: 'Whether the container starts without the ConfigMap too.',
    },
  },
  'core.v1.ConfigMapKeySelector': {
    about: 'One key of a ConfigMap.',
    fields: {
      name: 'Name of the ConfigMap in the namespace of the pod.',
      key: 'Key whose value is taken.',
      optional: 'Whether the ConfigMap or the key may be missing.',
    },
  },
  'core.v1.Container': {
    about: 'One process, from one image, that runs in a pod.',
    fields: { ...containerFields },
  },
  'core.v1.ContainerExtendedResourceRequest': {
    about: 'Which device request stands for an extended resource of a container.',
    fields: {
      containerName: 'Container that asks for the extended resource.',
      resourceName: 'Extended resource that is asked for.',
      requestName: 'Request, in the generated ResourceClaim, that provides it.',
    },
  },
  'core.v1.ContainerPort': {
    about: 'A port that a container listens on.',
    fields: {
      name: 'Name by which Services and probes can refer to the port; unique in the pod.',
      hostPort:
        'Port of the node that leads to the container, 1 to 65535; few pods need it. With hostNetwork it equals containerPort.',
      containerPort: 'Port on the address of the pod, 1 to 65535.',
      protocol: 'Protocol of the port: TCP (default), UDP or SCTP.',
      hostIP: 'Address of the node to bind hostPort to; all addresses by default.',
    },
  },
  'core.v1.ContainerResizePolicy': {
    about: 'What a container does when one resource is resized.',
    fields: {
      resourceName: 'Resource that the policy is about: cpu or memory.',
      restartPolicy: 'NotRequired resizes the running container; RestartContainer restarts it.',
    },
  },
  'core.v1.ContainerRestartRule': {
    about: 'What to do when a container exits in a certain way.',
    fields: {
      action:
        'Restart restarts the container; RestartAllContainers, where its feature gate is on, all containers of the pod.',
      exitCodes: 'Exit codes that the rule is for.',
    },
  },
  'core.v1.ContainerRestartRuleOnExitCodes': {
    about: 'Exit codes by which a restart rule applies.',
    fields: {
      operator: 'In applies to the codes that are listed, NotIn to all others.',
      values: 'Exit codes, 255 of them at most.',
    },
  },
  'core.v1.ContainerState': {
    about: 'What a container is doing; exactly one field is set, and waiting is meant when none is.',
    fields: {
      waiting: 'Set while the container has yet to start.',
      running: 'Set while the container runs.',
      terminated: 'Set after the container has ended.',
    },
  },
  'core.v1.ContainerStateRunning': {
    about: 'A container that runs.',
    fields: { startedAt: 'When the container started, or was last restarted.' },
  },
  'core.v1.ContainerStateTerminated': {
    about: 'A container that has ended.',
    fields: {
      exitCode: 'Exit status of its process.',
      signal: 'Signal that ended the process, if one did.',
      reason: 'Why it ended, in one word, such as Completed, Error or OOMKilled.',
      message: 'Termination message of the container, or details on why it ended.',
      startedAt: 'When this run of the container began.',
      finishedAt: 'When this run of the container ended.',
      containerID: 'ID of the container, in the form type://id.',
    },
  },
  'core.v1.ContainerStateWaiting': {
    about: 'A container that has yet to start.',
    fields: {
      reason: 'Why it waits, in one word, such as ImagePullBackOff.',
      message: 'Why it waits, in detail.',
    },
  },
  'core.v1.ContainerStatus': {
    about: 'What the kubelet reports about a container.',
    fields: {
      name: 'Name of the container in the spec of the pod.',
      state: 'What the container is doing now.',
      lastState: 'How the run before the present one ended.',
      ready: 'Whether the readiness probe passes; true for a running container that has none.',
      restartCount:
        'How often the container has been restarted; clean-up of old containers can lower the count.',
      image: 'Image that runs; the runtime may resolve the image of the spec to another name.',
      imageID: 'ID of the image that runs.',
      containerID: 'ID of the container, in the form type://id.',
      started:
        'Whether the container runs, is past its postStart hook and its startup probe; null while unknown.',
      allocatedResources: 'Requests that the node has set aside for the container.',
      resources: 'Requests and limits that are in force for the running container.',
      volumeMounts: 'How each mount of the container came out.',
      user: 'Identity that the first process of the container started with.',
      allocatedResourcesStatus: 'Health of the devices that the container was given.',
      stopSignal: 'Signal by which the runtime stops the container.',
    },
  },
  'core.v1.ContainerUser': {
    about: 'Identity of the first process of a container.',
    fields: { linux: 'User and groups on Linux; Windows has none to report.' },
  },
  'core.v1.DownwardAPIProjection': {
    about: 'Fields of the pod as files in a projected volume.',
    fields: { items: 'Files to write.' },
  },
  'core.v1.DownwardAPIVolumeFile': {
    about: 'A file that holds a field of the pod.',
    fields: {
      path: 'Path of the file below the volume: relative, in UTF-8, without "..".',
      fieldRef: 'Field of the pod to write: a label, an annotation, name, namespace or uid.',
      resourceFieldRef: 'Limit or request of a container to write.',
      mode: 'Permission bits of the file, 0 to 0777 in octal; defaultMode of the volume applies when unset.',
    },
  },
  'core.v1.EnvFromSource': {
    about: 'A ConfigMap or a Secret whose keys become environment variables.',
    fields: {
      prefix: 'Text that goes before each key to make the name of the variable.',
      configMapRef: 'ConfigMap to take the keys from.',
      secretRef: 'Secret to take the keys from.',
    },
  },
  'core.v1.EnvVar': {
    about: 'An environment variable of a container.',
    fields: {
      name: 'Name of the variable; any printable ASCII text without "=".',
      value:
        'Value, in which $(NAME) stands for a variable set before and $$ for a dollar sign; empty by default.',
      valueFrom: 'Source of the value; refused together with a value that is not empty.',
    },
  },
  'core.v1.EnvVarSource': {
    about: 'Where the value of an environment variable comes from.',
    fields: {
      fieldRef: 'A field of the pod, such as metadata.name, spec.nodeName or status.podIP.',
      resourceFieldRef: 'A limit or a request of a container.',
      configMapKeyRef: 'A key of a ConfigMap in the namespace of the pod.',
      secretKeyRef: 'A key of a Secret in the namespace of the pod.',
      fileKeyRef: 'A key of a file of variables that another container wrote to a volume.',
    },
  },
  'core.v1.EphemeralContainer': {
    about:
      'A container that is added to a running pod to debug it; it has no guaranteed resources and is never restarted.',
    fields: {
      ...containerFields,
      lifecycle: 'Refused on ephemeral containers.',
      livenessProbe: 'Refused on ephemeral containers.',
      ports: 'Refused on ephemeral containers.',
      readinessProbe: 'Refused on ephemeral containers.',
      resources: 'Refused on ephemeral containers, which use what the pod has to spare.',
      startupProbe: 'Refused on ephemeral containers.',
      restartPolicy: 'Refused on ephemeral containers, which run once.',
      restartPolicyRules: 'Refused on ephemeral containers, which run once.',
      resizePolicy: 'Refused on ephemeral containers.',
      targetContainerName:
        'Container of the pod whose namespaces, such as that of processes, this one joins, if the runtime can.',
    },
  },
  'core.v1.ExecAction': {
    about: 'A command that is run inside the container.',
    fields: {
      command: 'Program and arguments, run from the root directory without a shell; status 0 is success.',
    },
  },
  'core.v1.FileKeySelector': {
    about: 'One key of a file of environment variables.',
    fields: {
      volumeName: 'Volume of the pod, an emptyDir, that holds the file.',
      path: 'Relative path of the file in the volume, without "..".',
      key: 'Name of the variable in the file.',
      optional: 'Whether the file or the key may be missing; false by default.',
    },
  },
  'core.v1.GRPCAction': {
    about: 'A call of the gRPC health service.',
    fields: {
      port: 'Port of the gRPC service, 1 to 65535.',
      service: 'Service whose health is asked for; by default the health of the server as a whole.',
    },
  },
  'core.v1.HTTPGetAction': {
    about: 'An HTTP GET request; a status from 200 to 399 is success.',
    fields: {
      path: 'Path of the request; / by default.',
      port: 'Number or name of the port of the container.',
      host: 'Host to connect to; the address of the pod by default.',
      scheme: 'Scheme of the request: HTTP (default) or HTTPS, whose certificate is not verified.',
      httpHeaders: 'Headers to send; names may repeat.',
    },
  },
  'core.v1.HTTPHeader': {
    about: 'A header of an HTTP probe.',
    fields: { name: 'Name of the header.', value: 'Value of the header.' },
  },
  'core.v1.HostAlias': {
    about: 'A line of the hosts file of the pod.',
    fields: { ip: 'Address that the names resolve to.', hostnames: 'Names of the address.' },
  },
  'core.v1.HostIP': {
    about: 'An address of the node of a pod.',
    fields: { ip: 'Address of the node.' },
  },
  'core.v1.Lifecycle': {
    about: 'Handlers of events in the life of a container.',
    fields: {
      postStart:
        'Called right after the container is created; if it fails, the container is killed and restartPolicy applies.',
      preStop:
        'Called before the container is stopped by the API or by a probe, within the grace period, but not after a crash or an exit.',
      stopSignal:
        'Signal that stops the container; by default that of the image or of the runtime. Needs os.name in the pod.',
    },
  },
  'core.v1.LifecycleHandler': {
    about: 'What the kubelet does in a hook; exactly one field is set.',
    fields: {
      exec: 'Runs a command in the container.',
      httpGet: 'Sends an HTTP request.',
      tcpSocket: 'Kept from older versions; as a hook it always fails when it is called.',
      sleep: 'Waits.',
    },
  },
  'core.v1.LinuxContainerUser': {
    about: 'User and groups of the first process of a container on Linux.',
    fields: { uid: 'User ID.', gid: 'Primary group ID.', supplementalGroups: 'Further group IDs.' },
  },
  'core.v1.NodeAffinity': {
    about: 'Rules about the node that a pod is scheduled to.',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution:
        'Terms of which the node must match at least one when the pod is scheduled; later changes of the node evict nobody.',
      preferredDuringSchedulingIgnoredDuringExecution:
        'Terms that add their weights to the score of the nodes that match them.',
    },
  },
  'core.v1.NodeAllocatableResourceClaimStatus': {
    about: 'Resources of the node that a claim of the pod accounts for.',
    fields: {
      resourceClaimName: 'ResourceClaim that the resources belong to.',
      containers: 'Containers of the pod that use the claim.',
      resources: 'Amounts by the names of the resources, such as cpu.',
    },
  },
  'core.v1.NodeSelector': {
    about: 'Terms that select nodes; a node needs to match one of them.',
    fields: { nodeSelectorTerms: 'Terms, any of which is enough.' },
  },
  'core.v1.NodeSelectorRequirement': {
    about: 'A condition on a label or a field of a node.',
    fields: {
      key: 'Label or field that is compared.',
      operator: 'In, NotIn, Exists, DoesNotExist, Gt or Lt.',
      values: 'Values for In and NotIn; none for Exists and DoesNotExist; one integer for Gt and Lt.',
    },
  },
  'core.v1.NodeSelectorTerm': {
    about: 'Conditions that all hold for a node that matches; an empty term matches none.',
    fields: {
      matchExpressions: 'Conditions on labels of the node.',
      matchFields: 'Conditions on fields of the node; metadata.name is the one there is.',
    },
  },
  'core.v1.ObjectFieldSelector': {
    about: 'A field of the pod that is passed on to a container.',
    fields: {
      apiVersion: 'Version of the schema in which fieldPath is written; v1 by default.',
      fieldPath: "Path of the field, such as metadata.labels['app'].",
    },
  },
  'core.v1.Pod': {
    about:
      'A group of containers that are scheduled to one node together and share its network address and volumes.',
    fields: {
      spec: 'What is to run, and how.',
      status: 'What runs, as last reported by the kubelet and by controllers.',
    },
  },
  'core.v1.PodAffinity': {
    about: 'Rules that draw a pod to where other pods run.',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution:
        'Terms that all must hold when the pod is scheduled; later changes of labels evict nobody.',
      preferredDuringSchedulingIgnoredDuringExecution:
        'Terms that add their weights to the score of nodes where they hold.',
    },
  },
  'core.v1.PodAffinityTerm': {
    about: 'Pods, and the topology in which to be together with them or apart from them.',
    fields: {
      labelSelector: 'Pods that are meant, by their labels; null selects none.',
      namespaces: 'Namespaces in which these pods are, besides those of namespaceSelector.',
      topologyKey:
        'Label of nodes whose equal values make one place, such as kubernetes.io/hostname; never empty.',
      namespaceSelector:
        "Selects further namespaces; {} selects all, and null with no namespaces the pod's own.",
      matchLabelKeys:
        'Label keys whose values in the new pod must be the same in the pods that are selected.',
      mismatchLabelKeys:
        'Label keys whose values in the new pod must be others in the pods that are selected.',
    },
  },
  'core.v1.PodAntiAffinity': {
    about: 'Rules that keep a pod away from where other pods run.',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution:
        'Terms that exclude places where they match when the pod is scheduled; later changes of labels evict nobody.',
      preferredDuringSchedulingIgnoredDuringExecution:
        'Terms that lower, by their weights, the score of nodes where they match.',
    },
  },
  'core.v1.PodCondition': {
    about: 'A condition of a pod, such as Ready or PodScheduled.',
    fields: {
      ...conditionFields,
      observedGeneration: 'Generation of the pod that the condition was set for.',
      lastProbeTime: 'Time of the last check.',
    },
  },
  'core.v1.PodDNSConfig': {
    about: 'Resolver settings of a pod, merged with those that dnsPolicy yields.',
    fields: {
      nameservers: 'Addresses of DNS servers, added to the others without duplicates.',
      searches: 'Search domains, added to the others without duplicates.',
      options: 'Resolver options; they win over others of the same name.',
    },
  },
  'core.v1.PodDNSConfigOption': {
    about: 'A resolver option of a pod.',
    fields: { name: 'Name of the option, such as ndots.', value: 'Value of the option; some have none.' },
  },
  'core.v1.PodExtendedResourceClaimStatus': {
    about: 'The ResourceClaim that was generated for extended resources of a pod.',
    fields: {
      requestMappings: 'Which request of the claim serves which resource of which container.',
      resourceClaimName: "Name of the claim, in the pod's namespace.",
    },
  },
  'core.v1.PodIP': {
    about: 'An address of a pod.',
    fields: { ip: 'Address, IPv4 or IPv6.' },
  },
  'core.v1.PodOS': {
    about: 'The operating system that the containers of a pod are made for.',
    fields: { name: 'Either linux or windows; fields that are for the other system are refused.' },
  },
  'core.v1.PodReadinessGate': {
    about: 'A condition that counts towards the readiness of a pod.',
    fields: { conditionType: 'Type of the condition in status.conditions.' },
  },
  'core.v1.PodResourceClaim': {
    about: 'A ResourceClaim of a pod, by name or by template; exactly one of both is set.',
    fields: {
      name: 'Name by which containers refer to the claim, unique in the pod.',
      resourceClaimName: "An existing ResourceClaim in the pod's namespace.",
      resourceClaimTemplateName: 'A ResourceClaimTemplate; a claim made from it lives and dies with the pod.',
    },
  },
  'core.v1.PodResourceClaimStatus': {
    about: 'Which ResourceClaim was made for an entry of resourceClaims.',
    fields: {
      name: 'Name of the entry in the spec.',
      resourceClaimName: 'Name of the generated claim; unset when none was needed.',
    },
  },
  'core.v1.PodSchedulingGate': {
    about: 'A gate that keeps a pod from being scheduled.',
    fields: { name: 'Name of the gate.' },
  },
  'core.v1.PodSchedulingGroup': {
    about: 'The group with which a pod is scheduled.',
    fields: { podGroupName: "Name of a PodGroup in the pod's namespace." },
  },
  'core.v1.PodSecurityContext': {
    about: 'Privileges and identity that the containers of a pod share.',
    fields: {
      seLinuxOptions: 'SELinux label of all containers; by default the runtime picks one for each.',
      windowsOptions: 'Settings for Windows; refused with os.name linux.',
      runAsUser: 'User ID of the first process of each container; by default that of the image.',
      runAsGroup: 'Primary group ID of the first process of each container; by default that of the runtime.',
      runAsNonRoot: 'Whether the kubelet refuses to start a container that would run as user 0.',
      supplementalGroups: 'Further group IDs for the first process of each container.',
      supplementalGroupsPolicy:
        'Merge (default) adds the groups that the image gives the user; Strict does not.',
      fsGroup: 'Group ID that owns the volumes that support it, and that each container belongs to besides.',
      sysctls: 'Kernel parameters, of a namespace of the pod, to set.',
      fsGroupChangePolicy:
        'Always (default) changes the ownership of a volume at each mount; OnRootMismatch only when its root does not match.',
      seccompProfile: 'System calls that the containers may use.',
      appArmorProfile: 'AppArmor profile of the containers.',
      seLinuxChangePolicy:
        'How volumes get the SELinux label: MountOption (default where possible) by mounting, Recursive file by file.',
    },
  },
  'core.v1.PodSpec': {
    about: 'What a pod is to run, where, and under which conditions.',
    fields: {
      volumes: 'Volumes that containers of the pod can mount.',
      initContainers:
        'Containers that run one after another, each to completion or as a sidecar, before the others start.',
      containers: 'Containers of the pod, at least one; none can be added or removed later.',
      ephemeralContainers:
        'Containers added to a running pod for debugging, by its ephemeralcontainers subresource only.',
      restartPolicy: 'Whether containers that exit are started again: Always (default), OnFailure or Never.',
      terminationGracePeriodSeconds:
        'Seconds between the signal to stop and the kill; 30 by default, 0 kills at once.',
      activeDeadlineSeconds:
        'Seconds from the start after which the pod is failed and its containers are killed.',
      dnsPolicy:
        'Where the pod resolves names: ClusterFirst (default), ClusterFirstWithHostNet, Default (as the node does) or None (dnsConfig alone).',
      nodeSelector: 'Labels, all of which the node must have.',
      serviceAccountName: 'ServiceAccount that the pod runs as; the one named default when unset.',
      serviceAccount: 'Older name of serviceAccountName, which is the one to use.',
      automountServiceAccountToken:
        'Whether a token of the ServiceAccount is mounted; by default as the ServiceAccount says.',
      nodeName:
        'Node that the pod is bound to. The scheduler fills it in; set by hand, it bypasses the scheduler.',
      hostNetwork:
        'Whether the pod uses the network of the node, so that its ports are ports of the node; false by default.',
      hostPID: 'Whether the pod sees the processes of the node; false by default.',
      hostIPC: 'Whether the pod shares the IPC namespace of the node; false by default.',
      shareProcessNamespace:
        "Whether the containers see each other's processes; refused with hostPID, false by default.",
      securityContext: 'Privileges and identity of all containers; {} by default.',
      imagePullSecrets: 'Secrets with the credentials of image registries.',
      hostname: 'Host name in the pod; by default the name of the pod.',
      subdomain: 'With it the full host name is hostname.subdomain.namespace.svc.domain of the cluster.',
      affinity: 'Rules on where the pod is scheduled.',
      schedulerName: 'Scheduler that places the pod; default-scheduler by default.',
      tolerations: 'Taints that do not keep the pod away.',
      hostAliases: 'Lines that are added to the hosts file of the containers.',
      priorityClassName: 'PriorityClass of the pod; by default the one that is marked as global default.',
      priority:
        'Priority that admission takes from the PriorityClass; 0 where there is none. Higher is more important.',
      dnsConfig: 'Resolver settings, besides those of dnsPolicy.',
      readinessGates: 'Conditions that must be True, besides ready containers, for the pod to be Ready.',
      runtimeClassName: 'RuntimeClass that runs the containers; by default the runtime of the node.',
      enableServiceLinks:
        'Whether variables for the Services of the namespace are put into the environment; true by default.',
      preemptionPolicy: 'PreemptLowerPriority (default) lets the pod preempt others; Never does not.',
      overhead:
        'Resources that running the pod costs on top of its containers; admission takes them from the RuntimeClass.',
      topologySpreadConstraints:
        'How pods of the group are spread over zones, nodes or the like; all of them apply.',
      setHostnameAsFQDN: 'Whether the host name is the full one, with the domain; false by default.',
      os: 'Operating system that the containers need.',
      hostUsers:
        'Whether the pod uses the user namespace of the node; true by default, false makes one of its own.',
      schedulingGates:
        'Gates that hold back scheduling until all are removed; they can be set at creation only.',
      resourceClaims: 'ResourceClaims of the pod; it starts once all of them are allocated to it.',
      resources: 'Requests and limits of the pod as a whole, for cpu, memory and hugepages.',
      hostnameOverride:
        'Host name in the pod that wins over hostname and subdomain and leaves DNS as it is; 64 characters at most.',
      schedulingGroup: 'Group of pods that are scheduled together.',
    },
  },
  'core.v1.PodStatus': {
    about: 'What is known about a pod, and may be behind what happens on the node.',
    fields: {
      observedGeneration: 'Generation of the pod that this status reports on.',
      phase: 'Stage of its life: Pending, Running, Succeeded, Failed or Unknown.',
      conditions: 'Conditions of the pod, such as PodScheduled, Initialized and Ready.',
      message: 'Details about the state of the pod, for people.',
      reason: 'Cause of the state of the pod, in one word, such as Evicted.',
      nominatedNodeName:
        'Node on which others were preempted for this pod, or that is expected to take it; it may yet go elsewhere.',
      hostIP: 'Address of the node that the pod is bound to.',
      hostIPs: 'Addresses of the node; the first is hostIP.',
      podIP: 'Address of the pod within the cluster; empty until there is one.',
      podIPs: 'Addresses of the pod, at most one for each IP family; the first is podIP.',
      startTime: 'When the kubelet took up the pod, before it pulled any image.',
      initContainerStatuses: 'Statuses of the init containers.',
      containerStatuses: 'Statuses of the containers.',
      qosClass:
        'Class by requests and limits, which decides who is evicted first: BestEffort, Burstable or Guaranteed.',
      ephemeralContainerStatuses: 'Statuses of the ephemeral containers.',
      resize:
        'Older report on a resize of resources; the conditions PodResizePending and PodResizeInProgress replace it.',
      resourceClaimStatuses: 'Claims that were made from the templates in resourceClaims.',
      extendedResourceClaimStatus: 'Claim that was made for extended resources.',
      allocatedResources: 'Requests that the node has set aside for the pod as a whole.',
      resources: 'Requests and limits in force for the pod as a whole.',
      nodeAllocatableResourceClaimStatuses: 'Resources of the node that claims of the pod account for.',
    },
  },
  'core.v1.PodTemplate': {
    about: 'A template of pods that is stored by itself.',
    fields: { template: 'The template; controllers of other kinds carry one of their own.' },
  },
  'core.v1.PodTemplateSpec': {
    about: 'Metadata and spec of the pods that a controller creates.',
    fields: { metadata: 'Labels, annotations and finalizers of the pods.', spec: 'Spec of the pods.' },
  },
  'core.v1.PreferredSchedulingTerm': {
    about: 'A preference among nodes, and its weight.',
    fields: {
      weight: 'Added to the score of a node that matches, 1 to 100.',
      preference: 'Term that nodes match.',
    },
  },
  'core.v1.Probe': {
    about: 'A check that the kubelet repeats; exactly one of exec, httpGet, tcpSocket and grpc is set.',
    fields: {
      exec: 'Runs a command in the container.',
      httpGet: 'Sends an HTTP request.',
      tcpSocket: 'Opens a TCP connection.',
      grpc: 'Asks the gRPC health service.',
      initialDelaySeconds: 'Seconds to wait after the start of the container; 0 by default.',
      timeoutSeconds: 'Seconds after which a check counts as failed; 1 by default.',
      periodSeconds: 'Seconds between two checks; 10 by default.',
      successThreshold:
        'Successes in a row that end a failure; 1 by default, and always for liveness and startup.',
      failureThreshold: 'Failures in a row that make the probe fail; 3 by default.',
      terminationGracePeriodSeconds:
        "Grace period when this probe fails, in place of the pod's; not for readiness probes.",
    },
  },
  'core.v1.ResourceClaim': {
    about: 'A ResourceClaim of the pod that a container uses.',
    fields: {
      name: "Name of the entry in the pod's resourceClaims.",
      request: 'Request of the claim that is made available; all of them by default.',
    },
  },
  'core.v1.ResourceFieldSelector': {
    about: 'A limit or a request of a container.',
    fields: {
      containerName: 'Container that is meant; required in volumes, optional in variables.',
      resource: 'Such as limits.cpu or requests.memory.',
      divisor: 'Unit of the output; the value is divided by it and rounded up. 1 by default.',
    },
  },
  'core.v1.ResourceHealth': {
    about: 'Health of a device.',
    fields: {
      resourceID: 'Device that is meant, unique within its resource.',
      health: 'Healthy, Unhealthy or Unknown.',
      message: 'Details about the health, for people.',
    },
  },
  'core.v1.ResourceRequirements': {
    about: 'Compute resources that are asked for, and their bounds.',
    fields: {
      limits: 'Most that may be used, by resource, such as cpu or memory.',
      requests: 'Amounts that scheduling sets aside; for a container of a pod, by default its limits.',
      claims: 'ResourceClaims of the pod that the container uses; they cannot be changed.',
    },
  },
  'core.v1.ResourceStatus': {
    about: 'Health of what a container was given of one resource.',
    fields: {
      name: 'Name of the resource, or claim:NAME/REQUEST for one of a ResourceClaim.',
      resources: 'Health by device.',
    },
  },
  'core.v1.SELinuxOptions': {
    about: 'The parts of an SELinux label.',
    fields: { user: 'User part.', role: 'Role part.', type: 'Type part.', level: 'Level part.' },
  },
  'core.v1.SeccompProfile': {
    about: 'A profile of the system calls that are allowed.',
    fields: {
      type: 'Where the profile comes from: Localhost, RuntimeDefault, or Unconfined for none.',
      localhostProfile:
        "File of the profile, relative to the kubelet's seccomp directory; required with type Localhost and refused with others.",
    },
  },
  'core.v1.SecretEnvSource': {
    about: 'A Secret whose keys all become environment variables.',
    fields: {
      name: 'Name of the Secret in the namespace of the pod.',
      optional: 'Whether the container starts without the Secret too.',
    },
  },
  'core.v1.SecretKeySelector': {
    about: 'One key of a Secret.',
    fields: {
      name: 'Name of the Secret in the namespace of the pod.',
      key: 'Key whose value is taken.',
      optional: 'Whether the Secret or the key may be missing.',
    },
  },
  'core.v1.SecurityContext': {
    about: 'Privileges and identity of a container, over those of its pod.',
    fields: {
      capabilities: 'Linux capabilities to add and to drop.',
      privileged: 'Whether processes have in effect the rights of root on the node; false by default.',
      seLinuxOptions: 'SELinux label of the container.',
      windowsOptions: 'Settings for Windows; refused with os.name linux.',
      runAsUser: 'User ID of the first process; by default that of the image.',
      runAsGroup: 'Primary group ID of the first process; by default that of the runtime.',
      runAsNonRoot: 'Whether the kubelet refuses to start the container as user 0.',
      readOnlyRootFilesystem: 'Whether the root file system is mounted read-only; false by default.',
      allowPrivilegeEscalation:
        'Whether setuid programs and the like can raise rights (false sets no_new_privs); always true if privileged or with CAP_SYS_ADMIN.',
      procMount: 'How /proc is mounted: Default masks parts of it, Unmasked does not.',
      seccompProfile: 'System calls that the container may use.',
      appArmorProfile: 'AppArmor profile of the container.',
    },
  },
  'core.v1.SleepAction': {
    about: 'A pause.',
    fields: { seconds: 'Length of the pause in seconds.' },
  },
  'core.v1.Sysctl': {
    about: 'A kernel parameter.',
    fields: {
      name: 'Name of the parameter, such as net.ipv4.tcp_syncookies.',
      value: 'Value of the parameter.',
    },
  },
  'core.v1.TCPSocketAction': {
    about: 'A TCP connection; it succeeds if it can be opened.',
    fields: {
      port: 'Number or name of the port of the container.',
      host: 'Host to connect to; the address of the pod by default.',
    },
  },
  'core.v1.Toleration': {
    about: 'Taints that do not keep a pod from a node.',
    fields: {
      key: 'Key of the taint; empty, with the operator Exists, for all keys.',
      operator: 'Equal (default), Exists for any value, or Gt and Lt, which compare integers.',
      value: 'Value to compare with; none with Exists.',
      effect: 'Effect of the taint; empty for all effects.',
      tolerationSeconds:
        'Seconds that the pod stays on a node with a NoExecute taint; unset is forever, 0 or less none.',
    },
  },
  'core.v1.TopologySpreadConstraint': {
    about: 'How evenly pods are spread over the values of a label of nodes.',
    fields: {
      maxSkew: 'Most by which the numbers of matching pods in two domains may differ; at least 1.',
      topologyKey: 'Label of nodes whose values are the domains, such as topology.kubernetes.io/zone.',
      whenUnsatisfiable: 'DoNotSchedule leaves the pod pending; ScheduleAnyway takes the least uneven node.',
      labelSelector: 'Pods that are counted in each domain.',
      minDomains:
        'Domains below which the least count is taken as 0; 1 by default, and with DoNotSchedule only.',
      nodeAffinityPolicy:
        "Whether nodes count that the pod's affinity and nodeSelector exclude: Honor (default) leaves them out, Ignore counts them.",
      nodeTaintsPolicy:
        'Whether nodes count that the pod does not tolerate: Ignore (default) counts them, Honor leaves them out.',
      matchLabelKeys: 'Label keys whose values in the new pod narrow down the pods that are counted.',
    },
  },
  'core.v1.WeightedPodAffinityTerm': {
    about: 'A preference about other pods, and its weight.',
    fields: {
      weight: 'Weight of the term, 1 to 100.',
      podAffinityTerm: 'Pods and topology that the preference is about.',
    },
  },
  'core.v1.WindowsSecurityContextOptions': {
    about: 'Identity of containers on Windows.',
    fields: {
      gmsaCredentialSpecName: 'Name of the GMSA credential spec, a custom resource.',
      gmsaCredentialSpec: 'Contents of that credential spec; an admission webhook fills them in.',
      runAsUserName: 'User that the first process runs as; by default that of the image.',
      hostProcess:
        'Whether containers run as processes of the host; the same for all of a pod, and with hostNetwork true.',
    },
  },
};
