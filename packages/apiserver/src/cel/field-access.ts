import { type ASTNode, Optional } from '@marcbachmann/cel-js';
import { CelFailure } from './function-table.ts';
import {
  type CheckedType,
  type Checker,
  type Context,
  type Evaluator,
  isOfAnyType,
} from './library-macro.ts';

/*
 * Checks fields that are read, and `has(a.b.c)`. The library checks only the first name inside `has(...)`, so
 * an unknown field would count as an absent one, and it accepts only names joined by dots there.
 */

interface Has {
  typeCheck(checker: Checker, macro: unknown, context: Context): CheckedType;
  evaluate(evaluator: Evaluator, macro: unknown, context: unknown): unknown;
}

/** A node that is parsed but not yet checked. */
interface Parsed {
  readonly meta?: {
    readonly macro?: Has;
    check: (checker: Checker, node: ASTNode, context: Context) => CheckedType;
  };
}

function heldBy(type: CheckedType): CheckedType {
  return type.kind === 'optional' && type.valueType !== undefined ? type.valueType : type;
}

/** The prefix of types that are not object types. */
const plainTypes = 'google.protobuf.';

/** Makes the check of a parsed `a.b` or `a.?b` fail if there is no such field. */
export function checkField(node: ASTNode): void {
  const meta = (node as Parsed).meta;
  if (meta === undefined || (node.op !== '.' && node.op !== '.?')) {
    return;
  }
  const { check } = meta;
  const [operand] = node.args;
  meta.check = (checker, ast, context) => {
    const type = check(checker, ast, context);
    const held = heldBy(checker.check(operand, context));
    if (held.name.startsWith(plainTypes)) {
      throw checker.createError('cannot_index_type', `Cannot index type '${held.name}'`, node);
    }
    // The library accepts any field of an optional value, so the field is checked here.
    if (held.kind === 'message') {
      checker.checkAccessOnType(node, context, held);
    }
    return type;
  };
}

/** Makes the check of a parsed `has(...)` cover the whole expression inside. */
export function checkPresence(node: ASTNode): void {
  const macro = (node as Parsed).meta?.macro;
  const argument = node.op === 'call' ? node.args[1][0] : undefined;
  if (macro === undefined || argument === undefined) {
    return;
  }
  macro.typeCheck = (checker, _, context) => {
    if (argument.op !== '.') {
      throw checker.createError('invalid_argument', 'invalid argument to has() macro', argument);
    }
    const [operand, field] = argument.args;
    const type = checker.check(operand, context);
    const held = heldBy(type);
    const hasFields = held.kind === 'map' || (held.kind === 'message' && !held.name.startsWith(plainTypes));
    if (!hasFields && !isOfAnyType(held)) {
      throw checker.createError('cannot_index_type', `Cannot index type '${held.name}'`, node);
    }
    try {
      checker.checkAccessOnType(argument, context, held);
    } catch {
      throw checker.createError('unknown_field', `undefined field '${field}'`, node);
    }
    checker.check(argument, context);
    return checker.getType('bool');
  };
  macro.evaluate = (evaluator, _, context) =>
    argument.op === '.' && isThere(evaluator.run(argument.args[0], context), argument.args[1]);
}

function isThere(value: unknown, field: string): boolean {
  if (value instanceof Optional) {
    return value.hasValue() && isThere(value.value(), field);
  }
  if (value instanceof Map) {
    return value.has(field);
  }
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.hasOwn(value, field);
  }
  if (Array.isArray(value)) {
    throw new CelFailure("unsupported index type 'string' in list");
  }
  return false;
}
