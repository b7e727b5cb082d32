import { fromJSON } from '@grpc/proto-loader';

/*
 * The few calls of the Container Storage Interface that deleting and the leak report need. They are data
 * rather than a .proto file, so that the bundle is one file. Names and field numbers are the interface's
 * (csi.proto, package csi.v1). Unused fields are left out, which protobuf allows on either side.
 */

/** By convention of the interface, a call's messages are named after the call. */
function method(name: string) {
  return { requestType: `${name}Request`, responseType: `${name}Response`, comment: '' };
}

const empty = { fields: {} };

const csi = {
  Identity: { methods: { Probe: method('Probe'), GetPluginInfo: method('GetPluginInfo') } },
  ProbeRequest: empty,
  ProbeResponse: { fields: { ready: { type: 'google.protobuf.BoolValue', id: 1 } } },
  GetPluginInfoRequest: empty,
  GetPluginInfoResponse: {
    fields: { name: { type: 'string', id: 1 }, vendorVersion: { type: 'string', id: 2 } },
  },
  Controller: {
    methods: {
      ControllerGetCapabilities: method('ControllerGetCapabilities'),
      DeleteVolume: method('DeleteVolume'),
      ListVolumes: method('ListVolumes'),
    },
  },
  ControllerGetCapabilitiesRequest: empty,
  ControllerGetCapabilitiesResponse: {
    fields: { capabilities: { rule: 'repeated', type: 'ControllerServiceCapability', id: 1 } },
  },
  ControllerServiceCapability: {
    fields: { rpc: { type: 'RPC', id: 1 } },
    // The type is an enum, which is an integer on the wire; a driver might send a value that is unknown here.
    nested: { RPC: { fields: { type: { type: 'int32', id: 1 } } } },
  },
  DeleteVolumeRequest: {
    fields: {
      volumeId: { type: 'string', id: 1 },
      secrets: { keyType: 'string', type: 'string', id: 2 },
    },
  },
  DeleteVolumeResponse: empty,
  ListVolumesRequest: {
    fields: { maxEntries: { type: 'int32', id: 1 }, startingToken: { type: 'string', id: 2 } },
  },
  ListVolumesResponse: {
    fields: {
      entries: { rule: 'repeated', type: 'Entry', id: 1 },
      nextToken: { type: 'string', id: 2 },
    },
    nested: { Entry: { fields: { volume: { type: 'Volume', id: 1 } } } },
  },
  Volume: { fields: { volumeId: { type: 'string', id: 2 } } },
};

const boolValue = { BoolValue: { fields: { value: { type: 'bool', id: 1 } } } };

export const csiServices = fromJSON(
  {
    nested: {
      google: { nested: { protobuf: { nested: boolValue } } },
      csi: { nested: { v1: { nested: csi } } },
    },
  },
  { keepCase: true, defaults: true, arrays: true, objects: true },
);

/** `ControllerServiceCapability.RPC.Type`: the driver can create and delete volumes. */
export const createDeleteVolume = 1;

/** `ControllerServiceCapability.RPC.Type`: the driver can list its volumes. */
export const listVolumes = 3;
