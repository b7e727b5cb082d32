import type { IsOfClass } from './expression-class.ts';
import { ExpressionError, type Node, type Place, parseExpression } from './expression-syntax.ts';

/*
 * Go's regular expressions. All ways through an expression are followed at once, as RE2 does, character by character: the time that takes is bounded
 * by the length of the text times that of the expression. JavaScript's own expressions try one way after the other, which for `(a+)+$` takes
 * longer than anybody lives.
 */

export interface RegularExpression {
  /** Whether it is anywhere in the text. */
  test(text: string): boolean;
  /** The matches from the left to the right, none upon another. @param limit Infinity: all. */
  findAll(text: string, limit: number): string[];
}

type Step =
  | { readonly kind: 'class'; readonly isOf: IsOfClass; next: number }
  | { readonly kind: 'place'; readonly place: Place; next: number }
  /** The first way is preferred. */
  | { readonly kind: 'fork'; next: number; other: number }
  | { readonly kind: 'match' };

/** Of one expression, whose counted repetitions are steps each. */
const mostSteps = 1_000_000;

/** Those that were asked for last: rules and schemas have few. */
const known = new Map<string, RegularExpression>();
const mostKnown = 256;

/** Throws an ExpressionError for a text that is no expression of Go's. */
export function regularExpression(pattern: string): RegularExpression {
  let found = known.get(pattern);
  if (found === undefined) {
    found = newExpression(programOf(parseExpression(pattern)));
    if (known.size >= mostKnown) {
      known.clear();
    }
    known.set(pattern, found);
  }
  return found;
}

function newExpression(program: Program): RegularExpression {
  return {
    test: (text) => search(program, Array.from(text, codeOf), 0, true) !== undefined,
    findAll(text, limit) {
      const points = Array.from(text);
      const codes = points.map(codeOf);
      const found: string[] = [];
      let from = 0;
      let endBefore = -1;
      while (from <= codes.length && found.length < limit) {
        const span = search(program, codes, from, false);
        if (span === undefined) {
          break;
        }
        const [start, end] = span;
        // As Go has it: what is empty does not touch the match before.
        if (start !== end || start !== endBefore) {
          found.push(points.slice(start, end).join(''));
        }
        from = end > from ? end : from + 1;
        endBefore = end;
      }
      return found;
    },
  };
}

interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

function programOf(root: Node): Program {
  const steps: Step[] = [{ kind: 'match' }];
  const add = (step: Step): number => {
    if (steps.length > mostSteps) {
      throw new ExpressionError('expression too large');
    }
    return steps.push(step) - 1;
  };

  /** The steps of a node, which go on at `next`; the first of them. */
  function compile(node: Node, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'class':
        return add({ kind: 'class', isOf: node.isOf, next });
      case 'place':
        return add({ kind: 'place', place: node.place, next });
      case 'sequence':
        return node.parts.reduceRight((after, part) => compile(part, after), next);
      case 'choice':
        return node.parts
          .map((part) => compile(part, next))
          .reduceRight((other, first) => add({ kind: 'fork', next: first, other }));
      case 'repeat':
        return compileRepeat(node, next);
    }
  }

  function compileRepeat(
    { part, min, max, isGreedy }: Extract<Node, { kind: 'repeat' }>,
    next: number,
  ): number {
    const fork = (inner: number, past: number): number =>
      add(isGreedy ? { kind: 'fork', next: inner, other: past } : { kind: 'fork', next: past, other: inner });
    let after = next;
    let left = min;
    if (max === Infinity) {
      const loop = add({ kind: 'fork', next, other: next });
      const inner = compile(part, loop);
      steps[loop] = isGreedy
        ? { kind: 'fork', next: inner, other: next }
        : { kind: 'fork', next, other: inner };
      // The first of those that must be there is the loop itself: in `((a+)+)+` nothing is there twice.
      after = min === 0 ? loop : inner;
      left = Math.max(0, min - 1);
    } else {
      for (let count = min; count < max; count += 1) {
        after = fork(compile(part, after), next);
      }
    }
    for (let count = 0; count < left; count += 1) {
      after = compile(part, after);
    }
    return after;
  }

  const start = compile(root, 0);
  return { steps, start };
}

/** The steps that are waited at, the preferred ones first, each with where its way began. */
interface Threads {
  readonly at: number[];
  readonly from: number[];
}

/** The first match from a position on, the longest way that is preferred; any, when `isAnyEnough`. */
function search(
  { steps, start }: Program,
  codes: readonly number[],
  begin: number,
  isAnyEnough: boolean,
): readonly [start: number, end: number] | undefined {
  /** By step, the position at which it was reached last. */
  const reached = new Int32Array(steps.length).fill(-1);
  const open: number[] = [];
  let threads: Threads = { at: [], from: [] };
  let found: readonly [number, number] | undefined;

  /** Follows all that takes no character. */
  const follow = (to: Threads, step: number, from: number, position: number): void => {
    open.push(step);
    while (open.length > 0) {
      const index = open.pop() ?? 0;
      const each = steps[index];
      if (each === undefined || reached[index] === position) {
        continue;
      }
      reached[index] = position;
      if (each.kind === 'fork') {
        open.push(each.other, each.next);
      } else if (each.kind !== 'place') {
        to.at.push(index);
        to.from.push(from);
      } else if (isPlace(each.place, codes, position)) {
        open.push(each.next);
      }
    }
  };

  for (let position = begin; position <= codes.length; position += 1) {
    // Nothing that begins later is preferred to what was found.
    if (found === undefined) {
      follow(threads, start, position, position);
    }
    if (threads.at.length === 0 && found !== undefined) {
      break;
    }
    const next: Threads = { at: [], from: [] };
    const code = codes[position];
    for (const [index, at] of threads.at.entries()) {
      const step = steps[at];
      const from = threads.from[index] ?? 0;
      if (step?.kind === 'match') {
        found = [from, position];
        if (isAnyEnough) {
          return found;
        }
        // What is less preferred is over.
        break;
      }
      if (step?.kind === 'class' && code !== undefined && step.isOf(code)) {
        follow(next, step.next, from, position + 1);
      }
    }
    threads = next;
  }
  return found;
}

function isPlace(place: Place, codes: readonly number[], position: number): boolean {
  const isWord = (code: number | undefined): boolean =>
    code !== undefined && code < 0x80 && /\w/.test(String.fromCharCode(code));
  const [before, after] = [codes[position - 1], codes[position]];
  switch (place) {
    case 'begin':
      return position === 0;
    case 'end':
      return position === codes.length;
    case 'lineBegin':
      return position === 0 || before === newline;
    case 'lineEnd':
      return position === codes.length || after === newline;
    case 'wordBoundary':
      return isWord(before) !== isWord(after);
    case 'noWordBoundary':
      return isWord(before) === isWord(after);
  }
}

const newline = 0x0a;

function codeOf(point: string): number {
  return point.codePointAt(0) ?? 0;
}
