import { CelFailure } from './function-table.ts';

/*
 * Literals of objects, `Object.spec{replicas: 3, ?paused: object.?paused}`, which the library's grammar does not have. They are written as calls
 * that it has, `k8s_new("Object.spec",["replicas",3,"?paused",object.?paused])`, and every character knows where it comes from.
 */

/** The function that literals are written as. Nobody else may call it. */
export const constructor = 'k8s_new';

export interface Rewritten {
  readonly text: string;
  /** The names of the types, each once, in their order. */
  readonly types: readonly string[];
  /** From a position in the text to one in what was given. */
  origin(position: number): number;
}

/** A name that is no type, or that nobody may use. */
export class UndeclaredName extends CelFailure {
  /** In the text as it was given. */
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

/** Throws an UndeclaredName. */
export function rewriteLiterals(given: string, isType: (name: string) => boolean): Rewritten {
  let text = '';
  const origins: number[] = [];
  const types = new Set<string>();
  const open: ('literal' | 'other')[] = [];
  let at = 0;

  const match = (pattern: RegExp, from = at): RegExpExecArray | null => {
    pattern.lastIndex = from;
    return pattern.exec(given);
  };
  const copy = (end: number): void => {
    text += given.slice(at, end);
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
  /** The name of a field, in front of its value. */
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
    // The operator `in` may have a map after it.
    if (given[brace] !== '{' || whole === 'in') {
      if (whole === constructor) {
        throw new UndeclaredName(whole, end);
      }
      copy(end);
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
    open.push('literal');
    takeField();
  };

  while (at < given.length) {
    const character = given[at] ?? '';
    const plain = match(quoted) ?? match(number);
    const blank = match(skipped)?.[0].length ?? 0;
    const name = match(path)?.[0];
    if (blank > 0) {
      copy(at + blank);
    } else if (plain !== null) {
      copy(at + plain[0].length);
    } else if (match(quote) !== null) {
      // A text without an end: the parser says so.
      copy(given.length);
    } else if (name !== undefined) {
      takeName(name);
    } else if (character === '}' && open.pop() === 'literal') {
      write('])', at);
      at++;
    } else {
      if ('{[('.includes(character)) {
        open.push('other');
      } else if (')]'.includes(character)) {
        open.pop();
      }
      copy(at + 1);
      if (character === ',' && open.at(-1) === 'literal') {
        takeField();
      }
    }
  }
  return { text, types: [...types], origin: (position) => origins[position] ?? given.length };
}
