import { type FieldError, invalid } from '../meta/field-error.ts';
import type { LabelSelector } from '../meta/kube-object.ts';
import { labelValueProblems, qualifiedNameProblems } from '../meta/names.ts';
import { badRequest } from '../meta/status-error.ts';

/* Label selectors, in the form of a query (k8s.io/apimachinery/pkg/labels) and as objects. */

type Labels = Readonly<Record<string, string>>;

export type LabelMatcher = (labels: Labels | undefined) => boolean;

const binaryOperators = 'in, notin, =, ==, !=, gt, lt';
const maximumInteger = 2n ** 63n;

/**
 * Keys such as `constructor`, which every JavaScript object inherits, count as labels only if they were set.
 */
function valueOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/**
 * Parses the labelSelector of a query; an empty one matches everything. Throws 400 with the API server's
 * message.
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const tokens = text.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? [];
  const requirements: LabelMatcher[] = [];
  let at = 0;

  function fail(expected: string): never {
    throw badRequest(`found '${tokens[at] ?? ''}', expected: ${expected}`);
  }
  function failRequirement(problem: string): never {
    throw badRequest(`unable to parse requirement: ${problem}`);
  }
  function isWord(): boolean {
    const token = tokens[at];
    return token !== undefined && !/^[=!<>(),]/.test(token);
  }
  function word(expected: string): string {
    if (!isWord()) {
      failRequirement(`found '${tokens[at] ?? ''}', expected: ${expected}`);
    }
    return tokens[at++] ?? '';
  }
  function isOneOf(...wanted: readonly (string | undefined)[]): boolean {
    return wanted.includes(tokens[at]);
  }

  function set(): readonly string[] {
    if (!isOneOf('(')) {
      failRequirement(`found '${tokens[at] ?? ''}' expected: '('`);
    }
    at++;
    const values: string[] = [];
    // An empty place between two commas, or between a comma and a parenthesis, stands for the empty value.
    for (;;) {
      const isFirst = values.length === 0;
      values.push(isOneOf(',', ')') ? '' : word(isFirst ? "',', ')' or identifier" : "',', or identifier"));
      if (!isOneOf(',', ')')) {
        failRequirement(`found '${tokens[at] ?? ''}', expected: ',' or ')'`);
      }
      if (tokens[at++] === ')') {
        return [...new Set(values)].sort();
      }
    }
  }

  function parseRequirement(): Requirement {
    const isUnwanted = isOneOf('!');
    at += isUnwanted ? 1 : 0;
    const key = word('identifier');
    const problems = qualifiedNameProblems(key);
    if (problems.length > 0) {
      failRequirement(worded(invalid('<nil>', key, problems.join('; '))));
    }
    if (isUnwanted) {
      return { key, operator: '!', values: [] };
    }
    if (isOneOf(',', undefined)) {
      return { key, operator: 'exists', values: [] };
    }
    const operator = tokens[at];
    if (!isOperator(operator)) {
      failRequirement(`found '${operator ?? ''}', expected: ${binaryOperators}`);
    }
    at++;
    if (operator === 'in' || operator === 'notin') {
      return { key, operator, values: set() };
    }
    return { key, operator, values: [isOneOf(',', undefined) ? '' : word('identifier')] };
  }

  while (at < tokens.length) {
    if (!isWord() && !isOneOf('!')) {
      fail("!, identifier, or 'end of string'");
    }
    const requirement = parseRequirement();
    const problems = valueProblems(requirement);
    if (problems.length > 0) {
      failRequirement(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
    }
    requirements.push(matcherOfRequirement(requirement));
    if (at < tokens.length) {
      if (!isOneOf(',')) {
        fail("',' or 'end of string'");
      }
      at++;
      if (!isWord() && !isOneOf('!')) {
        fail("identifier after ','");
      }
    }
  }
  return (labels) => requirements.every((matches) => matches(labels));
}

type Operator = 'in' | 'notin' | '=' | '==' | '!=' | '>' | '<';

interface Requirement {
  readonly key: string;
  readonly operator: Operator | 'exists' | '!';
  /** Without duplicates, in order. */
  readonly values: readonly string[];
}

function isOperator(token: string | undefined): token is Operator {
  return token !== undefined && /^(in|notin|==?|!=|>|<)$/.test(token);
}

function valueProblems({ key, operator, values }: Requirement): readonly string[] {
  const isBound = operator === '>' || operator === '<';
  const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
  return [
    ...values.flatMap((value, index) =>
      isBound && integerOf(value) === undefined ? [invalid(`values[${index}]`, value, detail)] : [],
    ),
    ...values.flatMap((value, index) => {
      const problems = labelValueProblems(value);
      return problems.length > 0 ? [invalid(`values[${index}][${key}]`, value, problems.join('; '))] : [];
    }),
  ].map(worded);
}

function worded({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

/** Undefined if the text is no integer of 64 bits. */
function integerOf(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) {
    return undefined;
  }
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= -maximumInteger && value < maximumInteger ? value : undefined;
}

function matcherOfRequirement({ key, operator, values }: Requirement): LabelMatcher {
  const wanted = new Set(values);
  const isWanted = (labels: Labels | undefined): boolean => {
    const value = valueOf(labels, key);
    return value !== undefined && wanted.has(value);
  };
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return isWanted;
    case 'notin':
    case '!=':
      return (labels) => !isWanted(labels);
    case 'exists':
      return (labels) => valueOf(labels, key) !== undefined;
    case '!':
      return (labels) => valueOf(labels, key) === undefined;
    case '>':
    case '<': {
      const bound = integerOf(values[0] ?? '') ?? 0n;
      return (labels) => {
        const value = integerOf(valueOf(labels, key) ?? '');
        return value !== undefined && (operator === '>' ? value > bound : value < bound);
      };
    }
  }
}

/**
 * Returns the matcher of a LabelSelector object. An empty selector matches everything; null or undefined
 * matches nothing.
 */
export function matcherOf(selector: LabelSelector | null | undefined): LabelMatcher {
  if (selector === undefined || selector === null) {
    return () => false;
  }
  const wanted = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  return (labels) =>
    wanted.every(([key, value]) => valueOf(labels, key) === value) &&
    expressions.every(({ key, operator, values }) => {
      const label = valueOf(labels, key);
      switch (operator) {
        case 'In':
          return label !== undefined && (values ?? []).includes(label);
        case 'NotIn':
          return label === undefined || !(values ?? []).includes(label);
        case 'Exists':
          return label !== undefined;
        case 'DoesNotExist':
          return label === undefined;
        default:
          return false;
      }
    });
}

/** Formats a LabelSelector object as in a query, which is how scale subresources show it. */
export function formatSelector(selector: LabelSelector | null | undefined): string {
  const parts = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  for (const { key, operator, values } of selector?.matchExpressions ?? []) {
    if (operator === 'In') {
      parts.push(`${key} in (${(values ?? []).join(',')})`);
    } else if (operator === 'NotIn') {
      parts.push(`${key} notin (${(values ?? []).join(',')})`);
    } else if (operator === 'Exists') {
      parts.push(key);
    } else {
      parts.push(`!${key}`);
    }
  }
  return parts.sort().join(',');
}
