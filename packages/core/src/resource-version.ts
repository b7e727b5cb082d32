const digits = /^[1-9][0-9]*$/;

/**
 * Whether `version` is of an older state than `other`, which is comparable for objects of one resource (KEP-5504). Versions
 * that are not decimal numbers, as some aggregated API servers have them, are never older.
 */
export function isOlderVersion(version: string, other: string): boolean {
  if (!digits.test(version) || !digits.test(other)) {
    return false;
  }
  return version.length === other.length ? version < other : version.length < other.length;
}
