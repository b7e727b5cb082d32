import type { Json } from '../meta/json.ts';

/*
 * evanphx/json-patch compares strings, numbers and other scalars by their text, and the text of the object is
 * Go's: `"<"` does not equal `"\u003c"`, and `1.0` does not equal `1`. So a guarded patch with another
 * spelling never applies, whatever the object says.
 */

/** Where a parsed text differs from Go's spelling: names of fields, and positions in lists. */
const writtenOtherwise = new WeakMap<object, Set<string>>();

/**
 * Characters that never occur in a text that Go wrote, except for numbers with an exponent or a fraction and
 * strings with an escape, which can.
 */
const suspicious = /[<>&\\\u2028\u2029]|\d[.eE]|-0/;

/**
 * Parses the text of a JSON Patch and remembers where its spelling differs from Go's. Node before 21 does not
 * expose the spelling.
 */
export function parseJsonPatch(text: string): Json {
  return JSON.parse(text, suspicious.test(text) ? note : undefined) as Json;
}

function note(this: object, key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (context?.source !== undefined && context.source !== asGoWrites(value)) {
    writtenOtherwise.set(this, (writtenOtherwise.get(this) ?? new Set()).add(key));
  }
  return value;
}

function asGoWrites(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether a member of a parsed object or list, including everything in it, is spelled as Go would. */
export function isWrittenAsByGo(holder: object, key: string): boolean {
  if (writtenOtherwise.get(holder)?.has(key) === true) {
    return false;
  }
  const value: unknown = Reflect.get(holder, key);
  return (
    typeof value !== 'object' ||
    value === null ||
    Object.keys(value).every((each) => isWrittenAsByGo(value, each))
  );
}
