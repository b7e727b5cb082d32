/** What is left of a name without what people get wrong in it: `dryRun`, `DRYRUN` and `dry-run` are the same. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').replace(/s$/, '');
}

/**
 * Whether two texts differ by one slip of the fingers: a letter that is missing, added or another, or two
 * neighbours that have changed places. Takes one pass, since an environment can hold thousands of variables.
 */
export function isOneSlip(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || one === other) {
    return false;
  }
  let at = 0;
  while (at < short.length && short[at] === long[at]) {
    at += 1;
  }
  if (short.length < long.length) {
    return short.slice(at) === long.slice(at + 1);
  }
  return (
    short.slice(at + 1) === long.slice(at + 1) ||
    (short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2))
  );
}
