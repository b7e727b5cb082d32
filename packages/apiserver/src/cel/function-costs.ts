import type { CostPath } from './cost-path.ts';
import { type CostNode, elementOf, isDyn, isList } from './cost-tree.ts';
import { itemsStep } from './schema-size.ts';
import {
  type SizeRange,
  addSizes,
  anySize,
  exactly,
  multiplySizes,
  plus,
  scaled,
  times,
  union,
  unlimited,
} from './size-range.ts';

/*
 * The highest cost of a call without its arguments, and the size of its result. For CEL's own functions the
 * figures are those of functionCost in checker/cost.go and ext/sets.go of cel-go, for Kubernetes' functions
 * those of k8s.io/apiserver/pkg/cel/library/cost.go. If the types of the arguments are unknown, the most
 * expensive overload that accepts them counts.
 */

/** A receiver or an argument. */
export interface Operand {
  readonly node: CostNode;
  readonly path?: CostPath;
  /** Undefined: the size is unknown. */
  readonly size?: SizeRange;
}

export interface Call {
  readonly name: string;
  readonly target?: Operand;
  readonly args: readonly Operand[];
}

export interface CallCost {
  readonly cost: number;
  /** The size of the result. Undefined: it follows from the path or the type of the result. */
  readonly size?: SizeRange;
}

/** Returns the size that the schema gives for the value one step below a path. */
export type SizeBelow = (path: CostPath, step: string) => SizeRange | undefined;

type Cost = (call: Call, sizeBelow: SizeBelow) => CallCost | undefined;

export function costOfFunction(call: Call, sizeBelow: SizeBelow): CallCost {
  return costs[call.name]?.(call, sizeBelow) ?? { cost: 1 };
}

/** The cost of reading one character or byte. */
const reading = 0.1;
/** The cost of one character of a regular expression. */
const matching = 0.25;

function sizeOf(operand: Operand | undefined): SizeRange {
  return operand?.size ?? anySize;
}

function readingOf(operand: Operand | undefined): number {
  return scaled(sizeOf(operand).max, reading);
}

const readsTarget: Cost = ({ target }) => target && { cost: readingOf(target), size: sizeOf(target) };
const readsArgument: Cost = ({ args: [text] }) => ({ cost: readingOf(text) });

function isOrDyn(operand: Operand | undefined, type: string): boolean {
  const actual = operand?.node.type ?? 'dyn';
  return actual === type || isDyn(actual);
}

const isTextual = (operand: Operand | undefined): boolean =>
  operand?.node.type === 'string' || operand?.node.type === 'bytes';

/** The cost of the most expensive of the overloads that accept both operands. */
function dearest(found: readonly (CallCost | undefined)[]): CallCost {
  return found.reduce<CallCost>(
    (all, each) => {
      const size =
        all.size === undefined || each?.size === undefined
          ? (all.size ?? each?.size)
          : union(all.size, each.size);
      return { cost: Math.max(all.cost, each?.cost ?? 0), ...(size && { size }) };
    },
    { cost: 0 },
  );
}

const concatenation: Cost = ({ args: [left, right] }) => {
  const size = addSizes(sizeOf(left), sizeOf(right));
  const both = (isIt: (operand: Operand | undefined) => boolean): boolean => isIt(left) && isIt(right);
  const isText =
    both((operand) => isOrDyn(operand, 'string')) || both((operand) => isOrDyn(operand, 'bytes'));
  const isOfLists = both((operand) => isList(operand?.node.type ?? '') || isOrDyn(operand, 'dyn'));
  const isNeither = both((operand) => !isTextual(operand) && !isList(operand?.node.type ?? ''));
  return dearest([
    isText ? { cost: scaled(size.max, reading), size } : undefined,
    isOfLists ? { cost: 1, size } : undefined,
    isNeither ? { cost: 1 } : undefined,
  ]);
};

const comparison = ({ args: [left, right] }: Call): CallCost => ({
  cost: scaled(Math.min(sizeOf(left).max, sizeOf(right).max), reading),
});

const ordering: Cost = (call) => {
  const [left, right] = call.args;
  const isText = ['string', 'bytes'].some((type) => isOrDyn(left, type) && isOrDyn(right, type));
  const isOther = !isTextual(left) && !isTextual(right);
  return dearest([isText ? comparison(call) : undefined, isOther ? { cost: 1 } : undefined]);
};

const equality: Cost = (call) => {
  const [left, right] = call.args;
  const type = left?.node.type ?? '';
  if (type === right?.node.type) {
    if (['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'].includes(type)) {
      return { cost: 1 };
    }
    if (type === 'kubernetes.NamedFormat') {
      return { cost: scaled(longestFormat, reading) };
    }
    if (type === 'kubernetes.URL') {
      return { cost: scaled(right.size?.max ?? 1, reading) };
    }
  }
  return comparison(call);
};

