import { type ASTNode, Environment, type Optional } from '@marcbachmann/cel-js';
import { Address, Network, addressFunctions } from './address-functions.ts';
import { authorizerFunctions, authorizerTypes } from './authorizer-functions.ts';
import { celEqual } from './cel-equal.ts';
import { attempt } from './attempt.ts';
import { CelFailure, type CelFunction } from './function-table.ts';
import { Sets, listFunctions, setFunctions } from './list-functions.ts';
import { Quantity, quantityFunctions } from './quantity-functions.ts';
import { expressionOf, textFunctions } from './text-functions.ts';
import { durationOf, timeFunctions, timestampOf, timestampOfSeconds } from './time-functions.ts';
import { UrlParts, urlFunctions } from './url-functions.ts';

/*
 * What an expression may use: CEL's own operators, macros and functions, by the library, and those that
 * k8s.io/apiserver/pkg/cel/environment adds, by the tables beside this file. Whatever is in neither is refused by name, also where the
 * library has it: an expression that is taken here must be one that the real server takes.
 */

/** Functions of the library, with what calls them: macros, methods (`a.f()`) or functions (`f(a)`). */
const ofTheLibrary: readonly string[] = [
  ...['has', 'all', 'exists', 'exists_one', 'map', 'filter'],
  ...['bool', 'bytes', 'double', 'dyn', 'string', 'type', 'uint'],
  ...['endsWith', 'startsWith', 'join', 'trim'],
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
  ...['hasValue', 'value', 'or', 'orValue', 'of', 'none'],
];

/** The library has functions of these names that count UTF-16 units, take JavaScript's expressions or any text for a number, or are slow. */
const replacedMethods: ReadonlySet<string> = new Set([
  ...[
    'size',
    'contains',
    'indexOf',
    'lastIndexOf',
    'substring',
    'lowerAscii',
    'upperAscii',
    'split',
    'matches',
  ],
]);
const replacedFunctions: ReadonlySet<string> = new Set(['int', 'size', 'timestamp', 'duration']);
const prefix = 'k8s_';

const ours: readonly CelFunction[] = [
  ...textFunctions,
  ...timeFunctions,
  ...listFunctions,
  ...setFunctions,
  ...quantityFunctions,
  ...urlFunctions,
  ...addressFunctions,
  ...authorizerFunctions,
];

const opaqueTypes = {
  'kubernetes.Quantity': Quantity,
  'kubernetes.URL': UrlParts,
  'net.IP': Address,
  'net.CIDR': Network,
};

const known: ReadonlySet<string> = new Set([
  ...ofTheLibrary,
  ...ours.map(([signature]) => withoutPrefix(/(\w+)\(/.exec(signature)?.[1] ?? '')),
]);

/** What the library does not know of bytes. */
const orders: readonly (readonly [operator: string, isOrdered: (difference: number) => boolean])[] = [
  ['<', (difference) => difference < 0],
  ['<=', (difference) => difference <= 0],
  ['>', (difference) => difference > 0],
  ['>=', (difference) => difference >= 0],
];

let base: Environment | undefined;

/** An environment of one's own, to which variables and types can be added. */
export function newEnvironment(): Environment {
  base ??= baseEnvironment();
  return base.clone();
}

function baseEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    limits: { maxListElements: 10_000, maxMapEntries: 10_000 },
  });
  for (const [name, ctor] of Object.entries(opaqueTypes)) {
    environment.registerType(name, { ctor, fields: {} });
    environment.registerOperator(`${name} == ${name}`, isSameOpaque);
  }
  for (const [name, ctor, fields] of authorizerTypes) {
    environment.registerType(name, { ctor, fields });
  }
  environment.registerOperator('optional<A> == optional<A>', isSameOptional);
  for (const [operator, isOrdered] of orders) {
    environment.registerOperator(`bytes ${operator} bytes`, (a: Uint8Array, b: Uint8Array) =>
      isOrdered(Buffer.compare(a, b)),
    );
  }
  environment.registerType('Sets', { ctor: Sets, fields: {} });
  environment.registerConstant('sets', 'Sets', new Sets());
  for (const [signature, call] of ours) {
    environment.registerFunction(signature, call, { async: false });
  }
  return environment;
}

function isSameOptional(a: Optional, b: Optional): boolean {
  return a.hasValue() && b.hasValue() ? celEqual(a.value(), b.value()) : a.hasValue() === b.hasValue();
}

function isSameOpaque(a: object, b: object): boolean {
  const [left, right] = [Object.values(a), Object.values(b)] as [unknown[], unknown[]];
  return left.every((value, index) => {
    const other = right[index];
    return value instanceof Address && other instanceof Address
      ? isSameOpaque(value, other)
      : celEqual(value, other);
  });
}

/**
 * The first name of a function in an expression that is none here; has those called that replace the library's.
 *
 * @param more names besides those that every environment has
 */
export function resolveFunctions(root: ASTNode, more: ReadonlySet<string>): ASTNode | undefined {
  let unknown: ASTNode | undefined;
  for (const node of nodesOf(root)) {
    if (node.op === 'call' || node.op === 'rcall') {
      const [name] = node.args;
      if (!known.has(name) && !more.has(name)) {
        unknown ??= node;
      }
      // Before the expression is checked, a call is nothing but its name.
      if ((node.op === 'call' ? replacedFunctions : replacedMethods).has(name)) {
        node.args[0] = `${prefix}${name}`;
      }
    }
  }
  return unknown;
}

/** A literal that a function can't take, as the real server refuses it when it compiles. */
export interface OddLiteral {
  /** `matches` */
  readonly of: string;
  readonly literal: ASTNode;
}

export function oddLiteral(root: ASTNode): OddLiteral | undefined {
  for (const node of nodesOf(root)) {
    const literal = node.op === 'rcall' ? node.args[2][0] : node.op === 'call' ? node.args[1][0] : undefined;
    if (literal?.op !== 'value' || (node.op !== 'rcall' && node.op !== 'call')) {
      continue;
    }
    const of = withoutPrefix(node.args[0]);
    const takes = node.op === 'rcall' ? takesOfMethods[of] : takesOfFunctions[of];
    if (takes !== undefined && attempt(() => takes(literal.args)) instanceof CelFailure) {
      return { of, literal };
    }
  }
  return undefined;
}

type Takes = (value: unknown) => unknown;

const takesOfMethods: Readonly<Record<string, Takes>> = {
  matches: (value) => typeof value === 'string' && expressionOf(value),
};

const takesOfFunctions: Readonly<Record<string, Takes>> = {
  duration: (value) => typeof value === 'string' && durationOf(value),
  timestamp: (value) =>
    typeof value === 'string' ? timestampOf(value) : typeof value === 'bigint' && timestampOfSeconds(value),
};

/** Whether an expression names a variable. */
export function names(root: ASTNode, variable: string): boolean {
  return has(root, (node) => node.op === 'id' && node.args === variable);
}

/** Whether an expression calls a method. */
export function calls(root: ASTNode, method: string): boolean {
  return has(root, (node) => node.op === 'rcall' && node.args[0] === method);
}

function has(root: ASTNode, isIt: (node: ASTNode) => boolean): boolean {
  return nodesOf(root).some(isIt);
}

/** All nodes, from the left to the right. Thousands of operators in a row are as deep. */
function nodesOf(root: ASTNode): readonly ASTNode[] {
  const all: ASTNode[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    all.push(node);
    open.push(...childrenOf(node).toReversed());
  }
  return all;
}

export function withoutPrefix(name: string): string {
  return name.replaceAll(prefix, '');
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}
