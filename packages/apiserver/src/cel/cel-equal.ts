import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';

/** Whether two values of CEL are equal; numbers are by what they amount to, lists and maps by what is in them. */
export function celEqual(a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) {
    // A comparison of both kinds of numbers is exact, where a conversion is not.
    return left >= right && left <= right;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => celEqual(item, b[index]));
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, index) => byte === b[index]);
  }
  if (a instanceof Date && b instanceof Date) {
    return a.getTime() === b.getTime();
  }
  if (a instanceof Duration && b instanceof Duration) {
    return a.seconds === b.seconds && a.nanos === b.nanos;
  }
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && celEqual(value, b.get(key)));
  }
  return false;
}

function numberOf(value: unknown): number | bigint | undefined {
  if (value instanceof UnsignedInt) {
    return value.value;
  }
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}
