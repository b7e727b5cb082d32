import type { ASTNode } from '@marcbachmann/cel-js';
import { attempt } from './attempt.ts';
import { conversions } from './conversions.ts';
import { isMacro, nodesOf, withoutPrefix } from './environment.ts';
import { CelFailure } from './function-table.ts';
import { expressionOf } from './text-functions.ts';
import { durationOf, timestampOf, timestampOfSeconds } from './time-functions.ts';

/*
 * The errors that the real server finds in literals before it evaluates anything: those of cel-go's
 * validators (cel/validator.go), and those of making a program, which converts constants in advance
 * (interpreter/decorators.go).
 */

/** A literal that a function does not accept. */
export interface OddLiteral {
  /** The name of the function, such as `matches`. */
  readonly of: string;
  readonly literal: ASTNode;
}

export function oddLiterals(root: ASTNode): readonly OddLiteral[] {
  return nodesOf(root).flatMap((node) => {
    const literal = node.op === 'rcall' ? node.args[2][0] : node.op === 'call' ? node.args[1][0] : undefined;
    if (literal?.op !== 'value' || (node.op !== 'rcall' && node.op !== 'call')) {
      return [];
    }
    const of = withoutPrefix(node.args[0]);
    const takes = node.op === 'rcall' ? takesOfMethods[of] : takesOfFunctions[of];
    return takes !== undefined && attempt(() => takes(literal.args)) instanceof CelFailure
      ? [{ of, literal }]
      : [];
  });
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

/**
 * Returns the failure of the first constant conversion or constant regular expression that can only fail;
 * undefined if there is none.
 */
export function constantFailure(root: ASTNode): CelFailure | undefined {
  const known = new Map<ASTNode, Constant | undefined>();
  let failure: CelFailure | undefined;
  // Visit arguments before the calls that have them.
  for (const node of nodesOf(root).toReversed()) {
    const found = attempt(() => constantOf(node, known));
    if (found instanceof CelFailure) {
      // The first failure in the text is reported, which this order visits last.
      failure = found;
    } else {
      known.set(node, found);
    }
  }
  return failure;
}

interface Constant {
  readonly value: unknown;
}

const patternMethods: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

function constantOf(node: ASTNode, known: ReadonlyMap<ASTNode, Constant | undefined>): Constant | undefined {
  switch (node.op) {
    case 'value':
      return { value: node.args };
    case '-_': {
      const { args: operand } = node;
      return operand.op === 'value' && (typeof operand.args === 'bigint' || typeof operand.args === 'number')
        ? { value: -operand.args }
        : undefined;
    }
    case 'list': {
      const items = node.args.map((item) => known.get(item));
      return items.some((item) => item === undefined)
        ? undefined
        : { value: items.map((item) => item?.value) };
    }
    case 'call': {
      const [argument] = node.args[1];
      const given = argument && known.get(argument);
      return given && node.args[1].length === 1 ? converted(withoutPrefix(node.args[0]), given) : undefined;
    }
    case 'rcall': {
      const [name, , [argument]] = node.args;
      const pattern = argument && known.get(argument)?.value;
      if (patternMethods.has(withoutPrefix(name)) && typeof pattern === 'string' && !isMacro(node)) {
        expressionOf(pattern);
      }
      return undefined;
    }
    default:
      return undefined;
  }
}

/**
 * Converts a constant. Returns undefined if the function is not a conversion, or is one whose result does not
 * matter here. Throws a CelFailure if the conversion fails.
 */
function converted(name: string, { value }: Constant): Constant | undefined {
  if (name === 'dyn') {
    return { value };
  }
  if (name === 'duration' || name === 'timestamp') {
    takesOfFunctions[name]?.(value);
    return undefined;
  }
  const [, convert] =
    conversions.find(([signature]) => signature.startsWith(`k8s_${name}(${typeOf(value)})`)) ?? [];
  return convert && { value: (convert as (given: unknown) => unknown)(value) };
}

/** The library's name for the type of a literal. */
function typeOf(value: unknown): string {
  const plain = { bigint: 'int', number: 'double', string: 'string', boolean: 'bool' }[
    typeof value as string
  ];
  return plain ?? (value instanceof Uint8Array ? 'bytes' : 'uint');
}
