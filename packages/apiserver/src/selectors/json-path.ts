import { type Json, isObject, jsonEqual } from '../meta/json.ts';

/*
 * The JSON paths of printer columns, as k8s.io/client-go/util/jsonpath reads them: fields (`.a`, `['a']`),
 * items (`[0]`, `[-1]`, `[*]`) and filters that compare a field with a constant (`[?(@.type=="Ready")]`). No
 * package follows kubectl's dialect.
 */

type Step = (value: Json) => readonly Json[];

/** Returns everything that the path finds in a value, in order. */
export type JsonPath = (value: Json) => readonly Json[];

/**
 * Parses a path.
 *
 * @throws Error for a text that is no such path
 */
export function parseJsonPath(text: string): JsonPath {
  const steps: Step[] = [];
  let rest = text.startsWith('$') ? text.slice(1) : text;
  while (rest !== '') {
    const [token, step] = nextStep(rest) ?? [];
    if (token === undefined || step === undefined) {
      throw new Error(`${JSON.stringify(text)} is no JSON path: can't read ${JSON.stringify(rest)}`);
    }
    steps.push(step);
    rest = rest.slice(token.length);
  }
  return (value) => steps.reduce<readonly Json[]>((found, step) => found.flatMap(step), [value]);
}

function nextStep(rest: string): readonly [token: string, step: Step] | undefined {
  const name = /^\.?((?:[\w-]|\\.)+)|^\[(?:'([^']*)'|"([^"]*)")\]/.exec(rest);
  if (name !== null) {
    const [token, plain, single, double] = name;
    return [token, fieldStep(plain?.replaceAll(/\\(.)/g, '$1') ?? single ?? double ?? '')];
  }
  const item = /^\[(-?\d+)\]/.exec(rest);
  if (item !== null) {
    const index = Number(item[1]);
    return [item[0], (value) => (Array.isArray(value) ? value.slice(index).slice(0, 1) : [])];
  }
  const all = /^(?:\[\*\]|\.\*)/.exec(rest);
  if (all !== null) {
    return [all[0], itemsOf];
  }
  // Spaces around the constant are trimmed later: a pattern for them would backtrack over every way to split
  // them.
  const filter = /^\[\?\(\s*@([^=!<>\s]+)\s*(?:(==|!=|<=|>=|<|>)([^)]*))?\)\]/.exec(rest);
  if (filter !== null) {
    const [token, path = '', operator, constant] = filter;
    const isKept = filterOf(parseJsonPath(path), operator, constant);
    return [token, (value) => itemsOf(value).filter(isKept)];
  }
  // A dot before a bracket has no meaning.
  return rest.startsWith('.') && (rest.length === 1 || rest[1] === '[')
    ? ['.', (value) => [value]]
    : undefined;
}

function fieldStep(name: string): Step {
  return (value) => {
    const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return found === undefined ? [] : [found];
  };
}

function itemsOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) {
    return value;
  }
  return isObject(value) ? Object.values(value).filter((item) => item !== undefined) : [];
}

function filterOf(
  path: JsonPath,
  operator: string | undefined,
  constant: string | undefined,
): (item: Json) => boolean {
  if (operator === undefined) {
    return (item) => path(item).length > 0;
  }
  const wanted = constantOf((constant ?? '').trim());
  return (item) => path(item).some((found) => compares(found, operator, wanted));
}

function constantOf(text: string): Json {
  const quoted = /^(['"])([^]*)\1$/.exec(text);
  if (quoted !== null) {
    return quoted[2] ?? '';
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(`${text} is no constant of a JSON path: quote a text`);
  }
}

function compares(found: Json, operator: string, wanted: Json): boolean {
  switch (operator) {
    case '==':
      return jsonEqual(found, wanted);
    case '!=':
      return !jsonEqual(found, wanted);
  }
  if ((typeof found !== 'number' && typeof found !== 'string') || typeof found !== typeof wanted) {
    return false;
  }
  const [left, right] = [found, wanted as number | string];
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}

/** Formats what a path finds, as kubectl prints it. */
export function printFound(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
