import { Duration } from '@marcbachmann/cel-js/evaluator';
import { formatTime } from '../schema/decode.ts';
import {
  ExpressionError,
  type RegularExpression,
  regularExpression,
} from '../structural/regular-expression.ts';
import { CelFailure, type CelFunction } from './function-table.ts';
import { spend } from './metering.ts';

/*
 * The functions on strings of cel-go's ext.Strings (version 2) and of
 * k8s.io/apiserver/pkg/cel/library/regex.go. Positions count code points. A function that replaces one of the
 * library's has the prefix `k8s_`; environment.ts redirects calls to it.
 */

/** The cost that cost.go sets for functions that read through a text. */
const paid =
  <Rest extends readonly unknown[], Result>(call: (text: string, ...rest: Rest) => Result) =>
  (text: string, ...rest: Rest): Result => {
    spend(text.length / 10);
    return call(text, ...rest);
  };

const texts: readonly CelFunction[] = [
  ['string.charAt(int): string', (text: string, at: bigint) => charAt(Array.from(text), Number(at))],
  ['string.k8s_indexOf(string): int', (text: string, part: string) => indexOf(text, part, 0)],
  [
    'string.k8s_indexOf(string, int): int',
    (text: string, part: string, from: bigint) => indexOf(text, part, Number(from)),
  ],
  ['string.k8s_lastIndexOf(string): int', (text: string, part: string) => lastIndexOf(text, part)],
  [
    'string.k8s_lastIndexOf(string, int): int',
    (text: string, part: string, from: bigint) => lastIndexOf(text, part, Number(from)),
  ],
  ['string.k8s_substring(int): string', (text: string, from: bigint) => substring(text, Number(from))],
  [
    'string.k8s_substring(int, int): string',
    (text: string, from: bigint, to: bigint) => substring(text, Number(from), Number(to)),
  ],
  ['string.k8s_lowerAscii(): string', (text: string) => text.replaceAll(/[A-Z]/g, (c) => c.toLowerCase())],
  ['string.k8s_upperAscii(): string', (text: string) => text.replaceAll(/[a-z]/g, (c) => c.toUpperCase())],
  [
    'string.replace(string, string): string',
    (text: string, part: string, by: string) => text.replaceAll(part, () => by),
  ],
  [
    'string.replace(string, string, int): string',
    (text: string, part: string, by: string, limit: bigint) => replace(text, part, by, Number(limit)),
  ],
  ['string.k8s_split(string): list<string>', (text: string, by: string) => split(text, by, -1)],
  [
    'string.k8s_split(string, int): list<string>',
    (text: string, by: string, limit: bigint) => split(text, by, Number(limit)),
  ],
  ['string.format(list): string', (text: string, values: readonly unknown[]) => format(text, values)],
  [
    'string.k8s_matches(string): bool',
    (text: string, pattern: string) => expression(pattern, text).test(text),
  ],
  ['string.find(string): string', (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? ''],
  ['string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern, -1)],
  [
    'string.findAll(string, int): list<string>',
    (text: string, pattern: string, limit: bigint) => findAll(text, pattern, Number(limit)),
  ],
];

export const textFunctions: readonly CelFunction[] = [
  [
    'string.k8s_startsWith(string): bool',
    (text: string, part: string) => (spend(part.length / 10), text.startsWith(part)),
  ],
  [
    'string.k8s_endsWith(string): bool',
    (text: string, part: string) => (spend(part.length / 10), text.endsWith(part)),
  ],
  ['list<string>.k8s_join(): string', (list: readonly unknown[]) => join(list, '')],
  ['list<string>.k8s_join(string): string', join],
  ...texts.map(([signature, call]): CelFunction => [signature, paid(call as (text: string) => unknown)]),
  ['strings.quote(string): string', (_: unknown, text: string) => quoted(text)],
  ['string.k8s_contains(string): bool', contains],
  ['string.k8s_size(): int', sizeOf],
  ['k8s_size(string): int', sizeOf],
  ...['bytes', 'list', 'map'].flatMap((type): readonly CelFunction[] => [
    [`${type}.k8s_size(): int`, countOf],
    [`k8s_size(${type}): int`, countOf],
  ]),
];

/** Most texts have no surrogate pairs, and testing for one is quicker than counting code points. */
function sizeOf(text: string): bigint {
  return BigInt(/[\ud800-\udbff]/.test(text) ? Array.from(text).length : text.length);
}

function countOf(value: { readonly length?: number; readonly size?: number }): bigint {
  return BigInt(value.length ?? value.size ?? 0);
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '\u0007': 'a', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v' },
  ...{ '\\': '\\', '"': '"' },
};

function quoted(text: string): string {
  spend(text.length / 10);
  const escaped = text
    .toWellFormed()
    .replaceAll(/[\u0007\b\f\n\r\t\v\\"]/g, (part) => `\\${escapes[part] ?? part}`);
  return `"${escaped}"`;
}

function contains(text: string, part: string): boolean {
  spend(Math.ceil(text.length / 10) * Math.ceil(part.length / 10));
  return text.includes(part);
}

function charAt(points: readonly string[], at: number): string {
  if (at < 0 || at > points.length) {
    throw new CelFailure(`index out of range: ${at}`);
  }
  return points[at] ?? '';
}

/** The number of code points before a UTF-16 offset. */
function pointsBefore(text: string, offset: number): bigint {
  return offset < 0 ? -1n : BigInt(Array.from(text.slice(0, offset)).length);
}

function indexOf(text: string, part: string, from: number): bigint {
  const points = Array.from(text);
  if (part === '') {
    return BigInt(from);
  }
  if (from < 0 || from > points.length) {
    throw new CelFailure(`index out of range: ${from}`);
  }
  const skipped = points.slice(0, from).join('').length;
  return pointsBefore(text, text.indexOf(part, skipped));
}

function lastIndexOf(text: string, part: string, from?: number): bigint {
  const points = Array.from(text);
  if (from !== undefined && (from < 0 || from > points.length)) {
    throw new CelFailure(`index out of range: ${from}`);
  }
  if (part === '') {
    return BigInt(from ?? points.length);
  }
  const offset = from === undefined ? text.length : points.slice(0, from).join('').length;
  return pointsBefore(text, text.lastIndexOf(part, offset));
}

function substring(text: string, from: number, to?: number): string {
  const points = Array.from(text);
  for (const each of [from, to ?? from]) {
    if (each < 0 || each > points.length) {
      throw new CelFailure(`index out of range: ${each}`);
    }
  }
  if (to !== undefined && from > to) {
    throw new CelFailure(`invalid substring range. start: ${from}, end: ${to}`);
  }
  return points.slice(from, to).join('');
}

function replace(text: string, part: string, by: string, limit: number): string {
  if (limit < 0) {
    return text.replaceAll(part, () => by);
  }
  let left = limit;
  return text.replaceAll(part, (found) => (left-- > 0 ? by : found));
}

function split(text: string, by: string, limit: number): string[] {
  if (limit === 0) {
    return [];
  }
  const parts = by === '' ? Array.from(text) : text.split(by);
  return limit < 0 || parts.length <= limit
    ? parts
    : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(by)];
}

function expression(pattern: string, text: string): RegularExpression {
  spend(Math.ceil((text.length + 1) / 10) * Math.ceil(pattern.length / 4));
  return expressionOf(pattern);
}

const parsing = 'error parsing regexp: ';

/** Compiles a regular expression. Throws a CelFailure if it is invalid. */
export function expressionOf(pattern: string): RegularExpression {
  try {
    return regularExpression(pattern);
  } catch (error) {
    if (error instanceof ExpressionError) {
      throw new CelFailure(error.message.startsWith(parsing) ? error.message : `${parsing}${error.message}`);
    }
    throw error;
  }
}

function join(list: readonly unknown[], separator: string): string {
  const length = list.reduce<number>((sum, item) => {
    if (typeof item !== 'string') {
      throw new CelFailure('no such overload');
    }
    return sum + item.length + separator.length;
  }, 0);
  spend(length / 10);
  return list.join(separator);
}

function findAll(text: string, pattern: string, limit: number): string[] {
  return expression(pattern, text).findAll(text, limit < 0 ? Infinity : limit);
}

/** Formats like `"%d of %s".format([1, "a"])`, with cel-go's clauses. */
function format(text: string, values: readonly unknown[]): string {
  let next = 0;
  const formatted = text.replaceAll(/%(?:(%)|(?:\.(\d+))?(.?))/g, (_, percent, precision, clause) => {
    if (percent === '%') {
      return '%';
    }
    if (next >= values.length) {
      throw new CelFailure(`index ${next} out of range`);
    }
    return clauseOf(String(clause), values[next++], precision === undefined ? 6 : Number(precision));
  });
  return formatted;
}

/** The most decimals that JavaScript prints. */
const mostDigits = 100;

function padded(digits: string, precision: number): string {
  const missing = Math.max(0, precision - mostDigits);
  spend(missing);
  return `${digits}${'0'.repeat(missing)}`;
}

function clauseOf(clause: string, value: unknown, precision: number): string {
  const isInteger = typeof value === 'bigint';
  const isNumber = isInteger || typeof value === 'number';
  if (clause === 's') {
    return printed(value);
  }
  if (clause === 'd' && isNumber) {
    return String(value);
  }
  if (clause === 'f' && isNumber) {
    return padded(Number(value).toFixed(Math.min(precision, mostDigits)), precision);
  }
  if (clause === 'e' && isNumber) {
    const [digits = '', exponent = ''] = Number(value)
      .toExponential(Math.min(precision, mostDigits))
      .split('e');
    return `${padded(digits, precision)}e${exponent.replace(/^([+-])(\d)$/, '$10$2')}`;
  }
  if (clause === 'b' && typeof value === 'boolean') {
    return value ? '1' : '0';
  }
  const radix = { b: 2, o: 8, x: 16, X: 16 }[clause];
  if (radix !== undefined && isInteger) {
    const digits = value.toString(radix);
    return clause === 'X' ? digits.toUpperCase() : digits;
  }
  if ((clause === 'x' || clause === 'X') && (typeof value === 'string' || value instanceof Uint8Array)) {
    const digits = Buffer.from(value).toString('hex');
    return clause === 'X' ? digits.toUpperCase() : digits;
  }
  throw new CelFailure(`could not parse formatting clause: unrecognized formatting clause "${clause}"`);
}

/** @param isWithin whether the value is inside a list or a map, where strings are quoted */
function printed(value: unknown, isWithin = false): string {
  if (typeof value === 'string') {
    return isWithin ? JSON.stringify(value) : value;
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString();
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => printed(item, true)).join(', ')}]`;
  }
  if (value instanceof Date) {
    return formatTime(value.getTime());
  }
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => [printed(key, true), printed(item, true)] as const);
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${key}: ${item}`)
      .join(', ')}}`;
  }
  return value instanceof Duration ? value.toString() : String(value);
}
