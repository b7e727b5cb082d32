import { jsonEqual } from '../meta/json.ts';
import type {
  Condition,
  CustomResourceDefinition,
  CustomResourceNames,
} from './custom-resource-definition.ts';

/*
 * Decides which names a definition may have next to the other definitions of its group, as the naming
 * controller of k8s.io/apiextensions-apiserver does. An accepted name stays until another one is accepted in
 * its place.
 */

export interface Naming {
  readonly acceptedNames: CustomResourceNames;
  readonly condition: Condition;
}

/** @param others all other definitions, of any group */
export function decideNames(
  { spec, status }: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
): Naming {
  const wanted = spec.names;
  const accepted = status.acceptedNames;
  const taken = others
    .filter((other) => other.spec.group === spec.group)
    .map((other) => other.status.acceptedNames);
  const resources = new Set(
    taken.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular ?? '', ...shortNames]),
  );
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind ?? '']));

  const names: CustomResourceNames = { ...accepted };
  let conflict: { reason: string; message: string } | undefined;
  const settle = (
    reason: string,
    isFree: (name: string) => boolean,
    requested: readonly string[],
    keep: () => void,
  ): void => {
    const used = requested.filter((name) => !isFree(name));
    if (used.length === 0) {
      keep();
    } else {
      const texts = used.map((name) => `${JSON.stringify(name)} is already in use`);
      conflict = { reason, message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]` };
    }
  };
  const free =
    (used: ReadonlySet<string>, own: readonly (string | undefined)[]) =>
    (name: string): boolean =>
      !used.has(name) || own.includes(name);

  settle('PluralConflict', free(resources, [accepted.plural]), [wanted.plural], () => {
    names.plural = wanted.plural;
  });
  settle('SingularConflict', free(resources, [accepted.singular]), [wanted.singular ?? ''], () => {
    names.singular = wanted.singular ?? '';
  });
  const ownShort = accepted.shortNames ?? [];
  if (!jsonEqual(wanted.shortNames, accepted.shortNames)) {
    settle('ShortNamesConflict', free(resources, ownShort), wanted.shortNames ?? [], () => {
      setOrRemove(names, 'shortNames', wanted.shortNames);
    });
  }
  settle('KindConflict', free(kinds, [accepted.kind]), [wanted.kind], () => {
    names.kind = wanted.kind;
  });
  settle('ListKindConflict', free(kinds, [accepted.listKind]), [wanted.listKind ?? ''], () => {
    names.listKind = wanted.listKind ?? '';
  });
  setOrRemove(names, 'categories', wanted.categories);
  return {
    acceptedNames: names,
    condition:
      conflict === undefined
        ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
        : { type: 'NamesAccepted', status: 'False', ...conflict },
  };
}

function setOrRemove(
  names: CustomResourceNames,
  field: 'shortNames' | 'categories',
  value: string[] | undefined,
): void {
  if (value === undefined) {
    Reflect.deleteProperty(names, field);
  } else {
    names[field] = value;
  }
}
