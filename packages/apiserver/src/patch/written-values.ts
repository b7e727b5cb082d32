import type { Json } from '../meta/json.ts';

/*
 * evanphx/json-patch compares strings, numbers and the like as they are written, with the object as Go writes it: `"<"` is not `"\u003c"`, and `1.0` is
 * not `1`. A guarded patch that is written otherwise never applies, whatever the object says.
 */

/** Where something stands that Go would write otherwise: names of fields, and places in lists. */
const writtenOtherwise = new WeakMap<object, Set<string>>();

/** What no text has that Go has written: but for a number with an exponent or a fraction, and a string with an escape, which may be so. */
const suspicious = /[<>&\\\u2028\u2029]|\d[.eE]|-0/;

/** Parses the text of a JSON Patch, and remembers what is written otherwise. Node before 21 shows nothing of that. */
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

/** Whether what an object or a list that was parsed has there, with all that is in it, is written as Go writes it. */
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
