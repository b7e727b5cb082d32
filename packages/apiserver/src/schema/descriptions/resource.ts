import type { Descriptions } from './description.ts';

const requestFields = {
  deviceClassName: 'DeviceClass of the devices.',
  selectors: 'Conditions that each device must meet, besides those of the class; 32 at most.',
  allocationMode: 'ExactCount (default) for a number of devices, All for all that match in a pool.',
  count: 'Devices that are wanted; 1 by default, with ExactCount only.',
  tolerations: 'Taints of devices that are tolerated; 16 at most.',
  capacity: 'Capacity of each device that is needed.',
};

export const resourceDescriptions: Descriptions = {
  'resource.v1.AllocatedDeviceStatus': {
    about: 'State of an allocated device, as its driver reports it.',
    fields: {
      driver: 'Driver of the device.',
      pool: 'Pool of the device.',
      device: 'Name of the device in the pool.',
      shareID: 'ID of the share of a device that several claims use.',
      conditions: 'Conditions of the device, such as Ready; 8 at most.',
      data: 'Any data of the driver; 10 KiB at most.',
      networkData: 'Data of a network device.',
    },
  },
  'resource.v1.AllocationResult': {
    about: 'What was allocated to a claim.',
    fields: {
      devices: 'The devices.',
      nodeSelector: 'Nodes from which the devices can be reached; all when unset.',
      allocationTimestamp: 'When the devices were allocated.',
    },
  },
  'resource.v1.CELDeviceSelector': {
    about: 'A CEL condition on devices.',
    fields: {
      expression: 'CEL expression on device, with its driver, attributes and capacity, that must be true.',
    },
  },
  'resource.v1.CapacityRequestPolicy': {
    about: 'Amounts of a capacity that requests can consume.',
    fields: {
      default: 'Amount for requests that name none; by default all of it.',
      validValues: 'Amounts that are possible, ascending; requests are rounded up to one. 10 at most.',
      validRange: 'Range of amounts; not together with validValues.',
    },
  },
  'resource.v1.CapacityRequestPolicyRange': {
    about: 'Range of the amounts of a capacity.',
    fields: {
      min: 'Least amount; smaller requests are rounded up.',
      max: 'Most that a request may consume.',
      step: 'Distance between amounts from min on; requests are rounded up.',
    },
  },
  'resource.v1.CapacityRequirements': {
    about: 'Capacity that a request needs.',
    fields: { requests: 'Amounts by capacity; a device without the capacity does not match.' },
  },
  'resource.v1.Counter': {
    about: 'An amount of something that devices share.',
    fields: { value: 'The amount.' },
  },
  'resource.v1.CounterSet': {
    about: 'Counters that the devices of a pool draw on.',
    fields: { name: 'Name of the set, a DNS label.', counters: 'Counters by name; 32 at most.' },
  },
  'resource.v1.Device': {
    about: 'A device of a pool.',
    fields: {
      name: 'Name of the device, a DNS label that is unique in the pool.',
      attributes: 'Attributes by name, for selectors; 32 at most with capacity.',
      capacity: 'Capacities by name; 32 at most with attributes.',
      consumesCounters: 'Counters that the device draws on when it is allocated; 2 sets at most.',
      nodeName: 'Node of the device, with perDeviceNodeSelection only.',
      nodeSelector: 'Nodes of the device, with perDeviceNodeSelection only.',
      allNodes: 'Whether all nodes reach the device, with perDeviceNodeSelection only.',
      taints: 'Taints that keep claims without a toleration away; 16 at most.',
      bindsToNode: 'Whether the allocation ties the claim to the node that was chosen.',
      bindingConditions: 'Conditions that must be True before the pod is bound; 4 at most.',
      bindingFailureConditions: 'Conditions any of which, when True, means that binding failed; 4 at most.',
      allowMultipleAllocations: 'Whether several requests may share the device; false when unset.',
      nodeAllocatableResourceMappings:
        'Resources of the node, such as memory, that the device takes, by name.',
    },
  },
  'resource.v1.DeviceAllocationConfiguration': {
    about: 'Configuration of allocated devices.',
    fields: {
      source: 'Where it comes from: FromClass or FromClaim.',
      requests: 'Requests that it is for; all when empty.',
      opaque: "Configuration in the driver's own form.",
    },
  },
  'resource.v1.DeviceAllocationResult': {
    about: 'Devices that were allocated to a claim.',
    fields: { results: 'The devices.', config: 'Configuration from class and claim; later entries win.' },
  },
  'resource.v1.DeviceAttribute': {
    about: 'Value of an attribute; exactly one field is set.',
    fields: {
      int: 'A number.',
      bool: 'True or false.',
      string: 'A text; 64 characters at most.',
      version: 'A semantic version, such as 1.2.3.',
      ints: 'Several numbers.',
      bools: 'Several truth values.',
      strings: 'Several texts.',
      versions: 'Several semantic versions.',
    },
  },
  'resource.v1.DeviceCapacity': {
    about: 'A capacity of a device.',
    fields: {
      value: 'All there is of it.',
      requestPolicy: 'Amounts that requests can consume, for devices that can be shared.',
    },
  },
  'resource.v1.DeviceClaim': {
    about: 'Devices that are wanted.',
    fields: {
      requests: 'Requests, all of which must be met; 32 at most.',
      constraints: 'Conditions on devices of several requests together; 32 at most.',
      config: 'Configuration of the devices; 32 entries at most.',
    },
  },
  'resource.v1.DeviceClaimConfiguration': {
    about: 'Configuration in a claim.',
    fields: {
      requests: 'Requests that it is for; all when empty.',
      opaque: "Configuration in the driver's own form.",
    },
  },
  'resource.v1.DeviceClass': {
    about: 'A kind of devices with selectors and configuration that an administrator sets.',
    fields: { spec: 'Selectors and configuration.' },
  },
  'resource.v1.DeviceClassConfiguration': {
    about: 'Configuration in a class.',
    fields: { opaque: "Configuration in the driver's own form." },
  },
  'resource.v1.DeviceClassSpec': {
    about: 'Devices of a class, and their configuration.',
    fields: {
      selectors: 'Conditions that each device must meet; 32 at most.',
      config: 'Configuration of the devices, before that of claims; 32 entries at most.',
      extendedResourceName:
        'Extended resource by which pods can ask for devices of the class without a claim.',
    },
  },
  'resource.v1.DeviceConstraint': {
    about: 'A condition on several devices together; one attribute is set.',
    fields: {
      requests: 'Requests that it is for; all when empty.',
      matchAttribute: 'Attribute, with its domain, that must be the same in all devices.',
      distinctAttribute: 'Attribute, with its domain, that must differ in all devices.',
    },
  },
  'resource.v1.DeviceCounterConsumption': {
    about: 'What a device draws from a set of counters.',
    fields: { counterSet: 'Name of the set.', counters: 'Amounts by counter; 32 at most.' },
  },
  'resource.v1.DeviceRequest': {
    about: 'Devices that a claim asks for; exactly one of exactly and firstAvailable is set.',
    fields: {
      name: 'Name of the request, a DNS label that is unique in the claim.',
      exactly: 'Devices of one kind.',
      firstAvailable: 'Alternatives in order, of which the first that can be met counts; 8 at most.',
    },
  },
  'resource.v1.DeviceRequestAllocationResult': {
    about: 'A device that was allocated to a request.',
    fields: {
      request: 'Name of the request, as REQUEST/SUBREQUEST for an alternative.',
      driver: 'Driver of the device.',
      pool: 'Pool of the device.',
      device: 'Name of the device in the pool.',
      adminAccess: 'Whether the device is for administration and may be allocated to others, too.',
      tolerations: 'Tolerations of the request at the time.',
      bindingConditions: 'Binding conditions of the device at the time.',
      bindingFailureConditions: 'Binding failure conditions of the device at the time.',
      shareID: 'ID of the share of a device that several claims use.',
      consumedCapacity: 'Amounts by capacity that were set aside for the request.',
    },
  },
  'resource.v1.DeviceSelector': {
    about: 'A condition on devices.',
    fields: { cel: 'A CEL condition.' },
  },
  'resource.v1.DeviceSubRequest': {
    about: 'An alternative of a request.',
    fields: { name: 'Name of the alternative, a DNS label that is unique in the request.', ...requestFields },
  },
  'resource.v1.DeviceTaint': {
    about: 'Keeps claims without a toleration from a device.',
    fields: {
      key: 'Key of the taint.',
      value: 'Value of the taint.',
      effect: 'NoSchedule keeps new claims away, NoExecute evicts pods, too; None does nothing.',
      timeAdded: 'When the taint was added; the time of the write by default.',
    },
  },
  'resource.v1.DeviceToleration': {
    about: 'Taints that do not keep a request from a device.',
    fields: {
      key: 'Key of the taint; empty, with the operator Exists, for all keys.',
      operator: 'Equal (default), or Exists for any value.',
      value: 'Value to compare with; none with Exists.',
      effect: 'Effect of the taint; empty for all effects.',
      tolerationSeconds:
        'Seconds that the pod stays with a NoExecute taint; unset is forever, 0 or less none.',
    },
  },
  'resource.v1.ExactDeviceRequest': {
    about: 'Devices of one kind.',
    fields: {
      ...requestFields,
      adminAccess:
        'Whether the devices are for administration, and may be in use; in namespaces with the label resource.kubernetes.io/admin-access only.',
    },
  },
  'resource.v1.NetworkDeviceData': {
    about: 'Data of a network device.',
    fields: {
      interfaceName: 'Name of the interface in the pod.',
      ips: 'Addresses of the interface, in the form of CIDRs.',
      hardwareAddress: 'MAC address or the like.',
    },
  },
  'resource.v1.NodeAllocatableResourceMapping': {
    about: 'How much of a resource of the node a device takes.',
    fields: {
      capacityKey: 'Capacity whose consumed amount counts; when unset, the number of devices counts.',
      allocationMultiplier: 'Factor of that amount; 1 by default.',
    },
  },
  'resource.v1.OpaqueDeviceConfiguration': {
    about: 'Configuration in the form of a driver.',
    fields: {
      driver: 'Driver that it is for.',
      parameters: 'The configuration, with its kind and version; 10 KiB at most.',
    },
  },
  'resource.v1.ResourceClaim': {
    about: 'A claim of devices for use by pods.',
    fields: {
      spec: 'Devices that are wanted; it cannot be changed.',
      status: 'Devices that were allocated, and who uses them.',
    },
  },
  'resource.v1.ResourceClaimConsumerReference': {
    about: 'Who may use a claim.',
    fields: {
      apiGroup: 'API group of the user; "" for the core group.',
      resource: 'Resource of the user, such as pods.',
      name: 'Name of the user.',
      uid: 'UID of the user.',
    },
  },
  'resource.v1.ResourceClaimSpec': {
    about: 'What is wanted.',
    fields: { devices: 'Devices that are wanted.' },
  },
  'resource.v1.ResourceClaimStatus': {
    about: 'Devices of a claim, and who uses them.',
    fields: {
      allocation: 'What was allocated; unset until then.',
      reservedFor:
        'Who may use the claim, as a rule pods; 256 at most. While there are any, it stays allocated.',
      devices: 'State of the devices, as their drivers report it.',
    },
  },
  'resource.v1.ResourceClaimTemplate': {
    about: 'A template of claims, one of which is made for each pod that refers to it.',
    fields: { spec: 'Template of the claims; it cannot be changed.' },
  },
  'resource.v1.ResourceClaimTemplateSpec': {
    about: 'Template of claims.',
    fields: { metadata: 'Labels and annotations of the claims.', spec: 'Spec of the claims.' },
  },
  'resource.v1.ResourcePool': {
    about: 'The pool of a slice.',
    fields: {
      name: 'Name of the pool, often that of the node.',
      generation: 'Version of the pool; slices with an older one are ignored.',
      resourceSliceCount: 'Slices of the pool in this generation.',
    },
  },
  'resource.v1.ResourceSlice': {
    about: 'A part of the devices of a pool, which its driver publishes.',
    fields: { spec: 'The devices.' },
  },
  'resource.v1.ResourceSliceSpec': {
    about: 'Devices, their pool and their nodes; exactly one field says which nodes.',
    fields: {
      driver: 'Driver of the devices; it cannot be changed.',
      pool: 'Pool that the slice is part of.',
      nodeName: 'Node of the devices; it cannot be changed.',
      nodeSelector: 'Nodes that reach the devices; one term.',
      allNodes: 'Whether all nodes reach the devices.',
      devices: 'The devices; 128 at most, 64 with taints or counters. Not together with sharedCounters.',
      perDeviceNodeSelection: 'Whether each device says its nodes itself.',
      sharedCounters: 'Sets of counters of the pool; 8 at most, and not together with devices.',
    },
  },
};
