import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { CelFailure, type CelFunction } from './function-table.ts';

/*
 * Conversions between plain values, as in common/types of cel-go. Conversions of times and addresses are in
 * the files for those types.
 */

export const conversions: readonly CelFunction[] = [
  ['k8s_bool(bool): bool', (value: boolean) => value],
  ['k8s_bool(string): bool', booleanOf],
  ['k8s_int(int): int', (value: bigint) => value],
  ['k8s_int(uint): int', ({ value }: UnsignedInt) => inRange(value)],
  ['k8s_int(double): int', (value: number) => inRange(wholeOf(value))],
  ['k8s_int(string): int', integerOf],
  ['k8s_int(google.protobuf.Timestamp): int', (time: Date) => BigInt(Math.floor(time.getTime() / 1000))],
  ['k8s_uint(uint): uint', (value: UnsignedInt) => value],
  ['k8s_uint(int): uint', (value: bigint) => new UnsignedInt(notNegative(value))],
  ['k8s_uint(double): uint', (value: number) => new UnsignedInt(notNegative(wholeOf(value, true)))],
  ['k8s_uint(string): uint', unsignedOf],
  ['k8s_double(double): double', (value: number) => value],
  ['k8s_double(int): double', (value: bigint) => Number(value)],
  ['k8s_double(uint): double', ({ value }: UnsignedInt) => Number(value)],
  ['k8s_double(string): double', numberOf],
  ['k8s_string(string): string', (value: string) => value],
  ['k8s_string(bool): string', String],
  ['k8s_string(int): string', String],
  ['k8s_string(uint): string', ({ value }: UnsignedInt) => String(value)],
  ['k8s_string(double): string', textOfNumber],
  ['k8s_string(bytes): string', textOfBytes],
];

function noConversion(to: string): CelFailure {
  return new CelFailure(`type conversion error from 'string' to '${to}'`);
}

function booleanOf(text: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) {
    return true;
  }
  if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) {
    return false;
  }
  throw noConversion('bool');
}

function inRange(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) {
    throw new CelFailure('integer overflow');
  }
  return value;
}

function notNegative(value: bigint): bigint {
  if (BigInt.asUintN(64, value) !== value) {
    throw new CelFailure('unsigned integer overflow');
  }
  return value;
}

function wholeOf(value: number, isUnsigned = false): bigint {
  if (!Number.isFinite(value) || (isUnsigned ? value < 0 : value === -(2 ** 63))) {
    throw new CelFailure(isUnsigned ? 'unsigned integer overflow' : 'integer overflow');
  }
  return BigInt(Math.trunc(value));
}

/** A 64-bit integer has no more digits, so longer texts need not be parsed. */
const mostDigits = 20;

function digitsOf(text: string): bigint | undefined {
  const [, sign = '', digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  return digits === undefined || digits.length > mostDigits
    ? undefined
    : BigInt(sign.replace('+', '') + digits);
}

function integerOf(text: string): bigint {
  const value = digitsOf(text);
  if (value === undefined || BigInt.asIntN(64, value) !== value) {
    throw noConversion('int');
  }
  return value;
}

function unsignedOf(text: string): UnsignedInt {
  const value = /^\d/.test(text) ? digitsOf(text) : undefined;
  if (value === undefined || BigInt.asUintN(64, value) !== value) {
    throw noConversion('uint');
  }
  return new UnsignedInt(value);
}

function numberOf(text: string): number {
  const [, sign = '', word] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? [];
  if (word !== undefined && !(word.length === 3 && sign !== '' && /nan/i.test(word))) {
    return /nan/i.test(word) ? Number.NaN : sign === '-' ? -Infinity : Infinity;
  }
  const digits = text.replaceAll(/(?<=\d)_(?=\d)/g, '');
  const value = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw noConversion('double');
  }
  return value;
}

/** Formats a number like Go's `%g`. */
function textOfNumber(value: number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  }
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < mostPlainPower) {
    return Object.is(value, -0) ? '-0' : String(value);
  }
  return `${digits}e${exponent.replace(/^([+-])(\d)$/, '$10$2')}`;
}

/** The power of ten from which on Go writes an exponent. */
const mostPlainPower = 6;

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelFailure('invalid UTF-8 in bytes, cannot convert to string');
  }
}
