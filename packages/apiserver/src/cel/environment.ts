import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { append } from '../meta/append.ts';
import { Address, Network, addressFunctions } from './address-functions.ts';
import { authorizerFunctions, authorizerTypes } from './authorizer-functions.ts';
import { celEqual } from './cel-equal.ts';
import { calendarFunctions, calendarMethods } from './calendar-functions.ts';
import type { CelFunction } from './function-table.ts';
import { NamedFormat, formatFunctions, formatType } from './format-functions.ts';
import type { CelMacro } from './library-macro.ts';
import { listFunctions, setFunctions, sortMacros } from './list-functions.ts';
import { namespaceOf, namespaces } from './namespaces.ts';
import { optionalFunctions, optionalMacros } from './optional-functions.ts';
import { conversions } from './conversions.ts';
import { checkField, checkPresence } from './field-access.ts';
import { spend } from './metering.ts';
import { Quantity, quantityFunctions } from './quantity-functions.ts';
import { Semver, semverFunctions, semverType } from './semver-functions.ts';
import { textFunctions } from './text-functions.ts';
import { timeFunctions } from './time-functions.ts';
import { twoVariableMacros } from './two-variable-macros.ts';
import { undeclaredNames } from './undeclared-names.ts';
import { UrlParts, urlFunctions } from './url-functions.ts';

/*
 * What an expression may use: CEL's own operators, macros and functions, which the library has, and those
 * that k8s.io/apiserver/pkg/cel/environment adds, which the tables beside this file define. Any other
 * function is refused by name even if the library has it, because an expression that is accepted here must be
 * accepted by the real server too.
 */

/** The library's functions that are used as they are: methods (`a.f()`) and functions (`f(a)`). */
const ofTheLibrary: readonly string[] = [
  ...['bytes', 'dyn', 'type'],
  'trim',
  ...['hasValue', 'value', 'or', 'orValue', 'optional.of', 'optional.none'],
];

/**
 * Methods that replace the library's. The library's versions count UTF-16 units, accept JavaScript's regular
 * expressions, parse any text as a number, or are slow.
 */
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
    'startsWith',
    'endsWith',
    'join',
  ],
  ...calendarMethods,
]);
const replacedFunctions: ReadonlySet<string> = new Set([
  ...['size', 'bool', 'double', 'duration', 'int', 'string', 'timestamp', 'uint'],
]);
const prefix = 'k8s_';

const ours: readonly CelFunction[] = [
  ...textFunctions,
  ...timeFunctions,
  ...calendarFunctions,
  ...conversions,
  ...listFunctions,
  ...setFunctions,
  ...quantityFunctions,
  ...urlFunctions,
  ...addressFunctions,
  ...authorizerFunctions,
  ...optionalFunctions,
  ...formatFunctions,
  ...semverFunctions,
];

const ourMacros: readonly CelMacro[] = [...optionalMacros, ...twoVariableMacros, ...sortMacros];

const opaqueTypes = {
  'kubernetes.Quantity': Quantity,
  'kubernetes.URL': UrlParts,
  'net.IP': Address,
  'net.CIDR': Network,
  [formatType]: NamedFormat,
  [semverType]: Semver,
};

