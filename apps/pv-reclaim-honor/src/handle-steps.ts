/*
 * Handles of which a driver reads only a part when it deletes a volume. The rest, such as the address at which
 * it is mounted, can differ from PersistentVolume to PersistentVolume over one storage.
 */

const readers: ReadonlyMap<string, (handle: string) => readonly string[] | undefined> = new Map([
  ['filestore.csi.storage.gke.io', filestoreSteps],
  ['fss.csi.oraclecloud.com', fileSystemOfOracle],
  ['linodebs.csi.linode.com', volumeOfLinode],
]);

/** Returns what the handle identifies, as steps from the whole to the part; the handle itself for all other drivers. */
export function stepsOfHandle(driver: string, handle: string): readonly string[] {
  return readers.get(driver)?.(handle) ?? [handle];
}

/**
 * Reads `MODE/LOCATION/INSTANCE/SHARE`, of an instance that is deleted as a whole, or
 * `modeMultishare/PREFIX/PROJECT/LOCATION/INSTANCE/SHARE`, of a share (`getFileInstanceFromID` and
 * `parseMultishareVolId` of gcp-filestore-csi-driver).
 */
function filestoreSteps(handle: string): readonly string[] | undefined {
  const parts = handle.split('/');
  switch (parts.length) {
    case 4:
      return parts.slice(1, 3);
    case 6:
      return parts.slice(3);
    default:
      return undefined;
  }
}

/** Reads `FILE-SYSTEM:MOUNT-TARGET:PATH`; the address of IPv6 has colons too (`ValidateFssId`). */
function fileSystemOfOracle(handle: string): readonly string[] | undefined {
  const [fileSystem = '', ...more] = handle.split(':');
  return fileSystem !== '' && more.length > 1 ? [fileSystem] : undefined;
}

/** Reads `ID-LABEL` (`ParseLinodeVolumeKey` of linode-blockstorage-csi-driver). */
function volumeOfLinode(handle: string): readonly string[] | undefined {
  const [, id] = /^0*(\d+)-/.exec(handle) ?? [];
  return id === undefined ? undefined : [id];
}
