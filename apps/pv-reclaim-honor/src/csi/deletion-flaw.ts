import { nfsDriver } from '../storage-identity.ts';

/**
 * Returns why this release of a driver must not be asked to delete a volume, since it would delete others with
 * it; undefined if no such flaw is known.
 *
 * csi-driver-nfs 4.10 removes the first folder of the volume's `subdir` instead of the last: with
 * `${pvc.metadata.namespace}/${pvc.metadata.name}`, all volumes of the namespace (its issue 855).
 *
 * @param version as the driver reports it (`vendor_version`).
 */
export function deletionFlaw(driver: string, version: string, handle: string): string | undefined {
  if (driver !== nfsDriver || !/^v?4\.10(?!\d)/.test(version)) {
    return undefined;
  }
  const [, , path = '', , onDelete = ''] = handle.split('#');
  const [first = '', ...rest] = path.split('/');
  const isDeleted = !['retain', 'archive'].includes(onDelete.toLowerCase());
  return isDeleted && first !== '' && rest.some((name) => name !== '')
    ? `${driver} ${version} must not delete "${path}", since it deletes all of folder "${first}" with it (issue 855 of csi-driver-nfs): update the driver to 4.11 or later`
    : undefined;
}
