/** A regular expression in the API server's syntax, or the reason why there is none. */
export type Re2Pattern =
  { readonly kind: 'pattern'; readonly pattern: string } | { readonly kind: 'refused'; readonly why: string };

/**
 * Translates a JavaScript regular expression to the syntax of RE2 (Go's regexp), so that it matches the same
 * texts there. `.` and `\s` mean other characters in Go, so they are written out.
 *
 * Refused are features that RE2 lacks (look-around, back references), and all flags that change what matches,
 * except `u` and `s`.
 *
 * Without the flag `u`, JavaScript sees a character beyond U+FFFF as two, where RE2 sees one.
 */
export function re2Pattern({ source, flags }: RegExp): Re2Pattern {
  const otherFlags = flags.replaceAll(/[dsu]/g, '');
  if (otherFlags !== '') {
    return refused(
      `the flag ${otherFlags} is not known there; write what it means into the pattern, such as [a-zA-Z] for i`,
    );
  }
  const translation = { source, at: 0, isUnicode: flags.includes('u'), isDotAll: flags.includes('s') };
  try {
    return { kind: 'pattern', pattern: alternatives(translation).text };
  } catch (error) {
    if (error instanceof Untranslatable) {
      return refused(error.message);
    }
    throw error;
  }
}

function refused(why: string): Re2Pattern {
  return { kind: 'refused', why };
}

class Untranslatable extends Error {}

interface Translation {
  readonly source: string;
  at: number;
  readonly isUnicode: boolean;
  readonly isDotAll: boolean;
}

/**
 * A part of a pattern, with the greatest number of copies of its innermost part that Go writes out when it
 * compiles the pattern.
 */
interface Part {
  readonly text: string;
  readonly copies: number;
}

/** Go refuses a greater number of repeats, whether of one repeat or multiplied by nested ones. */
const mostCopies = 1000;

const lineEnds = '\\n\\r\u2028\u2029';
const spaces = '\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Reads up to the end of the pattern or of the group. */
function alternatives(translation: Translation): Part {
  let text = '';
  let copies = 1;
  while (translation.at < translation.source.length && translation.source[translation.at] !== ')') {
    const part = repeated(translation, atom(translation));
    text += part.text;
    copies = Math.max(copies, part.copies);
  }
  return { text, copies };
}

function repeated(translation: Translation, part: Part): Part {
  const [repeat, min, comma, max] =
    /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(translation.source.slice(translation.at)) ?? [];
  if (repeat === undefined) {
    return part;
  }
  translation.at += repeat.length;
  const times = min === undefined ? 1 : Number(comma === undefined || max === '' ? min : max);
  const copies = part.copies * Math.max(times, 1);
  if (copies > mostCopies) {
    throw new Untranslatable(
      `${part.text}${repeat} is repeated ${String(copies)} times, and ${String(mostCopies)} are the most; bound the length by min and max instead`,
    );
  }
  return { text: part.text + repeat, copies };
}

function atom(translation: Translation): Part {
  const { source, isDotAll } = translation;
  const character = next(translation);
  switch (character) {
    case '(':
      return group(translation);
    case '[':
      return once(characterClass(translation));
    case '\\':
      return once(escape(translation, 'outside'));
    case '.':
      return once(isDotAll ? '(?s:.)' : `[^${lineEnds}]`);
    case '^':
    case '$':
    case '|':
      return once(character);
    default:
      return once(literal(character, source));
  }
}

function once(text: string): Part {
  return { text, copies: 1 };
}

function group(translation: Translation): Part {
  const rest = translation.source.slice(translation.at);
  const [opening = '', name] = /^\?:|^\?<([^=!][^>]*)>/.exec(rest) ?? [];
  if (opening === '' && rest.startsWith('?')) {
    throw new Untranslatable(
      `(${/^\?<?./.exec(rest)?.[0] ?? '?'} is not known there: RE2 has no look-ahead and no look-behind; use a second .regex(), or a rule in CEL`,
    );
  }
  if (name !== undefined && !/^\w+$/.test(name)) {
    throw new Untranslatable(`the name of the group ${name} is not known there; use letters, digits and _`);
  }
  translation.at += opening.length;
  const { text, copies } = alternatives(translation);
  translation.at += 1;
  return { text: `(${name === undefined ? opening : `?P<${name}>`}${text})`, copies };
}

