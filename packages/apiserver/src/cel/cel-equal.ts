import { Optional } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { spend } from './metering.ts';
import { OpaqueValue } from './opaque-value.ts';

/** How many characters, bytes, items or entries are compared in one step, as in cost.go. */
const comparedInStep = 10;

/**
 * Whether two CEL values are equal. Numbers of different types are compared by value, lists and maps by their
 * contents.
 */
export function celEqual(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    spend(Math.min(a.length, b.length) / comparedInStep);
  }
  if (a === b) {
    return true;
  }
  if (typeof a === typeof b && typeof a !== 'object') {
    return false;
  }
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) {
    // Comparing a bigint with a number is exact; converting one to the other is not.
    return left >= right && left <= right;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    spend(Math.min(a.length, b.length) / comparedInStep);
    return a.length === b.length && a.every((item, index) => celEqual(item, b[index]));
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    spend(Math.min(a.length, b.length) / comparedInStep);
    return Buffer.compare(a, b) === 0;
  }
  if (a instanceof Date && b instanceof Date) {
    return a.getTime() === b.getTime();
  }
  if (a instanceof Duration && b instanceof Duration) {
    return a.seconds === b.seconds && a.nanos === b.nanos;
  }
  if (a instanceof Map && b instanceof Map) {
    spend(Math.min(a.size, b.size) / comparedInStep);
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && celEqual(value, b.get(key)));
  }
  if (a instanceof Optional && b instanceof Optional) {
    return a.hasValue() && b.hasValue() ? celEqual(a.value(), b.value()) : a.hasValue() === b.hasValue();
  }
  if (a instanceof OpaqueValue && b instanceof OpaqueValue && a.constructor === b.constructor) {
    const fields = b.fields();
    return a.fields().every((field, index) => celEqual(field, fields[index]));
  }
  return false;
}

function numberOf(value: unknown): number | bigint | undefined {
  if (value instanceof UnsignedInt) {
    return value.value;
  }
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}
