import type { ASTNode } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { celEqual } from './cel-equal.ts';
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
import { spend } from './metering.ts';

/*
 * The functions on lists of k8s.io/apiserver/pkg/cel/library/lists.go and of cel-go's ext.Lists (version 3),
 * and the functions on sets of ext.Sets.
 */

type List = readonly unknown[];

const ordered = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

export const listFunctions: readonly CelFunction[] = [
  ...ordered.flatMap((type): readonly CelFunction[] => [
    [`list<${type}>.isSorted(): bool`, (list: List) => isSorted(list)],
    [`list<${type}>.min(): ${type}`, (list: List) => extreme(list, 'min', -1)],
    [`list<${type}>.max(): ${type}`, (list: List) => extreme(list, 'max', 1)],
    [`list<${type}>.sort(): list<${type}>`, (list: List) => sortedBy(list, list)],
  ]),
  ['list<int>.sum(): int', (list: readonly bigint[]) => list.reduce((sum, item) => sum + item, 0n)],
  ['list<double>.sum(): double', (list: readonly number[]) => list.reduce((sum, item) => sum + item, 0)],
  [
    'list<google.protobuf.Duration>.sum(): google.protobuf.Duration',
    (list: readonly Duration[]) => list.reduce((sum, item) => sum.addDuration(item), new Duration(0n)),
  ],
  [
    'list<A>.k8s_indexOf(A): int',
    (list: List, wanted: unknown) => BigInt(list.findIndex((item) => celEqual(item, wanted))),
  ],
  [
    'list<A>.k8s_lastIndexOf(A): int',
    (list: List, wanted: unknown) => BigInt(list.findLastIndex((item) => celEqual(item, wanted))),
  ],
  // The second overload is for lists whose item type is unknown.
  ...['list<A>', 'list<dyn>'].flatMap((type): readonly CelFunction[] => [
    [`${type}.slice(int, int): ${type}`, slice],
    [`${type}.reverse(): ${type}`, reversed],
    [`${type}.distinct(): ${type}`, distinct],
  ]),
  ['list<list<A>>.flatten(): list<A>', (list: List) => flattened(list, 1n)],
  ['list<dyn>.flatten(int): list<dyn>', flattened],
  ['lists.range(int): list<int>', (_: unknown, count: bigint) => range(count)],
];

export const setFunctions: readonly CelFunction[] = [
  ['sets.k8s_contains(list<A>, list<A>): bool', (_: unknown, a: List, b: List) => contains(a, b)],
  [
    'sets.equivalent(list<A>, list<A>): bool',
    (_: unknown, a: List, b: List) => contains(a, b) && contains(b, a),
  ],
  [
    'sets.intersects(list<A>, list<A>): bool',
    (_: unknown, a: List, b: List) => b.some((item) => contains(a, [item])),
  ],
];

function contains(list: List, wanted: List): boolean {
  spend(list.length * wanted.length);
  return wanted.every((each) => list.some((item) => celEqual(item, each)));
}

function compare(a: unknown, b: unknown): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return Buffer.compare(a, b);
  }
  if (a instanceof Duration && b instanceof Duration) {
    return compare(a.seconds, b.seconds) || compare(a.nanos, b.nanos);
  }
  const [left, right] = [a as number, b as number];
  return left < right ? -1 : left > right ? 1 : 0;
}

function isSorted(list: List): boolean {
  return list.every((item, index) => index === 0 || compare(list[index - 1], item) <= 0);
}

function extreme(list: List, name: string, sign: number): unknown {
  if (list.length === 0) {
    throw new CelFailure(`${name} called on empty list`);
  }
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

/** Sorts a list by the keys that have the same indexes in another list. */
function sortedBy(list: List, keys: List): List {
  const [first] = keys;
  const text = typeof first === 'string' || first instanceof Uint8Array;
  spend(keys.length ** 2 * (text ? 2.1 : 2));
  if (!keys.every((key) => typeof key === typeof first && classOf(key) === classOf(first))) {
    throw new CelFailure('list elements must have the same type');
  }
  return keys
    .map((key, index) => [key, index] as const)
    .sort(([a], [b]) => compare(a, b))
    .map(([, index]) => list[index]);
}

function classOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value.constructor : undefined;
}

