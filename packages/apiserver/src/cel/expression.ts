import { type ASTNode, type Environment, EvaluationError, ParseError, TypeError } from '@marcbachmann/cel-js';
import { calls, isMacro, names, resolveNames, withoutPrefix } from './environment.ts';
import { celEqual } from './cel-equal.ts';
import { CelFailure } from './function-table.ts';
import { atExpenseOf, meter } from './metering.ts';
import { costTree } from './cost-tree.ts';
import { estimatedCost } from './estimated-cost.ts';
import { constantFailure, oddLiterals } from './literals.ts';
import { namespaceOf } from './namespaces.ts';
import type { SchemaSize } from './schema-size.ts';
import { unlimited } from './size-range.ts';
import type { Budget } from './budget.ts';
import type { DeclaredType } from './typed-value.ts';

/** A compiled expression, which can be evaluated repeatedly. */
export interface Expression {
  /** Throws a CelFailure with cel-go's error text, also when the budget is spent. */
  evaluate(variables: Readonly<Record<string, unknown>>, budget: Budget): unknown;
  /** Whether the expression names a variable. */
  uses(variable: string): boolean;
  /**
   * The highest cost of an evaluation, estimated as cel-go does it.
   *
   * @param type of `self` and `oldSelf`
   * @param size of the values of `self` and `oldSelf`
   */
  estimateCost(type: DeclaredType, size: SchemaSize): number;
  /** The library's name for the type of the result. */
  readonly type: string;
}

export interface WantedResult {
  /** The accepted types of the result, by the library's names. Default: any type. */
  readonly types?: readonly string[];
  /** The error for a result of another type, whose name is given as cel-go prints it. */
  readonly otherwise: (type: string) => string;
}

const none: ReadonlySet<string> = new Set();

/** The longest expression, in code points. */
const longestText = 100_000;

/**
 * Parses and checks a text. Throws a CelFailure with the text of cel-go's compiler.
 *
 * @param functions the names of functions that only this environment has
 */
export function compile(
  environment: Environment,
  text: string,
  wanted: WantedResult,
  functions = none,
): Expression {
  try {
    return compileText(environment, text, wanted, functions);
  } catch (error) {
    // The expression nests so deeply that the stack overflowed.
    throw error instanceof RangeError ? located(text, 'Syntax error: expression nests too deeply', 0) : error;
  }
}

function compileText(
  environment: Environment,
  text: string,
  { types, otherwise }: WantedResult,
  functions: ReadonlySet<string>,
): Expression {
  const size = text.length > longestText ? Array.from(text).length : 0;
  if (size > longestText) {
    const problem = `expression code point size exceeds limit: size: ${size}, limit ${longestText}`;
    throw new CelFailure(`ERROR: <input>:-1:0: ${problem}`);
  }
  const first = asFailure(text, () => environment.parse(text));
  // The items of a list must have one type, except in the arguments of `format`. The library can only switch
  // this check for the whole expression.
  const isMixed = calls(first.ast, 'format');
  const parsed = isMixed ? environment.clone({ homogeneousAggregateLiterals: false }).parse(text) : first;
  const { ast } = parsed;
  const unknown = resolveNames(ast, environment, functions);
  if (unknown.length > 0) {
    throw locatedAll(
      text,
      unknown.map((node) => undeclaredName(text, node)),
    );
  }
  const { valid, type = 'dyn', error } = parsed.check();
  if (!valid) {
    throw compileFailure(text, error);
  }
  const odd = oddLiterals(ast);
  if (odd.length > 0) {
    throw locatedAll(
      text,
      odd.map(({ of, literal }) => ({ problem: `invalid ${of} argument`, position: literal.range.start })),
    );
  }
  if (types?.includes(type) === false) {
    throw new CelFailure(otherwise(typeName(type)));
  }
  const failure = constantFailure(ast);
  if (failure !== undefined) {
    throw new InstantiationFailure(failure.message);
  }
  meter(ast, { isEqual: celEqual });
  return {
    type,
    evaluate(variables, budget) {
      try {
        return atExpenseOf(budget, () => parsed(variables) as unknown);
      } catch (failed) {
        throw evaluationFailure(failed);
      }
    },
    uses: (variable) => names(ast, variable),
    estimateCost({ objectTypes }, size) {
      try {
        return estimatedCost(costTree(ast, objectTypes), size);
      } catch (error) {
        // The expression nests so deeply that the stack overflowed. The real server refuses it for its depth.
        if (error instanceof RangeError) {
          return unlimited;
        }
        throw error;
      }
    },
  };
}

/** A type as cel-go's compiler prints it. */
function shownType(type: string): string {
  return typeName(type).replace(
    /\bgoogle\.protobuf\.(Timestamp|Duration)\b|\bnull_type\b/g,
    (_, name: string | undefined) => name?.toLowerCase() ?? 'null',
  );
}