/** The name of a function, with its namespace in front if it has one. */
function nameIn(signature: string): string {
  const [, receiver = '', name = ''] = /^(?:(.+)\.)?(\w+)\(/.exec(signature) ?? [];
  const namespace = namespaceOf(receiver);
  return `${namespace === undefined ? '' : `${namespace}.`}${withoutPrefix(name)}`;
}

/** These names are macros with certain numbers of arguments, and undeclared functions with others. */
const macroNames: ReadonlySet<string> = new Set([
  ...['has', 'all', 'exists', 'exists_one', 'map', 'filter'],
  ...ourMacros.map(([signature]) => nameIn(signature)),
]);

const known: ReadonlySet<string> = new Set([
  ...ofTheLibrary,
  ...ours.map(([signature]) => nameIn(signature)),
]);

/** The orders of bytes, which the library lacks. */
const orders: readonly (readonly [operator: string, isOrdered: (difference: number) => boolean])[] = [
  ['<', (difference) => difference < 0],
  ['<=', (difference) => difference <= 0],
  ['>', (difference) => difference > 0],
  ['>=', (difference) => difference >= 0],
];

let base: Environment | undefined;

/** Returns a new environment, to which the caller can add variables and types. */
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
    environment.registerOperator(`${name} == ${name}`, celEqual);
  }
  for (const [name, ctor, fields] of authorizerTypes) {
    environment.registerType(name, { ctor, fields });
  }
  environment.registerOperator('optional<A> == optional<A>', celEqual);
  for (const [operator, isOrdered] of orders) {
    environment.registerOperator(`bytes ${operator} bytes`, (a: Uint8Array, b: Uint8Array) =>
      isOrdered(Buffer.compare(a, b)),
    );
  }
  for (const { name, ctor } of namespaces) {
    environment.registerType(name, { ctor, fields: {} });
    environment.registerConstant(name, name, new ctor());
  }
  for (const [signature, expand] of ourMacros) {
    environment.registerFunction(signature, expand, { async: false });
  }
  for (const [signature, call] of ours) {
    environment.registerFunction(signature, paid(signature, call), { async: false });
  }
  return environment;
}

/** How many characters or items cost one step, in functions that do not count their own work. */
const charactersOfStep = 100;
const itemsOfStep = 10;
/** Functions that parse a text. They cost what cost.go sets. */
const parsing =
  /^(?:quantity|isQuantity|url|isURL|ip|isIP|cidr|isCIDR)\(|\.(?:containsIP|containsCIDR|isCanonical)\(string/;
/** Functions that visit each item of a list. */
const traversing = /^list<.*\.(?:isSorted|min|max|sum|k8s_indexOf|k8s_lastIndexOf|k8s_join|unwrapOpt)\(/;

/** Wraps a function so that a call spends budget by the size of its arguments. */
function paid(signature: string, call: CelFunction[1]): CelFunction[1] {
  const items = traversing.test(signature) ? itemsOfStep : Infinity;
  const characters = parsing.test(signature) ? itemsOfStep : charactersOfStep;
  if (!Number.isFinite(items) && !signature.includes('string')) {
    return call;
  }
  return (...values: never[]) => {
    for (const value of values as readonly unknown[]) {
      if (typeof value === 'string') {
        spend(value.length / characters);
      } else if (Array.isArray(value)) {
        spend(value.length / items);
      }
    }
    return call(...values);
  };
}

/**
 * Prepares a parsed expression for the check: redirects calls of the library's functions to the functions
 * that replace them. Returns the nodes that name something undeclared.
 *
 * @param more functions that only this environment has
 */
export function resolveNames(
  root: ASTNode,
  environment: Environment,
  more: ReadonlySet<string>,
): readonly ASTNode[] {
  const undeclared = undeclaredNames(root, {
    hasVariable: (name) => environment.hasVariable(name),
    hasFunction: (name) => (known.has(name) && !macroNames.has(name)) || more.has(name),
    isMacro: (node) =>
      (node.op === 'call' || node.op === 'rcall') && macroNames.has(node.args[0]) && isMacro(node),
  });
  for (const node of nodesOf(root)) {
    checkField(node);
    if (node.op === 'call' || node.op === 'rcall') {
      const [name] = node.args;
      if (name === 'has') {
        checkPresence(node);
      }
      // Before the check the library identifies a function by its name alone, so renaming the call is enough.
      if ((node.op === 'call' ? replacedFunctions : replacedMethods).has(name)) {
        node.args[0] = `${prefix}${name}`;
      }
    }
  }
  return undeclared;
}

/** Whether the parser expanded a call as a macro. */
export function isMacro(node: ASTNode): boolean {
  const { meta } = node as { readonly meta?: { readonly alternate?: unknown; readonly macro?: unknown } };
  return meta?.alternate !== undefined || meta?.macro !== undefined;
}

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

/**
 * All nodes, from left to right. This does not recurse, because thousands of operators in a row make a tree
 * that is as deep.
 */
export function nodesOf(root: ASTNode): readonly ASTNode[] {
  const all: ASTNode[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    all.push(node);
    append(open, childrenOf(node).toReversed());
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
