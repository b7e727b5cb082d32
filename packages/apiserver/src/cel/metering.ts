import type { ASTNode } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { CelFailure } from './function-table.ts';
import type { Budget } from './budget.ts';

/*
 * What evaluations cost. The library counts nothing: `[...].all(a, [...].all(b, ...))` of literals, or `[s].map(x, x + x)` again and again, would keep
 * the process from all else. So each node of a checked expression spends before it is evaluated, and by the size of what comes of it.
 */

/** That of the evaluation under way: evaluations are not interrupted, but for others within them. */
let current: Budget | undefined;

/** Evaluates at the expense of a budget. */
export function atExpenseOf<Result>(budget: Budget, evaluate: () => Result): Result {
  const outer = current;
  current = budget;
  try {
    return evaluate();
  } finally {
    current = outer;
  }
}

/** Throws a CelFailure when there is nothing left. @param count as k8s.io/apiserver/pkg/cel counts what costs more than a step; rounded down. */
export function spend(count: number): void {
  current?.spend(Math.floor(count));
}

/** As the library has them at run time, once an expression is checked; its types say less. */
interface Live {
  readonly op: string;
  readonly args: unknown;
  readonly meta: {
    readonly alternate?: Live;
    readonly macro?: Evaluated;
    readonly evaluate: Evaluate;
  };
  evaluate: Evaluate;
}
type Evaluate = (evaluator: Evaluator, node: unknown, context: unknown) => unknown;
interface Evaluated {
  readonly evaluate: Evaluate;
}
interface Evaluator {
  run(node: Live, context: unknown): unknown;
}
interface Comprehension {
  readonly step: unknown;
  condition?: (accumulated: unknown) => boolean;
}

/** What compares the values of an operator. */
export interface Comparison {
  isEqual(a: unknown, b: unknown): boolean;
}

/** Has a checked expression spend what it costs. */
export function meter(root: ASTNode, comparison: Comparison): void {
  const seen = new Set<object>();
  /** What macros do for each item. */
  const rounds = new Set<unknown>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each !== 'object' || each === null || seen.has(each)) {
      continue;
    }
    seen.add(each);
    if (isNode(each)) {
      open.push(each.args, each.meta.alternate, each.meta.macro);
      meterOperator(each, comparison);
      meterNode(each, rounds.has(each) ? 1 : 0);
      if (each.op === 'comprehension') {
        const comprehension = each.args as Comprehension;
        rounds.add(comprehension.step);
        meterLoop(comprehension);
      }
    } else if (isPlain(each)) {
      open.push(...(Object.values(each) as readonly unknown[]));
    }
  }
}

function isNode(value: object): value is Live {
  return 'op' in value && 'meta' in value && 'evaluate' in value;
}

/** Arguments of a node, of a macro, of a comprehension: not the types and contexts that the library keeps beside them. */
function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** Operators that are no calls on the real server, and literals. */
const free: ReadonlySet<string> = new Set([
  ...['value', 'list', 'map', '&&', '||', '?:', '.', '.?', '[]', '[?]'],
  ...['comprehension', 'accuValue', 'accuInc', 'accuPush'],
]);

const charactersOfStep = 400;
/** Of what is read as a whole. */
const charactersRead = 10;
const itemsOfStep = 100;

/** @param extra that it costs besides. */
function meterNode(node: Live, extra: number): void {
  const { meta, op } = node;
  if (op === 'value') {
    return;
  }
  if (op === 'list' && isConstant(node)) {
    meterConstant(node);
    return;
  }
  const cost = costOf(node) + extra;
  node.evaluate = (evaluator, _, context) => {
    spend(cost);
    const { alternate, macro } = meta;
    const result =
      op === 'map' && Array.isArray(node.args)
        ? mapOf(node.args as readonly (readonly [Live, Live])[], evaluator, context)
        : alternate !== undefined
          ? alternate.evaluate(evaluator, alternate, context)
          : macro !== undefined
            ? macro.evaluate(evaluator, macro, context)
            : meta.evaluate(evaluator, node, context);
    return priced(op === 'list' && Array.isArray(result) ? present(result) : result, op);
  };
}

/** What an operator does with the values of its operands. */
type Handle = (left: unknown, right: unknown, ...rest: unknown[]) => unknown;

