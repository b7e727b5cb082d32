/*
 * The namespaces of functions, such as `sets` in `sets.contains(...)`. They are not values in CEL; for the
 * library each is a constant with a type of its own.
 */

const names = ['format', 'ip', 'lists', 'sets', 'strings'] as const;

export interface Namespace {
  readonly name: (typeof names)[number];
  readonly ctor: new () => object;
}

/** Each namespace has a class, because the library identifies the type of a value by its class. */
export const namespaces: readonly Namespace[] = names.map((name) => ({
  name,
  ctor: class {
    readonly name = name;
  },
}));

/** The library's own namespaces, by the names of their types. */
const ofTheLibrary: Readonly<Record<string, string>> = { OptionalNamespace: 'optional' };

/** The namespace whose type is given; undefined if the type is not that of a namespace. */
export function namespaceOf(type: string): string | undefined {
  return ofTheLibrary[type] ?? names.find((name) => name === type);
}

/** Whether a name is a namespace, which is part of the names of its functions. */
export function isNamespace(name: string): boolean {
  return name === 'optional' || names.some((each) => each === name);
}
