import type { LabelSelector } from '../meta/kube-object.ts';
import { badRequest } from '../meta/status-error.ts';

/* Label selectors, in the form of a query (k8s.io/apimachinery/pkg/labels) and as objects. */

type Labels = Readonly<Record<string, string>>;

export type LabelMatcher = (labels: Labels | undefined) => boolean;

const operators = new Set(['=', '==', '!=', 'in', 'notin', '>', '<']);
const expectedOperators = 'in, notin, =, ==, !=, gt, lt';

/**
 * Keys such as `constructor`, which every JavaScript object inherits, count as labels only if they were set.
 */
function valueOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function has(values: ReadonlySet<string>, value: string | undefined): boolean {
  return value !== undefined && values.has(value);
}

/**
 * Parses the labelSelector of a query; an empty one matches everything. Throws 400 with the API server's
 * message.
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const tokens = text.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? [];
  if (tokens.length === 0) {
    return () => true;
  }
  const requirements: LabelMatcher[] = [];
  let at = 0;

  function fail(expected: string): never {
    throw badRequest(`unable to parse requirement: found '${tokens[at] ?? ''}', expected: ${expected}`);
  }
  function word(): string {
    const token = tokens[at];
    if (token === undefined || /^[=!<>(),]|^==$|^!=$/.test(token)) {
      fail('identifier');
    }
    at++;
    return token;
  }
  function set(): ReadonlySet<string> {
    if (tokens[at] !== '(') {
      throw badRequest(`unable to parse requirement: found '${tokens[at] ?? ''}' expected: '('`);
    }
    at++;
    const values = new Set<string>();
    // An empty place between two commas, or between a comma and a parenthesis, stands for the empty value.
    for (;;) {
      const isValue = tokens[at] !== ',' && tokens[at] !== ')' && tokens[at] !== undefined;
      values.add(isValue ? word() : '');
      const end = tokens[at];
      if (end !== ',' && end !== ')') {
        fail("',' or ')'");
      }
      at++;
      if (end === ')') {
        return values;
      }
    }
  }
  function value(): string {
    const token = tokens[at];
    if (token === undefined || token === ',') {
      return '';
    }
    return word();
  }

  if (tokens[0] === ',') {
    throw badRequest("found ',', expected: !, identifier, or 'end of string'");
  }
  while (at < tokens.length) {
    if (tokens[at] === '!') {
      at++;
      const key = word();
      requirements.push((labels) => valueOf(labels, key) === undefined);
    } else {
      const key = word();
      const operator = tokens[at];
      if (operator === undefined || operator === ',') {
        requirements.push((labels) => valueOf(labels, key) !== undefined);
      } else {
        if (!operators.has(operator)) {
          fail(expectedOperators);
        }
        at++;
        requirements.push(requirement(key, operator));
      }
    }
    if (at < tokens.length) {
      if (tokens[at] !== ',') {
        fail("',' or 'end of string'");
      }
      at++;
      if (at >= tokens.length) {
        fail("identifier after ','");
      }
    }
  }

  function requirement(key: string, operator: string): LabelMatcher {
    switch (operator) {
      case 'in': {
        const values = set();
        return (labels) => has(values, valueOf(labels, key));
      }
      case 'notin': {
        const values = set();
        return (labels) => !has(values, valueOf(labels, key));
      }
      case '!=': {
        const unwanted = value();
        return (labels) => valueOf(labels, key) !== unwanted;
      }
      case '>':
      case '<': {
        const bound = Number(value());
        return (labels) => {
          const label = valueOf(labels, key);
          if (label === undefined || !/^-?\d+$/.test(label)) {
            return false;
          }
          return operator === '>' ? Number(label) > bound : Number(label) < bound;
        };
      }
      default: {
        const wanted = value();
        return (labels) => valueOf(labels, key) === wanted;
      }
    }
  }

  return (labels) => requirements.every((matches) => matches(labels));
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
