/** Orders versions as clients prefer them: v2 before v1, v1 before v2beta1, beta before alpha, all others last and by name. */
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

/** Stage, major and minor: the greater come first. */
function parse(version: string): readonly number[] | undefined {
  const [match, major, stage, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  if (match === undefined) {
    return undefined;
  }
  const rank = stage === undefined ? 2 : stage === 'beta' ? 1 : 0;
  return [rank, Number(major), Number(minor ?? 0)];
}
