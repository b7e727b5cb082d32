import type { ASTNode } from '@marcbachmann/cel-js';
import { attempt } from './attempt.ts';
import { CelFailure } from './function-table.ts';
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
import { spend } from './metering.ts';

/*
 * The macros of cel-go's ext.TwoVarComprehensions. The first variable is the index of a list or the key of a
 * map, the second one the item or the value.
 */

export const twoVariableMacros: readonly CelMacro[] = [
  ['dyn.all(ast, ast, ast): bool', (call) => loop(call, quantifier(false))],
  ['dyn.exists(ast, ast, ast): bool', (call) => loop(call, quantifier(true))],
  ['dyn.existsOne(ast, ast, ast): bool', (call) => loop(call, onlyOne)],
  ['dyn.exists_one(ast, ast, ast): bool', (call) => loop(call, onlyOne)],
  ['dyn.transformList(ast, ast, ast): list<dyn>', (call) => loop(call, toList)],
  ['dyn.transformList(ast, ast, ast, ast): list<dyn>', (call) => loop(call, toList)],
  ['dyn.transformMap(ast, ast, ast): map<dyn, dyn>', (call) => loop(call, toMap)],
  ['dyn.transformMap(ast, ast, ast, ast): map<dyn, dyn>', (call) => loop(call, toMap)],
  ['dyn.transformMapEntry(ast, ast, ast): map<dyn, dyn>', (call) => loop(call, toEntries)],
  ['dyn.transformMapEntry(ast, ast, ast, ast): map<dyn, dyn>', (call) => loop(call, toEntries)],
];

type Entry = readonly [key: unknown, value: unknown];

/** The call of a macro, and the expression of a round. An error is located at one of them. */
interface LoopNodes {
  readonly ast: ASTNode;
  readonly body: ASTNode;
}

/** What a macro makes of the results of its rounds. */
interface Outcome {
  /** The type of the result, from the types of the key and of a round's result. */
  typeOf(key: CheckedType, round: CheckedType, checker: Checker, nodes: LoopNodes): CheckedType;
  /** @param round returns undefined if the filter leaves the entry out */
  evaluate(entries: Iterable<Entry>, round: (entry: Entry) => unknown): unknown;
}

function loop({ ast, args, receiver }: MacroCall, outcome: Outcome): Macro {
  const [first, second] = args as [ASTNode, ASTNode];
  const body = args.at(-1) as ASTNode;
  const filter = args.length === 4 ? args[2] : undefined;
  let contexts: readonly [LocalContext, LocalContext] | undefined;
  return {
    // The walk over all nodes (metering.ts) finds these expressions in the macro's properties.
    ...{ receiver, body, ...(filter && { filter }) },
    async: false,
    typeCheck(checker: Checker, _: unknown, context: Context): CheckedType {
      const names = namesOf(checker, first, second);
      const [key, value] = entryTypes(checker.check(receiver, context), checker, receiver);
      const outer = context.forkWithVariable(names[0], key);
      const inner = outer.forkWithVariable(names[1], value);
      contexts = [outer, inner];
      const wanted = filter && checker.check(filter, inner);
      const result = outcome.typeOf(key, checker.check(body, inner), checker, { ast, body });
      if (filter !== undefined && wanted?.name !== 'bool' && !isOfAnyType(wanted)) {
        throw noChoice(checker, ast, wanted?.name ?? '', result.name);
      }
      return result;
    },
    evaluate(evaluator: Evaluator, _: unknown, context: unknown): unknown {
      const entries = entriesOf(evaluator.run(receiver, context));
      if (contexts === undefined) {
        throw new Error('A macro is evaluated that was not checked: check the expression first');
      }
      const outer = contexts[0].reuse(context);
      const inner = contexts[1].reuse(outer);
      return outcome.evaluate(entries, ([key, value]) => {
        outer.setIterValue(key, evaluator);
        inner.setIterValue(value, evaluator);
        if (filter !== undefined && !isTrue(evaluator.run(filter, inner))) {
          return undefined;
        }
        return evaluator.run(body, inner);
      });
    },
  };
}

function namesOf(checker: Checker, first: ASTNode, second: ASTNode): readonly [string, string] {
  const named = (node: ASTNode): string => {
    const name = variableName(node);
    if (name === undefined) {
      throw checker.createError('invalid_macro_argument', 'argument must be a simple name', node);
    }
    return name;
  };
  const names = [named(first), named(second)] as const;
  if (names[0] === names[1]) {
    throw checker.createError('invalid_macro_argument', `duplicate variable name: ${names[0]}`, second);
  }
  for (const [index, name] of names.entries()) {
    if (name === '__result__') {
      const problem = 'iteration variable overwrites accumulator variable';
      throw checker.createError('invalid_macro_argument', problem, index === 0 ? first : second);
    }
  }
  return names;
}

