import { type IsOfClass, classOf, partOf, perlPart, posixPart, unicodePart } from './expression-class.ts';

/*
 * The syntax of Go's regular expressions (RE2's, with the flags that the package regexp has): what it takes is taken, and what it refuses, such as
 * lookaheads and references to groups, is refused.
 */

/** The places between characters that an expression can ask for. */
export type Place = 'begin' | 'end' | 'lineBegin' | 'lineEnd' | 'wordBoundary' | 'noWordBoundary';

export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'class'; readonly isOf: IsOfClass }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly part: Node;
      readonly min: number;
      /** Infinity: any number. */
      readonly max: number;
      readonly isGreedy: boolean;
    };

/** The text is no regular expression. */
export class ExpressionError extends Error {}

interface Flags {
  readonly isFolded: boolean;
  readonly isMultiline: boolean;
  readonly isDotAll: boolean;
  readonly isUngreedy: boolean;
}

const noFlags: Flags = { isFolded: false, isMultiline: false, isDotAll: false, isUngreedy: false };
const flagNames: Readonly<Record<string, keyof Flags>> = {
  i: 'isFolded',
  m: 'isMultiline',
  s: 'isDotAll',
  U: 'isUngreedy',
};

/** Of repetitions within each other, all together. */
const mostRepeats = 1_000;
const mostDepth = 1_000;

const escapes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const places: Readonly<Record<string, Place>> = {
  A: 'begin',
  z: 'end',
  b: 'wordBoundary',
  B: 'noWordBoundary',
};

