/** `Fields` of any type, as it is at run time. */
export interface FieldTree {
  readonly [name: string]: true | FieldTree | ListField;
}

/** The fields kept of each message of a list, and which messages are kept. */
export type ListField =
  readonly [FieldTree] | readonly [FieldTree, { readonly withAnyOf: readonly string[] }];

export function isList(kept: FieldTree[string]): kept is ListField {
  return Array.isArray(kept);
}

/**
 * Returns the function that decides whether a list keeps a message, given the message with the fields kept.
 */
export function compileFilter([tree, elements]: ListField): (element: object) => boolean {
  if (elements === undefined) {
    return () => true;
  }
  const { withAnyOf } = elements;
  const unknown = withAnyOf.find((name) => tree[name] === undefined);
  if (unknown !== undefined) {
    throw new Error(
      `withAnyOf names "${unknown}", which is not kept; name it among ${Object.keys(tree).join(', ')}`,
    );
  }
  return (element) =>
    withAnyOf.some((name) => (element as Readonly<Record<string, unknown>>)[name] !== undefined);
}
