import type { FieldProblem } from './problem.ts';

/** The names of a kind, as in `spec.names` of its CustomResourceDefinition. */
export interface ResourceNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Returns the plural that Kubernetes guesses for a kind, such as `policies` for `Policy`. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) {
    return `${singular}es`;
  }
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

const label = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/;

/** Lists the names that API servers would refuse, each with its field of the definition. */
export function nameProblems(
  group: string,
  versions: readonly string[],
  { plural, singular, kind, listKind, shortNames = [], categories = [] }: ResourceNames,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const check = (path: string, name: string, isValid: boolean, want: string): void => {
    if (!isValid) {
      problems.push({ path, message: `${JSON.stringify(name)} can't be one; give ${want}` });
    }
  };
  const isLabel = (name: string): boolean => name.length <= 63 && label.test(name);
  check(
    'group',
    group,
    group.length <= 253 && subdomain.test(group),
    'a DNS name of your own with a dot, such as example.com',
  );
  for (const name of versions) {
    check('version', name, isLabel(name), 'one such as v1 or v1alpha1');
  }
  for (const [index, name] of versions.entries()) {
    check('version', name, versions.indexOf(name) === index, 'each version once');
  }
  check(
    'kind',
    kind,
    /^[A-Z]/.test(kind) && isLabel(kind.toLowerCase()),
    'one such as Site, of letters and digits',
  );
  check('listKind', listKind, listKind !== kind && isLabel(listKind.toLowerCase()), 'one such as SiteList');
  check('plural', plural, isLabel(plural), 'one such as sites, in lower case');
  check('singular', singular, isLabel(singular), 'one such as site, in lower case');
  shortNames.forEach((name) => check('shortNames', name, isLabel(name), 'one such as st, in lower case'));
  categories.forEach((name) => check('categories', name, isLabel(name), 'one such as all, in lower case'));
  return problems;
}