/** Throws an ExpressionError. */
export function parseExpression(pattern: string): Node {
  const points = Array.from(pattern);
  let at = 0;
  let flags = noFlags;
  let depth = 0;

  const fail = (what: string): never => {
    throw new ExpressionError(what);
  };
  const isAt = (text: string): boolean => points.slice(at, at + text.length).join('') === text;
  const take = (text: string): boolean => {
    const isThere = isAt(text);
    at += isThere ? text.length : 0;
    return isThere;
  };
  /** The text up to a mark, which is taken as well; undefined: there is no such mark. */
  const takeUntil = (mark: string): string | undefined => {
    const end = points.indexOf(mark, at);
    const text = end < 0 ? undefined : points.slice(at, end).join('');
    at = end < 0 ? at : end + 1;
    return text;
  };
  const literal = (code: number): Node => ({
    kind: 'class',
    isOf: flags.isFolded ? classOf(partOf([[code, code]]), false, true) : (other) => other === code,
  });
  const ofClass = (parts: string, isNegated = false): Node => ({
    kind: 'class',
    isOf: classOf(parts, isNegated, flags.isFolded),
  });

  function parseChoice(): Node {
    depth += 1;
    if (depth > mostDepth) {
      fail('expression nests too deeply');
    }
    const parts = [parseSequence()];
    while (take('|')) {
      parts.push(parseSequence());
    }
    depth -= 1;
    const [first = { kind: 'empty' }, ...more] = parts;
    return more.length === 0 ? first : { kind: 'choice', parts };
  }

  function parseSequence(): Node {
    const parts: Node[] = [];
    while (at < points.length && !isAt('|') && !isAt(')')) {
      if (take('\\Q')) {
        const quoted = takeQuoted().map((code) => literal(code));
        const lastOne = quoted.pop();
        quoted.forEach((each) => parts.push(each));
        if (lastOne !== undefined) {
          parts.push(parseRepeats(lastOne));
        }
        continue;
      }
      const part = parseAtom();
      if (part !== undefined) {
        parts.push(parseRepeats(part));
      }
    }
    return { kind: 'sequence', parts };
  }

  function takeQuoted(): readonly number[] {
    const quoted: number[] = [];
    while (at < points.length && !take('\\E')) {
      quoted.push(codeOf(points[at]));
      at += 1;
    }
    return quoted;
  }

  function parseRepeats(first: Node): Node {
    let part = first;
    let isRepeated = false;
    let before = at;
    for (;;) {
      const begin = at;
      const range = takeRepeat();
      if (range === undefined) {
        return part;
      }
      if (isRepeated) {
        fail(`invalid nested repetition operator: \`${points.slice(before, at).join('')}\``);
      }
      const isGreedy = take('?') === flags.isUngreedy;
      part = { kind: 'repeat', part, ...range, isGreedy };
      isRepeated = true;
      before = begin;
      if (repeatsOf(part) > mostRepeats) {
        fail('invalid repeat count');
      }
    }
  }

  /** The range of a repetition, if one stands here: braces that hold none are characters. */
  function takeRepeat(): { readonly min: number; readonly max: number } | undefined {
    if (take('*')) {
      return { min: 0, max: Infinity };
    }
    if (take('+')) {
      return { min: 1, max: Infinity };
    }
    if (take('?')) {
      return { min: 0, max: 1 };
    }
    const found = isAt('{')
      ? /^\{(0|[1-9]\d{0,8})(,(0|[1-9]\d{0,8})?)?\}/.exec(points.slice(at, at + 24).join(''))
      : null;
    if (found === null) {
      return undefined;
    }
    const [whole, least = '', comma, most] = found;
    at += whole.length;
    const min = Number(least);
    const max = comma === undefined ? min : most === undefined ? Infinity : Number(most);
    if (min > mostRepeats || (max !== Infinity && max > mostRepeats) || max < min) {
      fail(`invalid repeat count: \`${whole}\``);
    }
    return { min, max };
  }

  /** Undefined: flags for what follows, which are nothing themselves. */
  function parseAtom(): Node | undefined {
    if (take('(')) {
      return parseGroup();
    }
    if (take('[')) {
      return parseClass();
    }
    if (take('.')) {
      return ofClass(flags.isDotAll ? partOf([[0, 0x10ffff]]) : '\\n', !flags.isDotAll);
    }
    if (take('^')) {
      return { kind: 'place', place: flags.isMultiline ? 'lineBegin' : 'begin' };
    }
    if (take('$')) {
      return { kind: 'place', place: flags.isMultiline ? 'lineEnd' : 'end' };
    }
    if (isAt('*') || isAt('+') || isAt('?')) {
      fail(`missing argument to repetition operator: \`${points[at] ?? ''}\``);
    }
    if (take('\\')) {
      return parseEscape();
    }
    if (isAt('{') && takeRepeat() !== undefined) {
      fail('missing argument to repetition operator: `{`');
    }
    const code = codeOf(points[at]);
    at += 1;
    return literal(code);
  }

  function parseGroup(): Node | undefined {
    const before = flags;
    if (take('?')) {
      if (take('P<') || take('<')) {
        const name = takeUntil('>') ?? '';
        if (!/^\w+$/.test(name)) {
          fail(`invalid named capture: \`(?<${name}>\``);
        }
      } else if (!takeFlags()) {
        return undefined;
      }
    }
    const inner = parseChoice();
    if (!take(')')) {
      fail('missing closing )');
    }
    flags = before;
    return inner;
  }

  /** Whether a group follows, with its flags of its own. */
  function takeFlags(): boolean {
    let isOn = true;
    let isEmpty = true;
    for (;;) {
      const letter = points[at] ?? '';
      at += 1;
      const name = flagNames[letter];
      if (name !== undefined) {
        flags = { ...flags, [name]: isOn };
        isEmpty = false;
      } else if (letter === '-' && isOn) {
        isOn = false;
        isEmpty = true;
      } else if ((letter === ':' || letter === ')') && (isOn || !isEmpty)) {
        return letter === ':';
      } else {
        fail('invalid or unsupported Perl syntax');
      }
    }
  }

  function parseEscape(): Node {
    const letter = points[at] ?? fail('trailing backslash at end of expression');
    const place = Object.hasOwn(places, letter) ? places[letter] : undefined;
    if (place !== undefined) {
      at += 1;
      return { kind: 'place', place };
    }
    const part = takeClassEscape();
    return part === undefined ? literal(takeCharacterEscape()) : ofClass(part);
  }

  /** `\d`, `\pL` and their like, behind the backslash. */
  function takeClassEscape(): string | undefined {
    const letter = points[at] ?? '';
    const simple = perlPart(letter);
    if (simple !== undefined) {
      at += 1;
      return simple;
    }
    if (letter !== 'p' && letter !== 'P') {
      return undefined;
    }
    at += 1;
    const name = take('{') ? (takeUntil('}') ?? '') : (points[at++] ?? '');
    return (
      unicodePart(name, letter === 'P') ?? fail(`invalid character class range: \`\\${letter}{${name}}\``)
    );
  }

  function takeCharacterEscape(): number {
    const letter = points[at] ?? fail('trailing backslash at end of expression');
    at += 1;
    const known = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (known !== undefined) {
      return known;
    }
    if (letter === 'x') {
      const [, long, short] =
        /^(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2}))/.exec(points.slice(at, at + 10).join('')) ?? [];
      const digits = long ?? short ?? fail('invalid escape sequence: `\\x`');
      at += digits.length + (long === undefined ? 0 : 2);
      const code = Number.parseInt(digits, 16);
      return code > 0x10ffff ? fail('invalid escape sequence: `\\x`') : code;
    }
    const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(points.slice(at - 1, at + 2).join(''))?.[0];
    if (octal !== undefined) {
      at += octal.length - 1;
      return Number.parseInt(octal, 8);
    }
    return /^[\u0000-\u007f]$/.test(letter) && !/[0-9A-Za-z]/.test(letter)
      ? codeOf(letter)
      : fail(`invalid escape sequence: \`\\${letter}\``);
  }

  function parseClass(): Node {
    const isNegated = take('^');
    let parts = '';
    for (let isFirst = true; isFirst || !isAt(']'); isFirst = false) {
      if (at >= points.length) {
        fail('missing closing ]');
      }
      parts += takeClassPart();
    }
    at += 1;
    return ofClass(parts, isNegated);
  }

  function takeClassPart(): string {
    if (isAt('[:')) {
      const end = points.indexOf(']', at + 2);
      const name = points.slice(at + 2, end - 1).join('');
      if (end > 0 && points[end - 1] === ':') {
        at = end + 1;
        return posixPart(name) ?? fail(`invalid character class range: \`[:${name}:]\``);
      }
    }
    if (isAt('\\')) {
      at += 1;
      const part = takeClassEscape();
      if (part !== undefined) {
        return part;
      }
      at -= 1;
    }
    const from = takeClassCharacter();
    if (!isAt('-') || points[at + 1] === undefined || points[at + 1] === ']') {
      return partOf([[from, from]]);
    }
    at += 1;
    const to = takeClassCharacter();
    return to < from ? fail('invalid character class range') : partOf([[from, to]]);
  }

  function takeClassCharacter(): number {
    if (take('\\')) {
      return takeCharacterEscape();
    }
    const code = codeOf(points[at] ?? fail('missing closing ]'));
    at += 1;
    return code;
  }

  const root = parseChoice();
  return at < points.length ? fail('unexpected )') : root;
}

function codeOf(point = ''): number {
  return point.codePointAt(0) ?? 0;
}

/** How often the innermost part is repeated at the most, by counts. */
function repeatsOf(node: Node): number {
  switch (node.kind) {
    case 'repeat': {
      const count = node.max === Infinity ? node.min : node.max;
      return Math.max(1, count) * repeatsOf(node.part);
    }
    case 'sequence':
    case 'choice':
      return node.parts.reduce((most, part) => Math.max(most, repeatsOf(part)), 1);
    default:
      return 1;
  }
}