/** The library compares without an end: lists, maps and long texts. */
function meterOperator(node: Live & { handle?: Handle }, { isEqual }: Comparison): void {
  const { op, handle } = node;
  if (handle === undefined) {
    return;
  }
  if (op === '==' || op === '!=') {
    node.handle = (left, right, ...rest) =>
      isLarge(left) && isLarge(right) ? isEqual(left, right) === (op === '==') : handle(left, right, ...rest);
  } else if (op === 'in') {
    const isLiteral = Array.isArray(node.args) && (node.args[1] as Live).op === 'list';
    node.handle = (left, right, ...rest) => {
      if (!Array.isArray(right)) {
        return handle(left, right, ...rest);
      }
      spend(isLiteral ? 0 : right.length / charactersRead);
      return typeof left === 'string' ? right.includes(left) : right.some((item) => isEqual(item, left));
    };
  } else if (orders.has(op)) {
    node.handle = (left, right, ...rest) => {
      if (isText(left) && isText(right)) {
        spend(Math.min(left.length, right.length) / charactersRead);
      }
      return handle(left, right, ...rest);
    };
  }
}

const orders: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

function isText(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function isLarge(value: unknown): boolean {
  return isText(value) || Array.isArray(value) || value instanceof Map;
}

function present(list: readonly unknown[]): readonly unknown[] {
  return list.includes(absent) ? list.filter((item) => item !== absent) : list;
}

function costOf({ op, args }: Live): number {
  if (free.has(op)) {
    return 0;
  }
  const list = op === 'in' && Array.isArray(args) ? (args[1] as Live) : undefined;
  // Which the real server looks up, and the library goes through.
  return list?.op === 'list' ? 1 + (list.args as readonly Live[]).length / itemsOfStep : 1;
}

function isConstant({ args }: Live): boolean {
  return Array.isArray(args) && args.length > 0 && args.every((each) => (each as Live).op === 'value');
}

/** A list of literals is made once, as the real server does. */
function meterConstant(node: Live): void {
  const { meta } = node;
  let known: unknown;
  node.evaluate = (evaluator, _, context) => (known ??= meta.evaluate(evaluator, node, context));
}

/** What an optional entry of a list or a map comes to that has no value: the entry is left out. */
export const absent = Symbol('absent');

/** Of the library's own a map is an object, which has no key `__proto__`. */
function mapOf(
  entries: readonly (readonly [Live, Live])[],
  evaluator: Evaluator,
  context: unknown,
): ReadonlyMap<unknown, unknown> {
  return new Map(
    entries
      .map(([key, value]) => [evaluator.run(key, context), evaluator.run(value, context)] as const)
      .filter(([, value]) => value !== absent),
  );
}

/** A quantifier goes on when a round fails, but not when there is nothing left. */
function meterLoop(comprehension: Comprehension): void {
  const { condition } = comprehension;
  if (condition !== undefined) {
    comprehension.condition = (accumulated) => {
      spend(0);
      return condition(accumulated);
    };
  }
}

const operations: ReadonlySet<string> = new Set(['+', '-', '*', '/', '-_', 'call', 'rcall']);

/** A result, paid for by its size, and within the bounds of its type. */
function priced(result: unknown, op: string): unknown {
  if (typeof result === 'string') {
    spend(result.length / (op === '+' ? charactersRead : charactersOfStep));
  } else if (Array.isArray(result) && (op === 'list' || op === '+' || op === 'rcall')) {
    spend(result.length / itemsOfStep);
  } else if (result instanceof Uint8Array && (op === 'call' || op === '+')) {
    spend(result.length / charactersRead);
  } else if (operations.has(op)) {
    checkBounds(result);
  }
  return result;
}

/** Of times, 0001-01-01 to 9999-12-31, milliseconds since 1970. */
const times = [-62_135_596_800_000, 253_402_300_799_999] as const;

function checkBounds(result: unknown): void {
  if (typeof result === 'bigint' && BigInt.asIntN(64, result) !== result) {
    throw new CelFailure('integer overflow');
  }
  if (result instanceof Date && !(result.getTime() >= times[0] && result.getTime() <= times[1])) {
    throw new CelFailure('timestamp overflow');
  }
  if (result instanceof Duration) {
    const nanos = result.seconds * 1_000_000_000n + BigInt(Math.trunc(result.nanos));
    if (BigInt.asIntN(64, nanos) !== nanos) {
      throw new CelFailure('integer overflow');
    }
  }
}
