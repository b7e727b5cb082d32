/*
 * Names in front of functions that are no values: `sets.contains(...)`. For the library each is a constant of a type of its own.
 */

const names = ['format', 'ip', 'lists', 'sets', 'strings'] as const;

export interface Namespace {
  readonly name: (typeof names)[number];
  readonly ctor: new () => object;
}

/** A class for each: by it the library knows the values of a type. */
export const namespaces: readonly Namespace[] = names.map((name) => ({
  name,
  ctor: class {
    readonly name = name;
  },
}));

/** What the library calls the types of its own. */
const ofTheLibrary: Readonly<Record<string, string>> = { OptionalNamespace: 'optional' };

/** The name before a function, where its receiver has the type of a namespace. */
export function namespaceOf(type: string): string | undefined {
  return ofTheLibrary[type] ?? names.find((name) => name === type);
}

/** Whether functions that follow a name have it as a part of their own. */
export function isNamespace(name: string): boolean {
  return name === 'optional' || names.some((each) => each === name);
}
