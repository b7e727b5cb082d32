import type { ASTNode } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { append } from '../meta/append.ts';
import { CelFailure } from './function-table.ts';
import type { Budget } from './budget.ts';

/*
 * Makes evaluations pay for what they do. The library counts nothing, so nested loops over literals
 * (`[...].all(a, [...].all(b, ...))`) or repeated doubling (`[s].map(x, x + x)`) would block the process.
 * Therefore each node of a checked expression spends budget before it is evaluated, and again by the size of
 * its result.
 */

/** The budget of the evaluation that runs now. Evaluations are synchronous, so only nested ones change it. */
let current: Budget | undefined;

/** Runs an evaluation that spends a budget. */
export function atExpenseOf<Result>(budget: Budget, evaluate: () => Result): Result {
  const outer = current;
  current = budget;
  try {
    return evaluate();
  } finally {
    current = outer;
  }
}

/**
 * Throws a CelFailure when no budget is left.
 *
 * @param count of units as k8s.io/apiserver/pkg/cel counts what costs more than a step; rounded down
 */
export function spend(count: number): void {
  current?.spend(Math.floor(count));
}

/**
 * A node as the library has it at run time, once the expression is checked. The library's own types do not
 * declare it.
 */
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

/** How operators compare values. */
export interface Comparison {
  isEqual(a: unknown, b: unknown): boolean;
}

/** Makes a checked expression spend what it costs. */
export function meter(root: ASTNode, comparison: Comparison): void {
  const seen = new Set<object>();
  /** The expressions that macros evaluate for each item. */
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
      append(open, Object.values(each) as readonly unknown[]);
    }
  }
}

function isNode(value: object): value is Live {
  return 'op' in value && 'meta' in value && 'evaluate' in value;
}

/**
 * Whether a value holds the arguments of a node, a macro or a comprehension, rather than the types and
 * contexts that the library keeps next to them.
 */
function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** Literals, and the operators that are not calls on the real server. */
const free: ReadonlySet<string> = new Set([
  ...['value', 'list', 'map', '&&', '||', '?:', '.', '.?', '[]', '[?]'],
  ...['comprehension', 'accuValue', 'accuInc', 'accuPush'],
]);

const charactersOfStep = 400;
/** Characters per step, for a text that is read as a whole. */
const charactersRead = 10;
const itemsOfStep = 100;

/** @param extra what the node costs in addition to its own cost */
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

/** Replaces the library's comparisons, which do not spend for the size of lists, maps and long texts. */
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
  // The real server looks the value up in a list of literals; the library searches the list.
  return list?.op === 'list' ? 1 + (list.args as readonly Live[]).length / itemsOfStep : 1;
}

function isConstant({ args }: Live): boolean {
  return Array.isArray(args) && args.length > 0 && args.every((each) => (each as Live).op === 'value');
}

/** Makes a list of literals only once, as the real server does. */
function meterConstant(node: Live): void {
  const { meta } = node;
  let known: unknown;
  node.evaluate = (evaluator, _, context) => (known ??= meta.evaluate(evaluator, node, context));
}

/** The value of an optional entry of a list or a map that has no value. The entry is left out. */
export const absent = Symbol('absent');

/** Makes a Map, because the object that the library would make cannot have a key `__proto__`. */
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

/** A quantifier continues when a round fails, but must stop when no budget is left. */
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

/** Spends for the size of a result, and checks that it is within the bounds of its type. */
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

/** The earliest and the latest time, 0001-01-01 and 9999-12-31, in milliseconds since 1970. */
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
