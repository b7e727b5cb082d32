import type { ASTNode } from '@marcbachmann/cel-js';
import { withoutPrefix } from './environment.ts';
import { isNamespace } from './namespaces.ts';
import type { ObjectTypes } from './typed-value.ts';

/*
 * Converts a checked expression to the form in which cel-go estimates its cost: macros are loops with an
 * accumulator, operators are calls, and functions of a namespace have their full names. Types keep the names
 * that the library gives them.
 */

export type CostNode = { readonly type: string } & (
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'field'; readonly operand: CostNode; readonly field: string }
  | { readonly kind: 'presence'; readonly operand: CostNode }
  | CostCall
  | { readonly kind: 'list'; readonly items: readonly CostNode[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: CostNode, value: CostNode])[] }
  | CostLoop
  | CostBinding
  | { readonly kind: 'again'; readonly first: CostNode }
);

export interface CostCall {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: CostNode;
  readonly args: readonly CostNode[];
}

export interface CostLoop {
  readonly kind: 'loop';
  readonly range: CostNode;
  readonly variables: readonly string[];
  readonly initial: CostNode;
  readonly condition: CostNode;
  readonly step: CostNode;
  readonly result: CostNode;
}

/** Binds a value to a name for the expression `result`. */
export interface CostBinding {
  readonly kind: 'binding';
  readonly variable: string;
  readonly value: CostNode;
  readonly result: CostNode;
}

/** The name of the accumulator. No expression can name it. */
export const accumulator = '@result';

/** What the library adds to a node when it checks it. The library's own types do not declare it. */
interface Checked {
  readonly checkedType?: { readonly name: string };
}

/** @param objectTypes the object types of the variables */
export function costTree(root: ASTNode, objectTypes: ObjectTypes): CostNode {
  return treeOf(root);

  function treeOf(node: ASTNode): CostNode {
    const checked = (node as Checked).checkedType?.name;
    const type = checked ?? 'dyn';
    const called = (name: string, args: readonly ASTNode[]): CostNode => call(name, args.map(treeOf), type);
    switch (node.op) {
      case 'value':
        return { kind: 'literal', value: node.args, type };
      case 'id':
        return { kind: 'name', name: node.args, type };
      case '.':
        return fieldOf(node.args[0], node.args[1], checked);
      case '.?':
        return call('?.', [treeOf(node.args[0]), literal(node.args[1], 'string')], type);
      case 'call':
        return node.args[0] === 'has'
          ? presenceOf(node.args[1][0])
          : called(withoutPrefix(node.args[0]), node.args[1]);
      case 'rcall':
        return methodOf(withoutPrefix(node.args[0]), node.args[1], node.args[2], type);
      case 'list':
        return { kind: 'list', items: node.args.map(treeOf), type };
      case 'map':
        return {
          kind: 'map',
          entries: node.args.map(([key, value]) => [treeOf(key), treeOf(value)] as const),
          type,
        };
      case '!_':
      case '-_':
        return unaryOf(node, type);
      case '&&':
      case '||':
        return called(node.op, operandsInRow(node));
      default:
        return called(node.op, node.args);
    }
  }

  function fieldOf(operandNode: ASTNode, field: string, checked: string | undefined): CostNode {
    if (rootName(operandNode) === 'google') {
      // The name of a type, which contains dots.
      return { kind: 'name', name: field, type: 'type' };
    }
    const operand = treeOf(operandNode);
    return { kind: 'field', operand, field, type: checked ?? typeOfField(operand.type, field) };
  }

  /**
   * Inside `has(...)` the library checks only the first name, so the types of the fields are looked up here.
   */
  function typeOfField(type: string, field: string): string {
    return isMap(type) ? elementOf(type) : (objectTypes.get(type)?.[field] ?? 'dyn');
  }

  function presenceOf(node: ASTNode | undefined): CostNode {
    const operand: CostNode = node?.op === '.' ? treeOf(node.args[0]) : literal(null, 'null');
    return { kind: 'presence', operand, type: 'bool' };
  }

  function methodOf(name: string, receiver: ASTNode, args: readonly ASTNode[], type: string): CostNode {
    const range = (): CostNode => treeOf(receiver);
    const trees = (from: number): readonly CostNode[] => args.slice(from).map(treeOf);
    const [first, second] = args;
    if (first?.op === 'id') {
      const optional = optionalMacros[name];
      if (optional !== undefined && args.length === 2) {
        return optional(range(), first.args, trees(1), type);
      }
      if (name === 'sortBy' && args.length === 2) {
        return sorting(range(), first.args, trees(1), type);
      }
      const [macro, given] =
        second?.op === 'id' && twoVariableMacros[name] !== undefined && args.length > 2
          ? [twoVariableMacros[name], [first.args, second.args]]
          : [macros[name], [first.args]];
      if (macro !== undefined) {
        return loopOf(macro, range(), given, trees(given.length), type);
      }
    }
    const namespace = receiver.op === 'id' && isNamespace(receiver.args) ? receiver.args : undefined;
    return namespace === undefined
      ? { ...call(name, args.map(treeOf), type), target: treeOf(receiver) }
      : call(`${namespace}.${name}`, args.map(treeOf), type);
  }

  /**
   * In cel-go two adjacent unary operators cancel out, and a minus directly before a number makes a negative
   * literal.
   */
  function unaryOf(first: Unary, type: string): CostNode {
    const { op } = first;
    let last = first;
    let isOdd = true;
    while (last.args.op === op && isNext(last, last.args)) {
      last = last.args;
      isOdd = !isOdd;
    }
    const operand = last.args;
    if (!isOdd) {
      return treeOf(operand);
    }
    if (op === '-_' && operand.op === 'value' && isNext(last, operand)) {
      const { args: value } = operand;
      return literal(typeof value === 'bigint' || typeof value === 'number' ? -value : value, type);
    }
    return call(op, [treeOf(operand)], type);
  }
}

