import { objectIn, type Json, type Mutable } from './json.ts';

/** A place in an object: names of members and positions in lists. */
export type Path = readonly (string | number)[];

/** A way in which an object deviates from its schema, or is at the limit of what the schema allows. */
export type Deviation = { readonly at: Path } & (
  | { readonly is: Json }
  | { readonly absent: true }
  /** A list of so many copies of its first element; texts get a number appended. */
  | { readonly elements: number }
  /** A list with each element twice. */
  | { readonly doubled: true }
  /** A text of this many characters. */
  | { readonly characters: number }
  /** An object of this many members. */
  | { readonly members: number }
  /** Lists nested this deep. */
  | { readonly depth: number }
);

/**
 * Applies all deviations to the object, one after the other. A deviation whose place no longer exists is
 * ignored.
 */
export function deviate(object: Mutable, deviations: readonly Deviation[]): Mutable {
  const copy = structuredClone(object);
  for (const deviation of deviations) {
    apply(copy, deviation);
  }
  return copy;
}

function apply(object: Mutable, deviation: Deviation): void {
  const [last, ...before] = deviation.at.toReversed();
  const parent = before.reduceRight<unknown>(member, object);
  if (last === undefined || typeof parent !== 'object' || parent === null) {
    return;
  }
  if ('absent' in deviation) {
    if (Array.isArray(parent)) {
      parent.splice(Number(last), 1);
    } else {
      Reflect.deleteProperty(parent, last);
    }
    return;
  }
  // A plain assignment to `__proto__` would set no member of that name, but JSON.parse does.
  Object.defineProperty(parent, last, {
    value: valueOf(deviation, member(parent, last)),
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

function valueOf(deviation: Exclude<Deviation, { readonly absent: true }>, before: unknown): unknown {
  if ('is' in deviation) {
    return structuredClone(deviation.is);
  }
  if ('characters' in deviation) {
    return 'x'.repeat(deviation.characters);
  }
  if ('members' in deviation) {
    return Object.fromEntries(
      Array.from({ length: deviation.members }, (_, index) => [`example.com/${String(index)}`, 'x']),
    );
  }
  if ('depth' in deviation) {
    let nested: unknown[] = [];
    for (let depth = 0; depth < deviation.depth; depth++) {
      nested = [nested];
    }
    return nested;
  }
  const elements: readonly unknown[] = Array.isArray(before) ? before : [];
  if ('doubled' in deviation) {
    return elements.flatMap((element) => [element, structuredClone(element)]);
  }
  const [first = 'example.com/x'] = elements;
  return Array.from({ length: deviation.elements }, (_, index) =>
    typeof first === 'string' ? (index === 0 ? first : `${first}-${String(index)}`) : structuredClone(first),
  );
}

function member(container: unknown, name: string | number): unknown {
  const members = Array.isArray(container) ? (container as unknown as Mutable) : objectIn(container);
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}
