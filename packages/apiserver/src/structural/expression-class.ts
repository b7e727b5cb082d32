/*
 * Sets of characters of Go's regular expressions. Each is kept as a class of JavaScript's expressions in Unicode mode, which knows categories,
 * scripts and simple case folding as Go does.
 */

/** Ranges of code points, both ends included. */
export type Ranges = readonly (readonly [number, number])[];

const last = 0x10ffff;

const perl: Readonly<Record<string, Ranges>> = {
  d: [[0x30, 0x39]],
  s: [
    [0x09, 0x0a],
    [0x0c, 0x0d],
    [0x20, 0x20],
  ],
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
};

const upper: Ranges = [[0x41, 0x5a]];
const lower: Ranges = [[0x61, 0x7a]];
const digit: Ranges = perl['d'] ?? [];

const posix: Readonly<Record<string, Ranges>> = {
  alnum: [...digit, ...upper, ...lower],
  alpha: [...upper, ...lower],
  ascii: [[0, 0x7f]],
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit,
  graph: [[0x21, 0x7e]],
  lower,
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  upper,
  word: perl['w'] ?? [],
  xdigit: [...digit, [0x41, 0x46], [0x61, 0x66]],
};

/** What is in none of the ranges, which are in order and apart. */
function complement(ranges: Ranges): Ranges {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) {
      gaps.push([next, from - 1]);
    }
    next = to + 1;
  }
  return next > last ? gaps : [...gaps, [next, last]];
}

/** A part of a class, as JavaScript writes it between brackets. */
export function partOf(ranges: Ranges): string {
  const point = (code: number): string => `\\u{${code.toString(16)}}`;
  return ranges.map(([from, to]) => (from === to ? point(from) : `${point(from)}-${point(to)}`)).join('');
}

/** `\d` and its like; undefined: the letter stands for none. */
export function perlPart(letter: string): string | undefined {
  const ranges = perl[letter.toLowerCase()];
  return ranges === undefined
    ? undefined
    : partOf(letter === letter.toLowerCase() ? ranges : complement(ranges));
}

/** `[:alpha:]`, `[:^alpha:]`; undefined: there is none of this name. */
export function posixPart(name: string): string | undefined {
  const isNegated = name.startsWith('^');
  const bare = isNegated ? name.slice(1) : name;
  const ranges = Object.hasOwn(posix, bare) ? posix[bare] : undefined;
  return ranges && partOf(isNegated ? complement(ranges) : ranges);
}

/** `\pL`, `\p{Greek}`, `\P{Lu}`, `\p{^lu}`, of categories and scripts, however they are capitalized; undefined: there is none of this name. */
export function unicodePart(name: string, isNegated: boolean): string | undefined {
  const isTwice = name.startsWith('^');
  const bare = isTwice ? name.slice(1) : name;
  const letter = isNegated === isTwice ? 'p' : 'P';
  const capitalized = bare
    .split(/[_ -]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('_');
  return [bare, capitalized]
    .flatMap((each) => [
      `gc=${each}`,
      `Script=${each}`,
      ...(/^(any|ascii)$/i.test(each) ? [each.length === 3 ? 'Any' : 'ASCII'] : []),
    ])
    .map((property) => `\\${letter}{${property}}`)
    .find(isKnown);
}

function isKnown(part: string): boolean {
  try {
    new RegExp(`[${part}]`, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Whether a character, by its code point, is of a class. */
export type IsOfClass = (code: number) => boolean;

/** @param parts as they stand between brackets; none: no character at all. */
export function classOf(parts: string, isNegated: boolean, isFolded: boolean): IsOfClass {
  const expression = new RegExp(`^[${isNegated ? '^' : ''}${parts}]$`, isFolded ? 'iu' : 'u');
  const known = new Map<number, boolean>();
  return (code) => {
    let isOf = known.get(code);
    if (isOf === undefined) {
      isOf = expression.test(String.fromCodePoint(code));
      // As many as a text in one language has, and no more memory for all others.
      if (known.size < 4_096) {
        known.set(code, isOf);
      }
    }
    return isOf;
  };
}