type Unary = Extract<ASTNode, { readonly op: '!_' | '-_' }>;

/** Whether nothing stands between an operator and its operand. */
function isNext({ input, range }: ASTNode, operand: ASTNode): boolean {
  return input.slice(range.start + 1, operand.range.start).trim() === '';
}

/**
 * All operands that are joined by one operator. cel-go balances such a chain; a tree of thousands of operands
 * would otherwise be thousands of levels deep.
 */
function operandsInRow(root: Extract<ASTNode, { readonly op: '&&' | '||' }>): readonly ASTNode[] {
  const operands: ASTNode[] = [];
  let node: ASTNode = root;
  while (node.op === root.op) {
    const [left, right]: readonly [ASTNode, ASTNode] = node.args;
    operands.push(right);
    node = left;
  }
  return [node, ...operands.toReversed()];
}

type Macro = (
  type: string,
  variable: CostNode,
  args: readonly CostNode[],
) => Pick<CostLoop, 'initial' | 'condition' | 'step' | 'result'>;

function loopOf(
  macro: Macro,
  range: CostNode,
  variables: readonly string[],
  args: readonly CostNode[],
  type: string,
): CostNode {
  const variable: CostNode = { kind: 'name', name: variables[0] ?? '', type: rangeType(range.type) };
  return { kind: 'loop', range, variables, ...macro(type, variable, args), type };
}

/**
 * The macro evaluates the optional value twice: once to see whether it has a value, once to read the value.
 */
function presentOf(range: CostNode, variable: string, result: CostNode): readonly [CostNode, CostNode] {
  const again: CostNode = { kind: 'again', first: range, type: range.type };
  const value: CostNode = { ...call('value', [], elementOf(range.type)), target: again };
  return [
    { ...call('hasValue', [], 'bool'), target: range },
    { kind: 'binding', variable, value, result, type: result.type },
  ];
}

type OptionalMacro = (range: CostNode, variable: string, args: readonly CostNode[], type: string) => CostNode;

const none = (type: string): CostNode => call('optional.none', [], type);

const optionalMacros: Readonly<Record<string, OptionalMacro>> = {
  optMap(range, variable, [body = literal(null, 'null')], type) {
    const [condition, binding] = presentOf(range, variable, body);
    return call('?:', [condition, call('optional.of', [binding], type), none(type)], type);
  },
  optFlatMap(range, variable, [body = literal(null, 'null')], type) {
    const [condition, binding] = presentOf(range, variable, body);
    return call('?:', [condition, binding, none(type)], type);
  },
};

const sorted = '@sorted';

function sorting(range: CostNode, variable: string, args: readonly CostNode[], type: string): CostNode {
  const input = (): CostNode => ({ kind: 'name', name: sorted, type: range.type });
  const keys = `list<${args[0]?.type ?? 'dyn'}>`;
  const list = macros['map'] && loopOf(macros['map'], input(), [variable], args, keys);
  const result = { ...call('@sortByAssociatedKeys', list ? [list] : [], type), target: input() };
  return { kind: 'binding', variable: sorted, value: range, result, type };
}

