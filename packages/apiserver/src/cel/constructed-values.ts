import { type ASTNode, type Environment, Optional } from '@marcbachmann/cel-js';
import { celEqual } from './cel-equal.ts';
import {
  type Expression,
  LocatedFailure,
  type WantedResult,
  compile,
  located,
  locatedAll,
  undeclared,
} from './expression.ts';
import { CelFailure } from './function-table.ts';
import type { CheckedType, Checker, Evaluator } from './library-macro.ts';
import { absent } from './metering.ts';
import { type Rewritten, UndeclaredName, constructor, given, rewriteLiterals } from './object-literals.ts';

/*
 * The values that mutation expressions make, as in k8s.io/apiserver/pkg/cel/mutation. Their types are
 * `Object`, `Object.spec`, `Object.spec.template` and so on, each with arbitrary fields, and `JSONPatch`. No
 * schema is consulted until they are applied.
 */

/**
 * The fields of an object that an expression made. It is a class because the library identifies the type of a
 * value by its class.
 */
export class ConstructedValue extends Map<string, unknown> {
  /** The name that the expression uses, such as Object.spec.template. */
  readonly typeName: string;

  constructor(typeName: string, fields: Iterable<readonly [string, unknown]>) {
    super(fields);
    this.typeName = typeName;
  }
}

/** The value of `JSONPatch{op: "add"}`. */
export class PatchOperation extends ConstructedValue {}

const rootName = 'Object';
const patchName = 'JSONPatch';
const patchFields: Readonly<Record<string, string>> = {
  op: 'string',
  path: 'string',
  from: 'string',
  value: 'dyn',
};

class RootValue extends ConstructedValue {}

type ValueClass = new (typeName: string, fields: Iterable<readonly [string, unknown]>) => ConstructedValue;

/**
 * The library never forgets the name of a type. To bound its memory, the types of an expression are
 * registered by number instead of by the name in the expression; there are only as many as the largest
 * expression needed.
 */
const numbered: ValueClass[] = [];
const numberedPrefix = 'Object_';

function numberedClass(index: number): ValueClass {
  let found = numbered[index];
  if (found === undefined) {
    numbered[index] = found = class extends ConstructedValue {};
  }
  return found;
}

interface DeclaredType {
  /** The name under which the type is registered with the library. */
  readonly name: string;
  readonly make: ValueClass;
}

/** The limit for one expression, because each type refers to all the others. */
const mostTypes = 500;

const isType = (name: string): boolean =>
  name === rootName || name === patchName || name.startsWith(`${rootName}.`);

/** Like `compile`, for an expression that may have object literals. */
export function compileConstructing(
  environment: Environment,
  text: string,
  { types, otherwise }: WantedResult,
): Expression {
  let rewritten: Rewritten;
  try {
    rewritten = rewriteLiterals(text, isType);
  } catch (error) {
    throw error instanceof UndeclaredName ? located(text, undeclared(error.message), error.position) : error;
  }
  const others = rewritten.types.filter((name) => name !== rootName && name !== patchName);
  if (others.length > mostTypes) {
    const problem = `expression has ${others.length} types of objects, at most ${mostTypes} are taken here: make some with JSONPatch instead`;
    throw located(text, problem, 0);
  }
  const named = (problem: string): string =>
    problem
      .replace("'escapeKey' applied to 'JsonPatchFunctions.", "'jsonpatch.escapeKey' applied to '")
      .replaceAll(/\bObject_(\d+)/g, (_, index: string) => others[Number(index)] ?? rootName);
  const own = environment.clone();
  declareTypes(own, others);
  try {
    const wanted = {
      ...(types === undefined ? undefined : { types }),
      otherwise: (type: string) => otherwise(named(type)),
    };
    return compile(own, rewritten.text, wanted, ownFunctions);
  } catch (error) {
    throw error instanceof LocatedFailure
      ? locatedAll(
          text,
          error.problems.map(({ problem, position }) => ({
            problem: named(problem),
            position: rewritten.origin(position),
          })),
        )
      : error;
  }
}

/** The type of the constant `jsonpatch`, which `jsonpatch.escapeKey` needs as its receiver. */
class JsonPatchFunctions {
  readonly name = 'jsonpatch';
}

const ownFunctions: ReadonlySet<string> = new Set([constructor, given, 'escapeKey']);