/** A type by its name in CEL. */
function typeName(type: string): string {
  return type
    .replaceAll('<', '(')
    .replaceAll('>', ')')
    .replaceAll('optional(', 'optional_type(')
    .replace(/\bnull\b/g, 'null_type')
    .replace(/\b[A-Z]\b/g, 'dyn');
}

function asFailure<Result>(text: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw compileFailure(text, error);
  }
}

function compileFailure(text: string, error: unknown): CelFailure {
  if (!(error instanceof TypeError || error instanceof ParseError)) {
    throw error;
  }
  const { summary, code, range } = error;
  const node = error instanceof TypeError ? error.node : undefined;
  if (error instanceof ParseError) {
    const problem =
      code === 'invalid_macro_argument' ? 'argument must be a simple name' : `Syntax error: ${summary}`;
    return located(text, problem, range?.start ?? 0);
  }
  if (node !== undefined && code === 'no_such_key' && (node.op === '.' || node.op === '.?')) {
    return located(text, `undefined field '${node.args[1]}'`, text.indexOf('.', node.args[0].range.end));
  }
  if (node?.op === 'id' && code === 'unknown_variable') {
    return located(text, undeclared(node.args), node.range.start);
  }
  if (error instanceof TypeError && node?.op === 'rcall' && code === 'no_matching_overload') {
    return located(text, noMethod(node) ?? wordsOf(withoutPrefix(summary)), operatorPosition(text, node));
  }
  return located(
    text,
    wordsOf(withoutPrefix(summary)),
    node === undefined ? 0 : operatorPosition(text, node),
  );
}