function slice(list: List, from: bigint, to: bigint): List {
  const wanted = `cannot slice(${from}, ${to})`;
  if (from < 0n || to < 0n) {
    throw new CelFailure(`${wanted}, negative indexes not supported`);
  }
  if (from > to) {
    throw new CelFailure(`${wanted}, start index must be less than or equal to end index`);
  }
  if (to > list.length) {
    throw new CelFailure(`${wanted}, list is length ${list.length}`);
  }
  spend(Number(to - from));
  return list.slice(Number(from), Number(to));
}

function reversed(list: List): List {
  spend(list.length);
  return list.toReversed();
}

function distinct(list: List): List {
  spend(2 * list.length ** 2);
  const found: unknown[] = [];
  for (const item of list) {
    if (!found.some((other) => celEqual(item, other))) {
      found.push(item);
    }
  }
  return found;
}

/** Flattens nested lists, `depth` levels deep. */
function flattened(list: List, depth: bigint): List {
  if (depth < 0n) {
    throw new CelFailure('level must be non-negative');
  }
  const flat: unknown[] = [];
  const take = (items: List, level: bigint): void => {
    // One list can be nested in another many times, so the size of the result must be paid for, not that of
    // the input.
    spend(items.length / itemsOfStep);
    for (const item of items) {
      if (level > 0n && Array.isArray(item)) {
        take(item, level - 1n);
      } else {
        flat.push(item);
      }
    }
  };
  spend(list.length);
  take(list, depth);
  return flat;
}

const itemsOfStep = 10;

function range(count: bigint): List {
  const length = Math.max(0, Number(count));
  spend(length);
  return Array.from({ length }, (_, index) => BigInt(index));
}

const orderedTypes: ReadonlySet<string> = new Set(ordered);

export const sortMacros: readonly CelMacro[] = [['dyn.sortBy(ast, ast): list<dyn>', sortBy]];

/**
 * Evaluates a sort key. On the real server a key that fails ends in this internal error, whatever its failure
 * was.
 */
function keyOf(evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof RangeError) {
      throw error;
    }
    spend(0);
    throw new CelFailure(
      'internal error: interface conversion: *types.Err is not traits.Lister: missing method Add',
    );
  }
}

/** Sorts a list by the keys that an expression returns for its items. */
function sortBy({ ast, args, receiver }: MacroCall): Macro {
  const [variable, key] = args as [ASTNode, ASTNode];
  let inner: LocalContext | undefined;
  return {
    // The walk over all nodes (metering.ts) finds these expressions in the macro's properties.
    ...{ receiver, key },
    async: false,
    typeCheck(checker: Checker, _: unknown, context: Context): CheckedType {
      const name = variableName(variable);
      if (name === undefined) {
        throw checker.createError('invalid_macro_argument', 'argument is not an identifier', variable);
      }
      if (receiver.op === 'value' || receiver.op === 'map') {
        const problem =
          'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
        throw checker.createError('invalid_macro_argument', problem, receiver);
      }
      const list = checker.check(receiver, context);
      if (list.kind !== 'list' && list.kind !== 'map' && !isOfAnyType(list)) {
        const problem = `Expression of type '${list.name}' cannot be range of a comprehension (must be list, map, or dynamic).`;
        throw checker.createError('invalid_comprehension_range', problem, receiver);
      }
      const item = (list.kind === 'map' ? list.keyType : list.valueType) ?? checker.getType('dyn');
      inner = context.forkWithVariable(name, item);
      const type = checker.check(key, inner);
      if (list.kind === 'map' || (!orderedTypes.has(type.name) && !isOfAnyType(type))) {
        const problem = `found no matching overload for '${list.name}.@sortByAssociatedKeys(list<${type.name}>)'`;
        throw checker.createError('no_matching_overload', problem, ast);
      }
      return list.kind === 'list' ? list : checker.getType('list<dyn>');
    },
    evaluate(evaluator: Evaluator, _: unknown, context: unknown): unknown {
      const list = evaluator.run(receiver, context);
      if (!Array.isArray(list) || inner === undefined) {
        throw new CelFailure('no such overload');
      }
      const local = inner.reuse(context);
      const keys = list.map((item: unknown) => {
        spend(1);
        return keyOf(() => evaluator.run(key, local.setIterValue(item, evaluator)));
      });
      return sortedBy(list, keys);
    },
  };
}