function characterClass(translation: Translation): string {
  const { source } = translation;
  const isNegated = source[translation.at] === '^';
  translation.at += isNegated ? 1 : 0;
  if (source[translation.at] === ']') {
    throw new Untranslatable(
      `an empty class [${isNegated ? '^' : ''}] is not known there; write the characters`,
    );
  }
  let text = '';
  let isAfterSet = false;
  for (let character = next(translation); character !== ']'; character = next(translation)) {
    const isSet = character === '\\' && startsSet(translation);
    if (character === '\\') {
      text += escape(translation, 'inside');
    } else if (character === '-' && (isAfterSet || isBeforeSet(translation))) {
      // This `-` is not a range: JavaScript takes it literally next to a set such as \d.
      text += '\\-';
    } else {
      text += literalInside(character, source);
    }
    isAfterSet = isSet;
  }
  return `[${isNegated ? '^' : ''}${text}]`;
}

function startsSet({ source, at }: Translation): boolean {
  return /^[dDwWsSpP]/.test(source.slice(at));
}

function isBeforeSet({ source, at }: Translation): boolean {
  return source[at] === '\\' && /^[dDwWsSpP]/.test(source.slice(at + 1));
}

/** Reads one character of the pattern, even if it is beyond U+FFFF. */
function next(translation: Translation): string {
  const character = String.fromCodePoint(translation.source.codePointAt(translation.at) ?? 0);
  translation.at += character.length;
  if (character.length > 1 && !translation.isUnicode) {
    throw new Untranslatable(`${character} is two characters without the flag u; add it`);
  }
  return character;
}

function escape(translation: Translation, where: 'inside' | 'outside'): string {
  const { source, isUnicode } = translation;
  const rest = source.slice(translation.at);
  const hex = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\})/.exec(rest);
  const digits = hex?.[1] ?? hex?.[2] ?? (isUnicode ? hex?.[3] : undefined);
  if (hex !== null && digits !== undefined) {
    translation.at += hex[0].length;
    const character = String.fromCodePoint(Number.parseInt(digits, 16));
    return where === 'inside' ? literalInside(character, source, true) : literal(character, source);
  }
  const property = /^[pP]\{([A-Z][a-z]?)\}/.exec(rest);
  if (property !== null && isUnicode) {
    translation.at += property[0].length;
    return `\\${property[0]}`;
  }
  const character = next(translation);
  if (/[dDwWtnvfr]/.test(character) || (where === 'outside' && /[bB]/.test(character))) {
    return `\\${character}`;
  }
  if (character === 's') {
    return where === 'inside' ? spaces : `[${spaces}]`;
  }
  if (character === 'S' && where === 'outside') {
    return `[^${spaces}]`;
  }
  if (character === '0' && !/^\d/.test(source.slice(translation.at))) {
    return '\\x00';
  }
  if (/[a-zA-Z0-9]/.test(character)) {
    const what = /[1-9k]/.test(character)
      ? 'RE2 has no back references'
      : 'RE2 does not know it, or means something else';
    throw new Untranslatable(
      `\\${character} is not known there: ${what}; write the characters, or a rule in CEL`,
    );
  }
  return where === 'inside' ? literalInside(character, source, true) : literal(character, source);
}

/** Returns a character that stands for itself, escaped where RE2 or JavaScript's flag `u` requires it. */
function literal(character: string, source: string): string {
  return /[\^$\\.*+?()[\]{}|]/.test(character) ? `\\${character}` : printable(character, source);
}

/**
 * @param isEscaped whether `-` and `^` stand for themselves. Otherwise they can mean a range or a negation,
 *   and stay as they are.
 */
function literalInside(character: string, source: string, isEscaped = false): string {
  const needs = isEscaped ? /[\\\]^[-]/ : /[\\\][]/;
  return needs.test(character) ? `\\${character}` : printable(character, source);
}

function printable(character: string, source: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) {
    throw new Untranslatable(
      `half of a character in ${source} matches nothing there; write the whole, with the flag u`,
    );
  }
  return code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : character;
}
