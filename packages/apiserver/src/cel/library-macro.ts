import type { ASTNode } from '@marcbachmann/cel-js';

/*
 * The interfaces between the library and macros, which receive expressions instead of values. The library's
 * own types do not declare them.
 */

export interface CheckedType {
  readonly kind: string;
  readonly name: string;
  /** The type of a map's keys. */
  readonly keyType?: CheckedType;
  /** The type of a list's items, a map's values, or an optional's value. */
  readonly valueType?: CheckedType;
}

export interface Checker {
  check(node: ASTNode, context: unknown): CheckedType;
  /** Returns the type of a field. Throws if the type has no such field. */
  checkAccessOnType(node: ASTNode, context: unknown, type: CheckedType): CheckedType;
  getType(name: string): CheckedType;
  createError(code: string, message: string, node: ASTNode): Error;
}

export interface Evaluator {
  run(node: ASTNode, context: unknown): unknown;
}

/** The variables that an expression can name. */
export interface Context {
  forkWithVariable(name: string, type: CheckedType): LocalContext;
}

/**
 * A context with one more variable. It is made when an expression is checked, and holds the variable's value
 * during the evaluation.
 */
export interface LocalContext extends Context {
  reuse(parent: unknown): LocalContext;
  setIterValue(value: unknown, evaluator: Evaluator): LocalContext;
}

export interface Macro {
  readonly async: false;
  typeCheck(checker: Checker, macro: unknown, context: Context): CheckedType;
  evaluate(evaluator: Evaluator, macro: unknown, context: unknown): unknown;
}

/** The call of a macro. */
export interface MacroCall {
  readonly ast: ASTNode;
  readonly args: readonly ASTNode[];
  readonly receiver: ASTNode;
}

/** A macro: its declaration, and what a call of it expands to. */
export type CelMacro = readonly [signature: string, expand: (call: MacroCall) => Macro];

/** The name that an argument gives to a variable. Undefined: the argument is not a name. */
export function variableName(node: ASTNode | undefined): string | undefined {
  return node?.op === 'id' ? node.args : undefined;
}

/**
 * Whether nothing is known of a type. A type parameter counts, because the library accepts it as any type.
 */
export function isOfAnyType(type: CheckedType | undefined): boolean {
  return type === undefined || type.kind === 'dyn' || type.kind === 'param';
}