const membership: Cost = ({ args: [, container] }) => {
  const type = container?.node.type ?? '';
  return isList(type) || isDyn(type)
    ? { cost: Math.max(sizeOf(container).max, isDyn(type) ? 1 : 0) }
    : { cost: 1 };
};

/** Counts one character more than the text has, so that matching an empty text is not free. */
function costOfMatch(text: Operand | undefined, pattern: Operand | undefined): number {
  return times(scaled(plus(sizeOf(text).max, 1), reading), scaled(sizeOf(pattern).max, matching));
}

const finding: Cost = ({ target, args: [pattern] }) =>
  target && { cost: costOfMatch(target, pattern), size: { min: 0, max: sizeOf(target).max } };

/** Visits each item, and reads the items that are strings. */
const traversal: Cost = ({ target }, sizeBelow) => {
  if (target === undefined) {
    return undefined;
  }
  if (!isList(target.node.type)) {
    return { cost: readingOf(target) };
  }
  const item = isTextualType(elementOf(target.node.type))
    ? scaled(itemSize(target, sizeBelow).max, reading)
    : 0;
  return { cost: times(sizeOf(target).max, plus(item, 1)) };
};

function isTextualType(type: string): boolean {
  return type === 'string' || type === 'bytes';
}

function itemSize({ path }: Operand, sizeBelow: SizeBelow): SizeRange {
  return (path && sizeBelow(path, itemsStep)) ?? anySize;
}

const joining: Cost = ({ target, args: [separator] }, sizeBelow) => {
  if (target === undefined) {
    return undefined;
  }
  const items = sizeOf(target);
  const texts = isList(target.node.type)
    ? multiplySizes(items, itemSize(target, sizeBelow))
    : { min: 0, max: 0 };
  const between = { min: Math.max(0, items.min - 1), max: Math.max(0, items.max - 1) };
  const size = separator === undefined ? texts : addSizes(texts, multiplySizes(sizeOf(separator), between));
  return { cost: scaled(size.max, reading), size };
};

const splitting: Cost = ({ target, args: [, limit] }) => {
  const literal = limit?.node.kind === 'literal' ? limit.node.value : undefined;
  // A negative limit means no limit: as an unsigned 64-bit integer it is a huge number.
  const most = typeof literal === 'bigint' ? Number(BigInt.asUintN(64, literal)) : sizeOf(target).max;
  return target && { cost: scaled(sizeOf(target).max, 2 * reading), size: { min: 0, max: most } };
};

const replacing: Cost = ({ target, args: [part, by] }) => {
  if (target === undefined || part === undefined || by === undefined) {
    return undefined;
  }
  const [text, old, replacement] = [sizeOf(target), sizeOf(part), sizeOf(by)];
  const size = {
    min: leastReplaced(text.min, old.max, replacement.min),
    max: mostReplaced(text.max, old.min, replacement.max),
  };
  return { cost: scaled(text.max, 2 * reading), size };
};

function leastReplaced(text: number, old: number, replacement: number): number {
  if (old === 0) {
    return plus(times(plus(text, 1), replacement), text);
  }
  return old <= replacement ? text : times(Math.ceil(text / old), replacement);
}

/** An empty text is found before, between and after all characters. */
function mostReplaced(text: number, old: number, replacement: number): number {
  if (old === 0) {
    return plus(times(plus(text, 1), replacement), text);
  }
  return replacement <= old ? text : times(Math.ceil(text / old), replacement);
}

/** The cost of reading the longest address twice. */
const costOfAddresses = 4;
/** The cost of the address, and of masking its network. */
const costOfNetworks = 7;

const containing =
  (cost: number): Cost =>
  ({ args: [other] }) => ({ cost: isOrDyn(other, 'string') ? plus(cost, readingOf(other)) : cost });

/** The longest name of a format, and the longest regular expression of one, in characters. */
const longestFormat = 64;
const longestFormatExpression = 128;

/** The cost of a new list: 10 for making a list, 1 for the call, and `factor` for each item. */
function costOfMaking(size: number, factor: number): number {
  return plus(scaled(size, factor), 11);
}

const making = (size: SizeRange, factor = 1): CallCost => ({ cost: costOfMaking(size.max, factor), size });

/** The value of an integer literal, at least 0. Returns `otherwise` if the operand is not one. */
function literalOr(operand: Operand | undefined, otherwise: number): number {
  const value = operand?.node.kind === 'literal' ? operand.node.value : undefined;
  return typeof value === 'bigint' ? Math.max(0, Number(value)) : otherwise;
}