function entryTypes(
  range: CheckedType,
  checker: Checker,
  node: ASTNode,
): readonly [CheckedType, CheckedType] {
  const any = checker.getType('dyn');
  switch (range.kind) {
    case 'list':
      return [checker.getType('int'), range.valueType ?? any];
    case 'map':
      return [range.keyType ?? any, range.valueType ?? any];
    default:
      if (isOfAnyType(range)) {
        return [any, any];
      }
      throw checker.createError(
        'invalid_comprehension_range',
        `Expression of type '${range.name}' cannot be range of a comprehension (must be list, map, or dynamic).`,
        node,
      );
  }
}

function noChoice(checker: Checker, node: ASTNode, condition: string, branch: string): Error {
  const problem = `found no matching overload for '_?_:_' applied to '(${condition}, ${branch}, ${branch})'`;
  return checker.createError('no_matching_overload', problem, node);
}

function* entriesOf(range: unknown): Iterable<Entry> {
  if (Array.isArray(range)) {
    for (let index = 0; index < range.length; index++) {
      spend(1);
      yield [BigInt(index), range[index]];
    }
    return;
  }
  if (typeof range !== 'object' || range === null) {
    throw new CelFailure(`unsupported comprehension range type: ${goType(range)}`);
  }
  for (const entry of range instanceof Map
    ? (range as ReadonlyMap<unknown, unknown>)
    : Object.entries(range)) {
    spend(1);
    yield entry as Entry;
  }
}

/** cel-go's name for the type of a plain value. */
function goType(value: unknown): string {
  const name = { bigint: 'Int', number: 'Double', string: 'String', boolean: 'Bool' }[typeof value as string];
  return `types.${name ?? 'Null'}`;
}

function isTrue(value: unknown): boolean {
  if (typeof value !== 'boolean') {
    throw new CelFailure('no such overload');
  }
  return value;
}

/**
 * `all` ends at the first false and `exists` at the first true. Failures of earlier rounds do not matter
 * then.
 */
function quantifier(decides: boolean): Outcome {
  return {
    typeOf(_, round, checker, { body }) {
      if (round.name !== 'bool' && !isOfAnyType(round)) {
        const problem = `expected type 'bool' but found '${round.name}'`;
        throw checker.createError('invalid_logical_operand', problem, body);
      }
      return checker.getType('bool');
    },
    evaluate(entries, round) {
      let failure: Error | undefined;
      for (const entry of entries) {
        const result = attemptRound(() => isTrue(round(entry)));
        if (result instanceof Error) {
          failure ??= result;
        } else if (result === decides) {
          return decides;
        }
      }
      if (failure !== undefined) {
        throw failure;
      }
      return !decides;
    },
  };
}

/**
 * Returns the failure of a round, because a later round may still decide the result. That is safe for a spent
 * budget too: the next round and the end of the evaluation fail again.
 */
function attemptRound(act: () => boolean): boolean | Error {
  try {
    return attempt(act);
  } catch (error) {
    if (error instanceof RangeError || !(error instanceof Error)) {
      throw error;
    }
    return error;
  }
}

const onlyOne: Outcome = {
  typeOf(_, round, checker, { ast }) {
    if (round.name !== 'bool' && !isOfAnyType(round)) {
      throw noChoice(checker, ast, round.name, 'int');
    }
    return checker.getType('bool');
  },
  evaluate(entries, round) {
    let count = 0;
    for (const entry of entries) {
      count += isTrue(round(entry)) ? 1 : 0;
    }
    return count === 1;
  },
};

const toList: Outcome = {
  typeOf: (_, round, checker) => checker.getType(`list<${round.name}>`),
  evaluate(entries, round) {
    const list: unknown[] = [];
    for (const entry of entries) {
      const item = round(entry);
      if (item !== undefined) {
        list.push(item);
      }
    }
    return list;
  },
};

const toMap: Outcome = {
  typeOf: (key, round, checker) => checker.getType(`map<${key.name}, ${round.name}>`),
  evaluate(entries, round) {
    const map = new Map<unknown, unknown>();
    for (const entry of entries) {
      const value = round(entry);
      if (value !== undefined) {
        map.set(entry[0], value);
      }
    }
    return map;
  },
};

const toEntries: Outcome = {
  typeOf(_, round, checker, { ast }) {
    if (round.kind === 'map') {
      return round;
    }
    if (isOfAnyType(round)) {
      return checker.getType('map<dyn, dyn>');
    }
    const problem = `found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), ${round.name})'`;
    throw checker.createError('no_matching_overload', problem, ast);
  },
  evaluate(entries, round) {
    const map = new Map<unknown, unknown>();
    for (const entry of entries) {
      const made = round(entry);
      if (made !== undefined) {
        insertAll(map, made);
      }
    }
    return map;
  },
};

function insertAll(map: Map<unknown, unknown>, made: unknown): void {
  if (typeof made !== 'object' || made === null || Array.isArray(made)) {
    throw new CelFailure('no such overload');
  }
  for (const [key, value] of made instanceof Map
    ? (made as ReadonlyMap<unknown, unknown>)
    : Object.entries(made)) {
    spend(1);
    if (map.has(key)) {
      throw new CelFailure(`insert failed: key ${String(key)} already exists`);
    }
    map.set(key, value);
  }
}
