import { type CostPath, extended, stepsOf } from './cost-path.ts';
import {
  type CostBinding,
  type CostCall,
  type CostLoop,
  type CostNode,
  accumulator,
  elementOf,
  isDyn,
  isList,
  isOptional,
} from './cost-tree.ts';
import { type Operand, costOfFunction } from './function-costs.ts';
import { type SchemaSize, indexesStep, itemsStep, keysStep, sizeBelow, valuesStep } from './schema-size.ts';
import { type SizeRange, anySize, exactly, plus, times, union } from './size-range.ts';

/*
 * The highest cost that an expression can have, as checker/cost.go of cel-go estimates it with the options of
 * Kubernetes (presence tests cost nothing). The lowest cost is not computed, because nothing uses it.
 */

type Typed<Node> = Node & { readonly type: string };

/** The sizes of a list's items, or of a map's keys and values. */
interface EntrySizes {
  readonly isOfList: boolean;
  readonly key: SizeRange;
  readonly value: SizeRange;
}

interface LocalVariable {
  readonly path: CostPath | undefined;
  readonly size: SizeRange | undefined;
  readonly entries: EntrySizes | undefined;
}

const listCost = 10;
const mapCost = 30;

/** @param schema the sizes of `self` and `oldSelf` */
export function estimatedCost(root: CostNode, schema: SchemaSize): number {
  const paths = new Map<CostNode, CostPath | undefined>();
  const sizes = new Map<CostNode, SizeRange>();
  const entrySizes = new Map<CostNode, EntrySizes>();
  const variables = new Map<string, LocalVariable[]>();
  const shared = new Map<CostNode, number>();
  return costOf(root);

  function costOf(node: CostNode): number {
    switch (node.kind) {
      case 'literal':
        return 0;
      case 'name': {
        const local = variableOf(node.name);
        paths.set(node, local === undefined ? extended(undefined, node.name) : local.path);
        return 1;
      }
      case 'field': {
        const { operand, field } = node;
        const cost = costOf(operand);
        paths.set(node, extended(pathOf(operand), field));
        return isDyn(operand.type) || isOptional(operand.type) ? cost : plus(cost, 1);
      }
      case 'presence':
        return costOf(node.operand);
      case 'call':
        return costOfCall(node);
      case 'list':
        return costOfList(node, node.items);
      case 'map':
        return costOfMap(node, node.entries);
      case 'loop':
        return costOfLoop(node);
      case 'binding':
        return costOfBinding(node);
      case 'again':
        return shared.get(node.first) ?? shareCost(node.first);
    }
  }

  /**
   * Remembers the cost of an operand that is visited twice. Otherwise each such operand in a chain would
   * double the time.
   */
  function shareCost(node: CostNode): number {
    const cost = costOf(node);
    shared.set(node, cost);
    return cost;
  }

  function costOfBinding(node: Typed<CostBinding>): number {
    const { variable, value, result } = node;
    // On the real server a binding is a loop over an empty list.
    let cost = plus(listCost, costOf(value));
    push(variable, { path: pathOf(value), size: sizeOf(value), entries: entriesOf(value) });
    cost = plus(cost, costOf(result));
    variables.get(variable)?.pop();
    copySizes(node, result);
    return cost;
  }

  function costOfCall(node: Typed<CostCall>): number {
    const { name, target, args } = node;
    const [first] = args;
    if (name === 'dyn' && first !== undefined) {
      const cost = costOf(first);
      copySizes(node, first);
      return plus(cost, 1);
    }
    const costs: number[] = [];
    const operands: Operand[] = [];
    for (const arg of args) {
      costs.push(costOf(arg));
      operands.push(operandOf(arg));
    }
    const targetCost = target === undefined ? 0 : name === 'hasValue' ? shareCost(target) : costOf(target);
    const call = {
      name,
      args: operands,
      ...(target === undefined ? undefined : { target: operandOf(target) }),
    };
    const { cost, size = sizeOfElement(node) } = costOfFunction(call, sizeBelowPath);
    if (name === '+' || name === '?:') {
      joinEntries(node, args.slice(-2));
    }
    setSize(node, size ?? sizeOf(node));
    const [condition = 0, then = 0, otherwise = 0] = costs;
    const argsCost = name === '?:' ? plus(condition, Math.max(then, otherwise)) : costs.reduce(plus, 0);
    return plus(plus(targetCost, argsCost), cost);
  }

  /** The size of `list[0]` or `map['key']`. Records the path of the element too. */
  function sizeOfElement(node: Typed<CostCall>): SizeRange | undefined {
    const [container] = node.args;
    if (node.name !== '[]' || container === undefined || isOptional(container.type)) {
      return undefined;
    }
    paths.set(node, extended(pathOf(container), isList(container.type) ? itemsStep : valuesStep));
    return entriesOf(container)?.value;
  }

  function joinEntries(node: CostNode, [left, right]: readonly CostNode[]): void {
    const a = left && entriesOf(left);
    const b = right && entriesOf(right);
    if (a !== undefined && b !== undefined) {
      const { isOfList } = a;
      entrySizes.set(node, { isOfList, key: union(a.key, b.key), value: union(a.value, b.value) });
    }
  }

  function costOfList(node: CostNode, items: readonly CostNode[]): number {
    let cost = listCost;
    let value: SizeRange | undefined;
    for (const item of items) {
      cost = plus(cost, costOf(item));
      value = withSize(value, item);
    }
    entrySizes.set(node, { isOfList: true, key: exactly(1), value: value ?? exactly(0) });
    return cost;
  }

  function costOfMap(node: CostNode, entries: readonly (readonly [CostNode, CostNode])[]): number {
    let cost = mapCost;
    let key: SizeRange | undefined;
    let value: SizeRange | undefined;
    for (const [keyNode, valueNode] of entries) {
      cost = plus(cost, plus(costOf(keyNode), costOf(valueNode)));
      key = withSize(key, keyNode);
      value = withSize(value, valueNode);
    }
    entrySizes.set(node, { isOfList: false, key: key ?? exactly(0), value: value ?? exactly(0) });
    return cost;
  }

  function withSize(all: SizeRange | undefined, node: CostNode): SizeRange {
    const size = sizeOf(node) ?? anySize;
    return all === undefined ? size : union(all, size);
  }

  function costOfLoop(node: Typed<CostLoop>): number {
    const { range, variables: names, initial, condition, step, result } = node;
    let cost = plus(costOf(range), costOf(initial));
    push(accumulator, { path: pathOf(initial), size: sizeOf(initial), entries: entriesOf(initial) });
    const [first = '', second] = names;
    if (second === undefined) {
      push(first, itemOf(range));
    } else {
      push(first, entryOf(range, 'key'));
      push(second, entryOf(range, 'value'));
    }
    const round = plus(costOf(condition), costOf(step));
    for (const name of names) {
      variables.get(name)?.pop();
    }
    cost = plus(cost, costOf(result));
    variables.get(accumulator)?.pop();
    const rounds = sizeOf(range) ?? anySize;
    if (initial.kind === 'list' || initial.kind === 'map') {
      setSize(node, rounds);
      setEntries(node, entriesOf(step));
    } else {
      setSize(node, sizeOf(initial));
    }
    return plus(cost, times(rounds.max, round));
  }

  /** The variable of a loop: an item of a list, or a key of a map. */
  function itemOf(range: CostNode): LocalVariable {
    const entries = entriesOf(range);
    const isOfList = entries?.isOfList ?? isList(range.type);
    return {
      path: extended(pathOf(range), isOfList ? itemsStep : keysStep),
      size: isOfList ? entries?.value : entries?.key,
      entries: undefined,
    };
  }

  /** The variables of a loop that has two. */
  function entryOf(range: CostNode, part: 'key' | 'value'): LocalVariable {
    const entries = entriesOf(range);
    const isOfList = entries?.isOfList ?? isList(range.type);
    const step = part === 'value' ? (isOfList ? itemsStep : valuesStep) : isOfList ? indexesStep : keysStep;
    return { path: extended(pathOf(range), step), size: entries?.[part], entries: undefined };
  }

  function push(name: string, variable: LocalVariable): void {
    const stack = variables.get(name) ?? [];
    stack.push(variable);
    variables.set(name, stack);
  }

  function variableOf(name: string): LocalVariable | undefined {
    return variables.get(name)?.at(-1);
  }

  function operandOf(node: CostNode): Operand {
    const path = pathOf(node);
    const size = sizeOf(node);
    return { node, ...(path && { path }), ...(size && { size }) };
  }

  function sizeBelowPath(path: CostPath, step: string): SizeRange | undefined {
    return sizeAt([...stepsOf(path), step]);
  }

  function sizeAt(steps: readonly string[]): SizeRange | undefined {
    const found = sizeBelow(schema, steps);
    return found && { min: 0, max: found.most };
  }

  function pathOf(node: CostNode): CostPath | undefined {
    if (node.kind === 'again') {
      return pathOf(node.first);
    }
    const local = node.kind === 'name' ? variableOf(node.name) : undefined;
    return local === undefined ? paths.get(node) : local.path;
  }

  function sizeOf(node: CostNode): SizeRange | undefined {
    const known = sizes.get(node) ?? sizeOfLiteral(node);
    if (known !== undefined) {
      return known;
    }
    if (node.kind === 'again') {
      return sizeOf(node.first);
    }
    const path = pathOf(node);
    const estimated = path && sizeAt(stepsOf(path));
    if (estimated !== undefined) {
      sizes.set(node, estimated);
      return estimated;
    }
    if (isScalar(node.type)) {
      return exactly(1);
    }
    return node.kind === 'name' ? variableOf(node.name)?.size : undefined;
  }

  function setSize(node: CostNode, size: SizeRange | undefined): void {
    if (size !== undefined) {
      sizes.set(node, size);
    }
  }

  function entriesOf(node: CostNode): EntrySizes | undefined {
    return entrySizes.get(node) ?? (node.kind === 'name' ? variableOf(node.name)?.entries : undefined);
  }

  function setEntries(node: CostNode, entries: EntrySizes | undefined): void {
    if (entries !== undefined) {
      entrySizes.set(node, entries);
    }
  }

  function copySizes(to: CostNode, from: CostNode): void {
    setSize(to, sizeOf(from));
    setEntries(to, entriesOf(from));
  }
}

/** The size of a literal in the expression. */
function sizeOfLiteral(node: CostNode): SizeRange | undefined {
  switch (node.kind) {
    case 'literal':
      return exactly(
        typeof node.value === 'string'
          ? Array.from(node.value).length
          : node.value instanceof Uint8Array
            ? node.value.length
            : 1,
      );
    case 'list':
      return exactly(node.items.length);
    case 'map':
      return exactly(node.entries.length);
    default:
      return undefined;
  }
}

const scalars: ReadonlySet<string> = new Set([
  ...['bool', 'double', 'int', 'uint', 'google.protobuf.Duration', 'google.protobuf.Timestamp'],
]);

function isScalar(type: string): boolean {
  return scalars.has(type) || (isOptional(type) && isScalar(elementOf(type)));
}
