/**
 * Orders versions as clients prefer them: v2, v1, v2beta1, v2alpha1, and then all other names alphabetically.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) {
    return left === right ? (a < b ? -1 : a > b ? 1 : 0) : left === undefined ? 1 : -1;
  }
  for (const [index, number] of left.entries()) {
    const difference = (right[index] ?? 0) - number;
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** The stage, the major and the minor number. Greater ones come first. */
function parse(version: string): readonly number[] | undefined {
  const [match, major, stage, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  if (match === undefined) {
    return undefined;
  }
  const rank = stage === undefined ? 2 : stage === 'beta' ? 1 : 0;
  return [rank, Number(major), Number(minor ?? 0)];
}