const slicing: Cost = ({ target, args: [from, to] }) => {
  const size = literalOr(to, sizeOf(target).max) - literalOr(from, 0);
  // The real server computes with unsigned integers, where a negative size is a huge one.
  return target && making(exactly(size < 0 ? unlimited : size));
};

const sorting =
  (keysOf: (call: Call) => Operand | undefined): Cost =>
  (call) => {
    const keys = keysOf(call);
    const item = elementOf(keys?.node.type ?? '');
    const factor = isTextualType(item) || isDyn(item) ? 2 + reading : 2;
    return making(multiplySizes(sizeOf(keys), sizeOf(keys)), factor);
  };

const setOperation =
  (factor: number): Cost =>
  ({ args: [left, right] }) => ({
    cost: plus(scaled(times(sizeOf(left).max, sizeOf(right).max), factor), 1),
  });

/**
 * The operator costs nothing of its own: its cost is that of both operands of `&&`, or of the more expensive
 * branch of `?:`.
 */
const free: Cost = () => ({ cost: 0 });

const costs: Readonly<Record<string, Cost>> = {
  '&&': free,
  '||': free,
  '?:': ({ args: [, yes, no] }) => ({ cost: 0, size: union(sizeOf(yes), sizeOf(no)) }),
  '+': concatenation,
  '==': equality,
  '!=': comparison,
  '<': ordering,
  '<=': ordering,
  '>': ordering,
  '>=': ordering,
  in: membership,
  string: ({ args: [value] }) => {
    const { min, max } = sizeOf(value);
    return isOrDyn(value, 'bytes')
      ? dearest([
          { cost: scaled(max, reading), size: { min: Math.floor(min / 4), max } },
          isOrDyn(value, 'dyn') ? { cost: 1 } : undefined,
        ])
      : undefined;
  },
  bytes: ({ args: [value] }) => {
    const { min, max } = sizeOf(value);
    return isOrDyn(value, 'string')
      ? dearest([
          { cost: scaled(max, reading), size: { min, max: times(max, 4) } },
          isOrDyn(value, 'dyn') ? { cost: 1 } : undefined,
        ])
      : undefined;
  },
  startsWith: readsArgument,
  endsWith: readsArgument,
  format: ({ target }) => target && { cost: readingOf(target) },
  contains: ({ target, args: [part] }) => target && { cost: times(readingOf(target), readingOf(part)) },
  matches: ({ target, args: [pattern] }) => target && { cost: costOfMatch(target, pattern) },
  find: finding,
  findAll: finding,
  isSorted: traversal,
  sum: traversal,
  min: traversal,
  max: traversal,
  indexOf: traversal,
  lastIndexOf: traversal,
  lowerAscii: readsTarget,
  upperAscii: readsTarget,
  substring: readsTarget,
  trim: readsTarget,
  replace: replacing,
  split: splitting,
  join: joining,
  url: ({ args: [text] }) => ({ cost: readingOf(text), size: sizeOf(text) }),
  isIP: readsArgument,
  cidr: readsArgument,
  isCIDR: readsArgument,
  ip: (call) => (call.target === undefined ? { cost: readingOf(call.args[0]) } : undefined),
  containsIP: containing(costOfAddresses),
  containsCIDR: containing(costOfNetworks),
  quantity: readsArgument,
  isQuantity: readsArgument,
  semver: readsArgument,
  isSemver: readsArgument,
  validate: ({ args: [text] }) => ({
    cost: scaled(readingOf(text), longestFormatExpression * matching),
  }),
  'strings.quote': ({ args: [text] }) => {
    const { min, max } = sizeOf(text);
    // As in 64-bit integers, doubling the largest number and adding two gives 0.
    return { cost: readingOf(text), size: { min: min + 2, max: max >= unlimited ? 0 : max * 2 + 2 } };
  },
  'ip.isCanonical': ({ args: [text] }) => ({ cost: scaled(sizeOf(text).max, 2 * reading) }),
  slice: slicing,
  flatten: ({ target, args: [depth] }) =>
    target && making(sizeOf(target), depth === undefined ? 1 : literalOr(depth, unlimited)),
  'lists.range': ({ args: [count] }) => making(exactly(literalOr(count, unlimited))),
  reverse: ({ target }) => target && making(sizeOf(target)),
  distinct: ({ target }) => target && making(multiplySizes(sizeOf(target), sizeOf(target)), 2),
  sort: sorting(({ target }) => target),
  '@sortByAssociatedKeys': sorting(({ args: [keys] }) => keys),
  'sets.contains': setOperation(1),
  'sets.intersects': setOperation(1),
  'sets.equivalent': setOperation(2),
};