function declareTypes(environment: Environment, others: readonly string[]): void {
  const declared = new Map<string, DeclaredType>([
    [rootName, { name: rootName, make: RootValue }],
    [patchName, { name: patchName, make: PatchOperation }],
    ...others.map((name, index): [string, DeclaredType] => [
      name,
      { name: `${numberedPrefix}${index}`, make: numberedClass(index) },
    ]),
  ]);
  for (const { name, make } of declared.values()) {
    environment.registerType(
      name,
      name === patchName ? { ctor: make, fields: { ...patchFields } } : { ctor: make },
    );
    environment.registerOperator(`${name} == ${name}`, celEqual);
  }
  environment
    .registerType('JsonPatchFunctions', { ctor: JsonPatchFunctions, fields: {} })
    .registerConstant('jsonpatch', 'JsonPatchFunctions', new JsonPatchFunctions())
    .registerFunction(
      'JsonPatchFunctions.escapeKey(string): string',
      (_: JsonPatchFunctions, key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
      { async: false },
    )
    .registerFunction(`${constructor}(ast, ast): dyn`, ({ args }: { readonly args: readonly ASTNode[] }) =>
      construction(args, declared),
    )
    .registerFunction(`${given}(ast): dyn`, ({ args }: { readonly args: readonly [ASTNode] }) =>
      optionalEntry(args[0]),
    );
}

interface Entry {
  readonly field: string;
  readonly isOptional: boolean;
  readonly key: ASTNode;
  readonly value: ASTNode;
}

/** The macro that replaces an object literal. `rewriteLiterals` writes its arguments. */
function construction(
  [nameNode, listNode]: readonly ASTNode[],
  declared: ReadonlyMap<string, DeclaredType>,
): object {
  const typeName = nameNode?.op === 'value' ? String(nameNode.args) : '';
  const type = declared.get(typeName);
  if (type === undefined || listNode?.op !== 'list') {
    throw new Error(
      `A literal of ${typeName} was not written as it is read: ${constructor} wants a type and a list`,
    );
  }
  const { name, make } = type;
  const entries = entriesOf(listNode.args);
  return {
    entries,
    async: false,
    typeCheck(checker: Checker, _: unknown, context: unknown): CheckedType {
      for (const entry of entries) {
        checkEntry(entry, name === patchName, checker, context);
      }
      return checker.getType(name);
    },
    evaluate(evaluator: Evaluator, _: unknown, context: unknown): ConstructedValue {
      const fields: [string, unknown][] = [];
      for (const entry of entries) {
        const found = evaluator.run(entry.value, context);
        const value = entry.isOptional ? heldBy(found, `'${entry.field}'`) : found;
        if (value !== undefined) {
          fields.push([entry.field, name === patchName ? operand(entry.field, value) : value]);
        }
      }
      return new make(typeName, fields);
    },
  };
}

function entriesOf(nodes: readonly ASTNode[]): readonly Entry[] {
  const entries: Entry[] = [];
  for (let index = 0; index + 1 < nodes.length; index += 2) {
    const [key, value] = nodes.slice(index, index + 2) as [ASTNode, ASTNode];
    const text = key.op === 'value' ? String(key.args) : '';
    const isOptional = text.startsWith('?');
    entries.push({ field: isOptional ? text.slice(1) : text, isOptional, key, value });
  }
  return entries;
}

/** The macro that replaces an optional entry of a list or a map. */
function optionalEntry(value: ASTNode): object {
  return {
    value,
    async: false,
    typeCheck: (checker: Checker, _: unknown, context: unknown): CheckedType =>
      checkOptional(value, checker, context),
    evaluate: (evaluator: Evaluator, _: unknown, context: unknown): unknown =>
      heldBy(evaluator.run(value, context), 'of a list or a map') ?? absent,
  };
}

/** The type of what an optional value holds. */
function checkOptional(value: ASTNode, checker: Checker, context: unknown): CheckedType {
  const type = checker.check(value, context);
  if (type.kind !== 'optional' && type.kind !== 'dyn') {
    const problem = `expected type 'optional_type(${shown(type)})' but found '${shown(type)}'`;
    throw checker.createError('optional_expected', problem, value);
  }
  // A type parameter means that nothing is known of the value; the library accepts it as any type.
  return type.valueType === undefined || type.valueType.kind === 'param' ? type : type.valueType;
}

/** Returns undefined for an empty optional value. */
function heldBy(value: unknown, entry: string): unknown {
  if (!(value instanceof Optional)) {
    throw new CelFailure(`cannot initialize optional entry ${entry} from non-optional value`);
  }
  return value.hasValue() ? value.value() : undefined;
}

function checkEntry(
  { field, isOptional, key, value }: Entry,
  isPatch: boolean,
  checker: Checker,
  context: unknown,
): void {
  const type = isOptional ? checkOptional(value, checker, context) : checker.check(value, context);
  // An unknown field gets an empty type name, which no value has.
  const wanted = isPatch ? (patchFields[field] ?? '') : 'dyn';
  if (wanted !== 'dyn' && (wanted === '' || type.kind !== 'dyn') && type.name !== wanted) {
    const problem = `expected type of field '${field}' is '${wanted}' but provided type is '${shown(type)}'`;
    throw checker.createError('field_type_mismatch', problem, key);
  }
}

function shown({ name }: CheckedType): string {
  return name.replaceAll('<', '(').replaceAll('>', ')');
}

function operand(field: string, value: unknown): unknown {
  if (patchFields[field] === 'string' && typeof value !== 'string') {
    throw new CelFailure(`unexpected type for JSONPatchType '${field}' field: give a string`);
  }
  return value;
}
