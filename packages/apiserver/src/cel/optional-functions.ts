import { type ASTNode, Optional } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { CelFailure, type CelFunction } from './function-table.ts';
import {
  type CelMacro,
  type CheckedType,
  type Checker,
  type Context,
  type Evaluator,
  type LocalContext,
  type Macro,
  type MacroCall,
  isOfAnyType,
  variableName,
} from './library-macro.ts';

/* The parts of cel-go's optional types (version 2) that the library lacks. */

export const optionalFunctions: readonly CelFunction[] = [
  [
    'OptionalNamespace.ofNonZeroValue(A): optional<A>',
    (_: unknown, value: unknown) => (isZero(value) ? Optional.none() : Optional.of(value)),
  ],
  [
    'OptionalNamespace.unwrap(list<optional<A>>): list<A>',
    (_: unknown, list: readonly unknown[]) => unwrapped(list),
  ],
  ['list<optional<A>>.unwrapOpt(): list<A>', unwrapped],
  // The second overload is for lists whose item type is unknown.
  ...['list<A>', 'list<dyn>'].flatMap((type): readonly CelFunction[] => [
    [`${type}.first(): ${type.replace('list', 'optional')}`, (list: readonly unknown[]) => at(list, 0)],
    [
      `${type}.last(): ${type.replace('list', 'optional')}`,
      (list: readonly unknown[]) => at(list, list.length - 1),
    ],
  ]),
];

function at(list: readonly unknown[], index: number): Optional {
  return list.length === 0 ? Optional.none() : Optional.of(list[index]);
}

function unwrapped(list: readonly unknown[]): readonly unknown[] {
  return list.flatMap((item) => {
    if (!(item instanceof Optional)) {
      throw new CelFailure(`value ${String(item)} is not optional`);
    }
    return item.hasValue() ? [item.value() as unknown] : [];
  });
}

/** Whether a value is the zero value of its type. */
function isZero(value: unknown): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array) {
    return value.length === 0;
  }
  if (value instanceof Map) {
    return value.size === 0;
  }
  if (value instanceof Duration) {
    return value.seconds === 0n && value.nanos === 0;
  }
  if (value instanceof UnsignedInt) {
    return value.value === 0n;
  }
  if (value instanceof Optional) {
    return !value.hasValue();
  }
  return (
    value === null ||
    value === false ||
    value === '' ||
    value === 0 ||
    value === 0n ||
    (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype && isEmpty(value))
  );
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

export const optionalMacros: readonly CelMacro[] = [
  ['dyn.optMap(ast, ast): dyn', (call) => mapping(call, 'optMap')],
  ['dyn.optFlatMap(ast, ast): dyn', (call) => mapping(call, 'optFlatMap')],
];

/**
 * Applies an expression to the value of an optional. The expression returns a plain value in `optMap`, and an
 * optional one in `optFlatMap`.
 */
function mapping({ ast, args, receiver }: MacroCall, name: 'optMap' | 'optFlatMap'): Macro {
  const [variable, body] = args as [ASTNode, ASTNode];
  let inner: LocalContext | undefined;
  return {
    // The walk over all nodes (metering.ts) finds these expressions in the macro's properties.
    ...{ receiver, body },
    async: false,
    typeCheck(checker: Checker, _: unknown, context: Context): CheckedType {
      const named = variableName(variable);
      if (named === undefined) {
        const problem = `${name}() variable name must be a simple identifier`;
        throw checker.createError('invalid_macro_argument', problem, variable);
      }
      const type = checker.check(receiver, context);
      if (type.kind !== 'optional' && !isOfAnyType(type)) {
        const problem = `found no matching overload for '${type.name}.hasValue()'`;
        throw checker.createError('no_matching_overload', problem, ast);
      }
      inner = context.forkWithVariable(named, type.valueType ?? checker.getType('dyn'));
      const result = checker.check(body, inner);
      if (name === 'optMap') {
        return checker.getType(`optional<${result.name}>`);
      }
      if (result.kind !== 'optional' && !isOfAnyType(result)) {
        const problem = `Ternary branches must have the same type, got '${result.name}' and 'optional<T>'`;
        throw checker.createError('incompatible_ternary_branches', problem, ast);
      }
      return result;
    },
    evaluate(evaluator: Evaluator, _: unknown, context: unknown): unknown {
      const optional = evaluator.run(receiver, context);
      if (!(optional instanceof Optional)) {
        throw new CelFailure('no such overload');
      }
      if (!optional.hasValue() || inner === undefined) {
        return Optional.none();
      }
      const local = inner.reuse(context).setIterValue(optional.value(), evaluator);
      const result = evaluator.run(body, local);
      return name === 'optMap' ? Optional.of(result) : result;
    },
  };
}
