const digits = /^[1-9][0-9]*$/;

/**
 * Returns whether `version` is older than `other`. Versions of objects of one resource can be compared
 * (KEP-5504). A version that is not a decimal number, which some aggregated API servers use, is never older.
 */
export function isOlderVersion(version: string, other: string): boolean {
  if (!digits.test(version) || !digits.test(other)) {
    return false;
  }
  return version.length === other.length ? version < other : version.length < other.length;
}