/** Translates the library's messages about types to cel-go's words. */
function wordsOf(summary: string): string {
  return summary
    .replace(
      /^Cannot index type '(.+)'$/,
      (_, type: string) => `type '${shownType(type)}' does not support field selection`,
    )
    .replace(/^(?:List elements must have the same type|Map (?:key|value) uses wrong type), /, '')
    .replace(
      /^Ternary branches must have the same type, got '(.+)' and '(.+)'$/,
      (_, left: string, right: string) =>
        `found no matching overload for '_?_:_' applied to '(bool, ${shownType(left)}, ${shownType(right)})'`,
    )
    .replace(
      /^no such overload: (.+) (\S+) (.+)$/,
      (_, left, operator, right) =>
        `found no matching overload for '${operator === 'in' ? '@in' : `_${operator}_`}' applied to '(${shownType(String(left))}, ${shownType(String(right))})'`,
    )
    .replace(
      /^no such overload: ([!-])(.+)$/,
      (_, operator, operand) =>
        `found no matching overload for '${operator}_' applied to '(${shownType(String(operand))})'`,
    )
    .replace(
      /^found no matching overload for '(?:([^@(]+)\.)?(@?\w+)\((.*)\)'$/,
      (_, receiver: string | undefined, name, values) => noOverload(String(name), receiver, String(values)),
    )
    .replace(/^Expression of type (.*) cannot be range (.*)\.$/, 'expression of type $1 cannot be range $2')
    .replace(
      /^(?:all|exists)\(var, predicate\) predicate must return bool, got/,
      "expected type 'bool' but found",
    )
    .replace(/\b(?:list|map|optional)<[^']*/g, shownType);
}

/**
 * Restores the types in an error about a method, because the library reports a receiver only as a list or a
 * map. Returns undefined if the error is about a macro.
 */
function noMethod(node: Extract<ASTNode, { readonly op: 'rcall' }>): string | undefined {
  const [name, receiver, args] = node.args;
  const types = [receiver, ...args].map(
    (each) => (each as { checkedType?: { name: string } }).checkedType?.name,
  );
  const [target, ...values] = types;
  return target === undefined || values.includes(undefined) || isMacro(node)
    ? undefined
    : noOverload(withoutPrefix(name), target, values.join(', '));
}

function noOverload(name: string, receiver: string | undefined, values: string): string {
  const namespace = receiver === undefined ? undefined : namespaceOf(receiver);
  const [called, target] = namespace === undefined ? [name, receiver] : [`${namespace}.${name}`, undefined];
  const shown = target === undefined ? '' : `${shownType(target)}.`;
  return `found no matching overload for '${called}' applied to '${shown}(${shownType(values)})'`;
}

export function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

function undeclaredName(text: string, node: ASTNode): Problem {
  const name = node.op === 'call' || node.op === 'rcall' ? node.args[0] : node.op === 'id' ? node.args : '';
  return { problem: undeclared(withoutPrefix(name)), position: operatorPosition(text, node) };
}

/** The position that cel-go reports for a call or an operator. */
function operatorPosition(text: string, node: ASTNode): number {
  const after = (start: number, part: string): number => {
    const found = text.indexOf(part, start);
    return found < 0 ? node.range.start : found;
  };
  switch (node.op) {
    case 'call':
      return after(node.range.start, '(');
    case 'rcall':
      return after(node.args[1].range.end, '(');
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.range.start;
    case '?:':
      return after(node.args[0].range.end, '?');
    case '[]':
    case '[?]':
      return after(node.args[0].range.end, '[');
    case '.?':
      return after(node.args[0].range.end, '.');
    default:
      return after(node.args[0].range.end, node.op);
  }
}

interface Problem {
  readonly problem: string;
  /** The offset in the text of the expression. */
  readonly position: number;
}

/** The expression is well-formed, but the real server cannot make a program of it. */
export class InstantiationFailure extends CelFailure {}

/** A failure that points to positions in an expression. */
export class LocatedFailure extends CelFailure {
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[]) {
    super(message);
    this.problems = problems;
  }
}

/** Points to a problem as cel-go's compiler does. */
export function located(text: string, problem: string, position: number): LocatedFailure {
  return locatedAll(text, [{ problem, position }]);
}

/** Points to several problems as cel-go's compiler does, ordered by position. */
export function locatedAll(text: string, problems: readonly Problem[]): LocatedFailure {
  const sorted = problems.toSorted((a, b) => a.position - b.position);
  const shown = sorted.slice(0, mostProblems).map((each) => shownProblem(text, each));
  const more = sorted.length - shown.length;
  const lines = more > 0 ? [...shown, `${more} more errors were truncated`] : shown;
  return new LocatedFailure(lines.join('\n'), sorted);
}

/** The most problems that are reported for one expression. */
const mostProblems = 100;

function shownProblem(text: string, { problem, position }: Problem): string {
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = before.length - (before.lastIndexOf('\n') + 1);
  const shown = text.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${problem}\n | ${shown}\n | ${'.'.repeat(column)}^`;
}

const evaluationProblems: Readonly<Record<string, string>> = {
  ...{ invalid_condition_type: 'no such overload', invalid_logical_operand: 'no such overload' },
  division_by_zero: 'division by zero',
  modulo_by_zero: 'modulus by zero',
  numeric_overflow: 'integer overflow',
  no_such_overload: 'no such overload',
  optional_value_missing: 'optional.none() dereference',
};

/**
 * Translates a RangeError that JavaScript throws for an unknown time zone, an oversized string or a stack
 * overflow.
 */
function rangeProblem({ message }: RangeError): string {
  const zone = /^Invalid time zone specified: (.*)$/s.exec(message)?.[1];
  return zone === undefined ? 'operation cancelled: actual cost limit exceeded' : `unknown time zone ${zone}`;
}

/** For these functions cel-go's error does not name the types of the arguments. */
const untold: ReadonlySet<string> = new Set(['contains', 'endsWith', 'matches', 'startsWith']);

function noOverloadAtRunTime(summary: string): string {
  const [, receiver, called = '', values = ''] =
    /^found no matching overload for '(?:([^(]+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const name = withoutPrefix(called);
  if (name === '' || untold.has(name)) {
    return 'no such overload';
  }
  const types = [...(receiver === undefined ? [] : [receiver]), ...(values === '' ? [] : [values])].join(
    ', ',
  );
  return `no such overload: ${name}${name === 'size' ? '' : `(${shownType(types.replaceAll(/<[^ ]*>/g, ''))})`}`;
}

function unsupportedRange(type: string): string {
  return `unsupported comprehension range type: types.${type.charAt(0).toUpperCase()}${type.slice(1)}`;
}

function evaluationFailure(error: unknown): CelFailure {
  if (error instanceof CelFailure) {
    return error;
  }
  if (error instanceof RangeError) {
    return new CelFailure(rangeProblem(error));
  }
  if (!(error instanceof EvaluationError)) {
    throw error;
  }
  if (error.cause instanceof RangeError) {
    return new CelFailure(rangeProblem(error.cause));
  }
  const { code, summary } = error;
  if (code === 'invalid_comprehension_range') {
    return new CelFailure(unsupportedRange(/^Expression of type '(\w+)'/.exec(summary)?.[1] ?? ''));
  }
  if (code === 'no_such_key') {
    return new CelFailure(summary.replace(/^No/, 'no'));
  }
  if (code === 'no_matching_overload') {
    return new CelFailure(noOverloadAtRunTime(summary));
  }
  const index = /index (-?\d+)/.exec(summary)?.[1];
  if (code === 'index_out_of_bounds' && index !== undefined) {
    return new CelFailure(`index out of bounds: ${index}`);
  }
  return new CelFailure(evaluationProblems[code] ?? withoutPrefix(summary));
}
