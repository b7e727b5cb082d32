import { type JsonObject, isObject } from '../meta/json.ts';

/** The defaults for fields of volume sources, in pods and in PersistentVolumes. */
const defaults: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  iscsi: { iscsiInterface: 'default' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** @param holder the object that has the sources, each in its own field */
export function applySourceDefaults(holder: JsonObject): void {
  for (const [name, fields] of Object.entries(defaults)) {
    const source = holder[name];
    if (isObject(source)) {
      for (const [field, value] of Object.entries(fields)) {
        source[field] ??= value;
      }
    }
  }
}
