import type { FoundDefinition } from './found-definition.ts';

/**
 * Describes names that two definitions of a group both want; an API server gives a name only to the first. A
 * definition's own names can be equal.
 */
export function nameConflicts(found: readonly FoundDefinition[]): readonly string[] {
  const owners = new Map<string, FoundDefinition>();
  const conflicts: string[] = [];
  for (const one of found) {
    const { group, names } = one.definition.spec;
    const { plural, singular, shortNames = [], kind, listKind } = names;
    const wanted = new Set([
      ...named('resource', [plural, singular, ...shortNames]),
      ...named('kind', [kind, listKind]),
    ]);
    for (const name of wanted) {
      const owner = owners.get(`${group} ${name}`);
      if (owner === undefined) {
        owners.set(`${group} ${name}`, one);
      } else if (owner !== one) {
        conflicts.push(
          `${owner.name} of ${owner.module} and ${one.name} of ${one.module} both have the ${name} in ${group}`,
        );
      }
    }
  }
  return conflicts;
}

function named(what: string, names: readonly (string | undefined)[]): readonly string[] {
  return names.filter((name) => name !== undefined && name !== '').map((name) => `${what} name ${name}`);
}
