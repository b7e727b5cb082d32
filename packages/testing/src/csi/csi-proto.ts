import { fromJSON, type ServiceDefinition } from '@grpc/proto-loader';

/*
 * The part of the Container Storage Interface (csi.proto, package csi.v1) that the test driver serves, as
 * data.
 */

function call(name: string) {
  return { requestType: `${name}Request`, responseType: `${name}Response`, comment: '' };
}

const nothing = { fields: {} };

const messages = {
  GetPluginInfoRequest: nothing,
  GetPluginInfoResponse: {
    fields: { name: { type: 'string', id: 1 }, vendor_version: { type: 'string', id: 2 } },
  },
  GetPluginCapabilitiesRequest: nothing,
  GetPluginCapabilitiesResponse: {
    fields: { capabilities: { rule: 'repeated', type: 'PluginCapability', id: 1 } },
  },
  PluginCapability: {
    oneofs: { type: { oneof: ['service'] } },
    fields: { service: { type: 'Service', id: 1 } },
    nested: {
      Service: {
        fields: { type: { type: 'Type', id: 1 } },
        nested: { Type: { values: { UNKNOWN: 0, CONTROLLER_SERVICE: 1 } } },
      },
    },
  },
  ProbeRequest: nothing,
  ProbeResponse: { fields: { ready: { type: 'google.protobuf.BoolValue', id: 1 } } },
  ControllerGetCapabilitiesRequest: nothing,
  ControllerGetCapabilitiesResponse: {
    fields: { capabilities: { rule: 'repeated', type: 'ControllerServiceCapability', id: 1 } },
  },
  ControllerServiceCapability: {
    oneofs: { type: { oneof: ['rpc'] } },
    fields: { rpc: { type: 'RPC', id: 1 } },
    nested: {
      RPC: {
        fields: { type: { type: 'Type', id: 1 } },
        nested: {
          Type: {
            values: { UNKNOWN: 0, CREATE_DELETE_VOLUME: 1, PUBLISH_UNPUBLISH_VOLUME: 2, LIST_VOLUMES: 3 },
          },
        },
      },
    },
  },
  DeleteVolumeRequest: {
    fields: {
      volume_id: { type: 'string', id: 1 },
      secrets: { keyType: 'string', type: 'string', id: 2 },
    },
  },
  DeleteVolumeResponse: nothing,
  ListVolumesRequest: {
    fields: { max_entries: { type: 'int32', id: 1 }, starting_token: { type: 'string', id: 2 } },
  },
  ListVolumesResponse: {
    fields: {
      entries: { rule: 'repeated', type: 'Entry', id: 1 },
      next_token: { type: 'string', id: 2 },
    },
    nested: { Entry: { fields: { volume: { type: 'Volume', id: 1 } } } },
  },
  Volume: { fields: { capacity_bytes: { type: 'int64', id: 1 }, volume_id: { type: 'string', id: 2 } } },
};

const services = {
  Identity: {
    methods: {
      GetPluginInfo: call('GetPluginInfo'),
      GetPluginCapabilities: call('GetPluginCapabilities'),
      Probe: call('Probe'),
    },
  },
  Controller: {
    methods: {
      ControllerGetCapabilities: call('ControllerGetCapabilities'),
      DeleteVolume: call('DeleteVolume'),
      ListVolumes: call('ListVolumes'),
    },
  },
};

const loaded = fromJSON(
  {
    nested: {
      google: {
        nested: { protobuf: { nested: { BoolValue: { fields: { value: { type: 'bool', id: 1 } } } } } },
      },
      csi: { nested: { v1: { nested: { ...messages, ...services } } } },
    },
  },
  { keepCase: true, enums: String, defaults: true, objects: true },
);

export const identityService = loaded['csi.v1.Identity'] as ServiceDefinition;
export const controllerService = loaded['csi.v1.Controller'] as ServiceDefinition;
