import { type JsonObject, isObject } from '../meta/json.ts';

/** What fields of sources have as their default, in pods and in volumes alike. */
const defaults: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  iscsi: { iscsiInterface: 'default' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** @param holder of the sources, each in a field of its own. */
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
