/**
 * Returns whether a PersistentVolume can name a driver like this. The API server accepts up to 63 characters
 * of a DNS subdomain, in upper or lower case (ValidateCSIDriverName of pkg/apis/core/validation, 1.31 and
 * 1.36).
 */
export function isDriverName(name: string): boolean {
  return name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/i.test(name);
}
