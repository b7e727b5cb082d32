import type { ASTNode } from '@marcbachmann/cel-js';

/* What the library passes to macros, which take expressions instead of values, and what it wants of them; its own types say less. */

export interface CheckedType {
  readonly kind: string;
  readonly name: string;
  /** Of a map. */
  readonly keyType?: CheckedType;
  /** Of items, of values, of what may be there. */
  readonly valueType?: CheckedType;
}

export interface Checker {
  check(node: ASTNode, context: unknown): CheckedType;
  /** Of a field of a type. Throws where it has none of the name. */
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

/** With one variable more. It is made when an expression is checked, and holds the value when it is evaluated. */
export interface LocalContext extends Context {
  reuse(parent: unknown): LocalContext;
  setIterValue(value: unknown, evaluator: Evaluator): LocalContext;
}

export interface Macro {
  readonly async: false;
  typeCheck(checker: Checker, macro: unknown, context: Context): CheckedType;
  evaluate(evaluator: Evaluator, macro: unknown, context: unknown): unknown;
}

/** What stands where the macro is called. */
export interface MacroCall {
  readonly ast: ASTNode;
  readonly args: readonly ASTNode[];
  readonly receiver: ASTNode;
}

/** A macro: how it is declared, and what a call of it is. */
export type CelMacro = readonly [signature: string, expand: (call: MacroCall) => Macro];

/** A name that an argument gives to a variable; undefined: it is no name. */
export function variableName(node: ASTNode | undefined): string | undefined {
  return node?.op === 'id' ? node.args : undefined;
}

/** Of nothing at all no type is known; the library takes one with a parameter for any. */
export function isOfAnyType(type: CheckedType | undefined): boolean {
  return type === undefined || type.kind === 'dyn' || type.kind === 'param';
}
