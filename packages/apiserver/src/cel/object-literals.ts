import { CelFailure } from './function-table.ts';

/*
 * Rewrites literals that the library's grammar lacks as calls. Each character of the result is mapped to its
 * origin, so that errors point to the right place.
 *
 * | literal                                                  | call                                                              |
 * | -------------------------------------------------------- | ----------------------------------------------------------------- |
 * | `Object.spec{replicas: 3, ?paused: object.?paused}`      | `k8s_new("Object.spec",["replicas", 3,"?paused", object.?paused])` |
 * | `{"a": 1, ?"b": object.?b}`                              | `{"a": 1, "b":k8s_given( object.?b)}`                              |
 * | `[1, ?object.?b]`                                        | `[1, k8s_given(object.?b)]`                                        |
 */

/** The functions that replace literals. Expressions must not call them by name. */
export const constructor = 'k8s_new';
export const given = 'k8s_given';

export interface Rewritten {
  readonly text: string;
  /** The names of the types, each once, in the order of their first use. */
  readonly types: readonly string[];
  /** Maps a position in the rewritten text to one in the original. */
  origin(position: number): number;
}

/** A literal of an unknown type, or a reserved name. */
export class UndeclaredName extends CelFailure {
  /** The position in the original text. */
  readonly position: number;

  constructor(name: string, position: number) {
    super(name);
    this.position = position;
  }
}

const trivia = String.raw`(?:\s|//[^\n]*(?:\n|$))*`;
const skipped = new RegExp(trivia, 'y');
const number = /\d[\w.]*/y;
const path = new RegExp(`[A-Za-z_]\\w*(?:${trivia}\\.${trivia}[A-Za-z_]\\w*)*`, 'y');
const quoted =
  /[rRbB]?(?:"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*')/y;
const quote = /[rRbB]?["']/y;
const field = new RegExp(`${trivia}(?:(\\?)${trivia})?([A-Za-z_]\\w*)${trivia}:`, 'y');

const mark = new RegExp(`${trivia}\\?`, 'y');

/**
 * An open bracket and, while an optional entry is read inside it, the part of the entry that is being read.
 */
interface Frame {
  readonly kind: 'object' | 'map' | 'list' | 'other';
  optional?: 'key' | 'value' | undefined;
}
const opened: Readonly<Record<string, Frame['kind']>> = { '{': 'map', '[': 'list', '(': 'other' };

/** Throws an UndeclaredName. */
export function rewriteLiterals(source: string, isType: (name: string) => boolean): Rewritten {
  let text = '';
  const origins: number[] = [];
  const types = new Set<string>();
  const open: Frame[] = [];
  /** Whether an expression has just ended, so that an opening bracket is an index. */
  let isAfterValue = false;
  let at = 0;

  const match = (pattern: RegExp, from = at): RegExpExecArray | null => {
    pattern.lastIndex = from;
    return pattern.exec(source);
  };
  const copy = (end: number): void => {
    text += source.slice(at, end);
    for (; at < end; at++) {
      origins.push(at);
    }
  };
  const write = (piece: string, origin: number): void => {
    text += piece;
    for (let index = 0; index < piece.length; index++) {
      origins.push(origin);
    }
  };
  /** Rewrites the name of a field before its value. */
  const takeField = (): void => {
    const found = match(field);
    if (found !== null) {
      const [whole, optional = '', name = ''] = found;
      const end = at + whole.length;
      write(JSON.stringify(`${optional}${name}`), end - 1);
      write(',', end - 1);
      at = end;
    }
  };
  const takeName = (whole: string): void => {
    const start = at;
    const end = start + whole.length;
    const brace = end + (match(skipped, end)?.[0].length ?? 0);
    // After the operator `in`, a brace opens a map.
    if (source[brace] !== '{' || whole === 'in') {
      if (whole === constructor || whole === given) {
        throw new UndeclaredName(whole, end);
      }
      copy(end);
      isAfterValue = whole !== 'in';
      return;
    }
    const name = whole.replaceAll(/\s|\/\/[^\n]*/g, '');
    if (!isType(name)) {
      throw new UndeclaredName(name, brace);
    }
    types.add(name);
    write(constructor, start);
    write('(', brace);
    write(JSON.stringify(name), start);
    write(',[', brace);
    at = brace + 1;
    isAfterValue = false;
    open.push({ kind: 'object' });
    takeField();
  };
  /** Removes the question mark before an entry of a list or a map. */
  const takeMark = (): void => {
    const frame = open.at(-1);
    const found = match(mark);
    if (found !== null && frame !== undefined && (frame.kind === 'list' || frame.kind === 'map')) {
      frame.optional = frame.kind === 'list' ? 'value' : 'key';
      at += found[0].length;
      if (frame.kind === 'list') {
        write(`${given}(`, at - 1);
      }
    }
  };
  const endEntry = (): void => {
    const frame = open.at(-1);
    if (frame?.optional === 'value') {
      write(')', at);
    }
    if (frame !== undefined) {
      frame.optional = undefined;
    }
  };
  const takeSign = (sign: string): void => {
    isAfterValue = ')]}'.includes(sign);
    if (sign === ',' || isAfterValue) {
      endEntry();
    }
    if (sign === '}' && open.at(-1)?.kind === 'object') {
      open.pop();
      write('])', at);
      at++;
      return;
    }
    const isIndex = sign === '[' && wasAfterValue;
    copy(at + 1);
    const kind = isIndex ? 'other' : opened[sign];
    if (kind !== undefined) {
      open.push({ kind });
    } else if (isAfterValue) {
      open.pop();
    }
    const frame = open.at(-1);
    if (sign === ':' && frame?.optional === 'key') {
      frame.optional = 'value';
      write(`${given}(`, at - 1);
    } else if (sign === ',' && frame?.kind === 'object') {
      takeField();
    } else if (sign === ',' || (kind !== undefined && !isIndex)) {
      takeMark();
    }
  };

  let wasAfterValue = false;
  while (at < source.length) {
    const plain = match(quoted) ?? match(number);
    const blank = match(skipped)?.[0].length ?? 0;
    const name = match(path)?.[0];
    wasAfterValue = isAfterValue;
    if (blank > 0) {
      copy(at + blank);
    } else if (plain !== null) {
      copy(at + plain[0].length);
      isAfterValue = true;
    } else if (match(quote) !== null) {
      // The string has no closing quote. The parser reports that.
      copy(source.length);
    } else if (name !== undefined) {
      takeName(name);
    } else {
      takeSign(source[at] ?? '');
    }
  }
  return { text, types: [...types], origin: (position) => origins[position] ?? source.length };
}