/** The loops that macros expand to, as in parser/macro.go of cel-go. */
const macros: Readonly<Record<string, Macro>> = {
  all: (_, __, args) => ({
    initial: literal(true, 'bool'),
    condition: call('@not_strictly_false', [accumulated('bool')], 'bool'),
    step: call('&&', [accumulated('bool'), ...args], 'bool'),
    result: accumulated('bool'),
  }),
  exists: (_, __, args) => ({
    initial: literal(false, 'bool'),
    condition: call('@not_strictly_false', [call('!_', [accumulated('bool')], 'bool')], 'bool'),
    step: call('||', [accumulated('bool'), ...args], 'bool'),
    result: accumulated('bool'),
  }),
  exists_one: (_, __, args) => ({
    initial: literal(0n, 'int'),
    condition: literal(true, 'bool'),
    step: call(
      '?:',
      [...args, call('+', [accumulated('int'), literal(1n, 'int')], 'int'), accumulated('int')],
      'int',
    ),
    result: call('==', [accumulated('int'), literal(1n, 'int')], 'bool'),
  }),
  map: (type, _, args) => collecting(type, args.at(-1), args.length > 1 ? args[0] : undefined),
  filter: (type, variable, args) => collecting(type, variable, args[0]),
};

/**
 * The macros with two variables (index and item, or key and value), as in ext/comprehensions.go of cel-go.
 */
const twoVariableMacros: Readonly<Record<string, Macro>> = {
  ...{ all: quantifier('all'), exists: quantifier('exists') },
  ...{ exists_one: quantifier('exists_one'), existsOne: quantifier('exists_one') },
  transformList: (type, _, args) => collecting(type, args.at(-1), args.length > 1 ? args[0] : undefined),
  transformMap: (type, key, args) => inserting(type, [key, ...args.slice(-1)], args),
  transformMapEntry: (type, _, args) => inserting(type, args.slice(-1), args),
};

function quantifier(name: string): Macro {
  return (type, variable, args) => {
    const macro = macros[name];
    if (macro === undefined) {
      throw new Error(`There is no macro ${name} of one variable: add it to the table`);
    }
    return macro(type, variable, args);
  };
}

function inserting(type: string, entry: readonly CostNode[], args: readonly CostNode[]): ReturnType<Macro> {
  const step = call('cel.@mapInsert', [accumulated(type), ...entry], type);
  const filter = args.length > 1 ? args[0] : undefined;
  return {
    initial: { kind: 'map', entries: [], type },
    condition: literal(true, 'bool'),
    step: filter === undefined ? step : call('?:', [filter, step, accumulated(type)], type),
    result: accumulated(type),
  };
}

function collecting(
  type: string,
  item: CostNode | undefined,
  filter: CostNode | undefined,
): ReturnType<Macro> {
  const items = item === undefined ? [] : [item];
  const step = call('+', [accumulated(type), { kind: 'list', items, type }], type);
  return {
    initial: { kind: 'list', items: [], type },
    condition: literal(true, 'bool'),
    step: filter === undefined ? step : call('?:', [filter, step, accumulated(type)], type),
    result: accumulated(type),
  };
}

function call(name: string, args: readonly CostNode[], type: string): CostCall & { readonly type: string } {
  return { kind: 'call', name, args, type };
}

function literal(value: unknown, type: string): CostNode {
  return { kind: 'literal', value, type };
}

/** Makes a new node each time, because sizes are kept per node. */
function accumulated(type: string): CostNode {
  return { kind: 'name', name: accumulator, type };
}

function rootName(node: ASTNode): string | undefined {
  let root = node;
  while (root.op === '.') {
    root = root.args[0];
  }
  return root.op === 'id' ? root.args : undefined;
}

/** The type that a loop variable has: the items of a list, or the keys of a map. */
function rangeType(type: string): string {
  return isMap(type) ? keyOf(type) : isList(type) ? elementOf(type) : 'dyn';
}

export function isDyn(type: string): boolean {
  // A single letter is the type parameter of an empty list or map, of which nothing is known.
  return type.startsWith('dyn') || /^[A-Z]$/.test(type);
}

export function isList(type: string): boolean {
  return type.startsWith('list');
}

function isMap(type: string): boolean {
  return type.startsWith('map');
}

export function isOptional(type: string): boolean {
  return type.startsWith('optional');
}

/** The type of a list's items, a map's values, or an optional's value. */
export function elementOf(type: string): string {
  const inner = /^\w+<(.*)>$/s.exec(type)?.[1] ?? 'dyn';
  return isMap(type) ? inner.slice(inner.indexOf(', ') + 2) : inner;
}

function keyOf(type: string): string {
  return /^map<(.*?), /.exec(type)?.[1] ?? 'dyn';
}
