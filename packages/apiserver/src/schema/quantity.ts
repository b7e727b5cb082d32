import { remembering } from './remembering.ts';

/*
 * Kubernetes quantities (k8s.io/apimachinery/pkg/api/resource): parsing, canonical form and comparison. The
 * client library's parser returns floating-point numbers and has no canonical form, so it cannot tell what
 * the API server would store.
 */

const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const decimalSuffixes: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(decimalExponents).map(([suffix, exponent]) => [exponent, suffix]),
);
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?((?:[KMGTPE]i)|[numkMGTPE]|(?:[eE][+-]?\d+))?$/;
const nano = 1_000_000_000n;
/**
 * The limit for the digits of a number and for its exponent, because the time to parse and print a number
 * grows with the square of either.
 */
const mostDigits = 1_000;
/** Billionths in a thousandth. */
const milli = 1_000_000n;

export const quantityFormatMessage =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

interface Quantity {
  /** The amount in billionths, rounded away from zero as the real server does. */
  readonly nanos: bigint;
  readonly format: 'binary' | 'decimal' | 'exponent';
}

const zero: Quantity = { nanos: 0n, format: 'decimal' };

// Cached, because an object is written again and again with the same quantities.
const parse = remembering((text: string): Quantity | undefined => {
  const match = pattern.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const digits = whole.length + fraction.length;
  if (digits === 0 || digits > mostDigits) {
    return undefined;
  }
  let numerator = BigInt(whole + fraction) * nano;
  let denominator = 10n ** BigInt(fraction.length);
  let format: Quantity['format'] = 'decimal';
  const binary = binarySuffixes.findIndex((candidate) => candidate !== '' && candidate === suffix);
  if (binary > 0) {
    format = 'binary';
    numerator *= 1024n ** BigInt(binary);
  } else {
    let exponent = decimalExponents[suffix];
    if (exponent === undefined) {
      format = 'exponent';
      exponent = Number(suffix.slice(1));
      if (Math.abs(exponent) > mostDigits) {
        return undefined;
      }
    }
    if (exponent >= 0) {
      numerator *= 10n ** BigInt(exponent);
    } else {
      denominator *= 10n ** BigInt(-exponent);
    }
  }
  const nanos = (numerator + denominator - 1n) / denominator;
  return { nanos: sign === '-' ? -nanos : nanos, format };
});

/**
 * The form that the API server stores and shows: 1Gi for 1024Mi, 1 for 1000m. Undefined if the text is not a
 * quantity.
 */
export const canonicalQuantity = remembering((text: string): string | undefined => {
  const quantity = parse(text);
  return quantity === undefined ? undefined : print(quantity);
});

function print({ nanos, format }: Quantity): string {
  if (nanos === 0n) {
    return '0';
  }
  const isWhole = nanos % nano === 0n;
  if (format === 'binary' && isWhole) {
    const value = nanos / nano;
    const magnitude = value < 0n ? -value : value;
    if (magnitude < 1024n) {
      return String(value);
    }
    let power = 0;
    let mantissa = value;
    while (mantissa % 1024n === 0n && power < binarySuffixes.length - 1) {
      mantissa /= 1024n;
      power++;
    }
    return `${mantissa}${binarySuffixes[power] ?? ''}`;
  }
  const digits = String(nanos);
  let zeros = 0;
  while (digits.at(-1 - zeros) === '0') {
    zeros++;
  }
  // Exponents have no upper limit, but suffixes do.
  const steps = Math.min(Math.floor(zeros / 3), format === 'exponent' ? Infinity : 9);
  const mantissa = digits.slice(0, digits.length - steps * 3);
  const exponent = steps * 3 - 9;
  if (format === 'exponent') {
    return exponent === 0 ? mantissa : `${mantissa}e${exponent}`;
  }
  return `${mantissa}${decimalSuffixes[exponent] ?? ''}`;
}

/**
 * Whether the API server considers a quantity fractional. It rounds up to thousandths and keeps their lowest
 * 64 bits, so that large amounts are cut off: 10Pi counts as fractional, but 10P does not, because the server
 * makes it zero.
 */
export function isFractional(text: string): boolean {
  const { nanos, format } = parse(text) ?? { nanos: 0n, format: 'decimal' };
  const magnitude = nanos < 0n ? -nanos : nanos;
  const thousandths = (magnitude + milli - 1n) / milli;
  const held = BigInt.asIntN(64, thousandths);
  if (held !== thousandths && format !== 'binary' && nanos % (nano * nano) === 0n) {
    return false;
  }
  return held % 1000n !== 0n;
}

/**
 * Returns a negative number, zero or a positive number if `a` is less than, equal to or greater than `b`. A
 * text that is not a quantity counts as zero.
 */
export function compareQuantities(a: string, b: string): number {
  const difference = (parse(a)?.nanos ?? 0n) - (parse(b)?.nanos ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/**
 * The sum, in the format of the first operand that is not zero. A text that is not a quantity counts as zero.
 */
export function addQuantities(a: string, b: string): string {
  return combined(a, b, (left, right) => left + right);
}

/**
 * The difference, in the format of the first operand that is not zero. A text that is not a quantity counts
 * as zero.
 */
export function subtractQuantities(a: string, b: string): string {
  return combined(a, b, (left, right) => left - right);
}

function combined(a: string, b: string, how: (left: bigint, right: bigint) => bigint): string {
  const [left, right] = [parse(a) ?? zero, parse(b) ?? zero];
  return print({
    nanos: how(left.nanos, right.nanos),
    format: left.nanos === 0n ? right.format : left.format,
  });
}

/** Rounds up to thousandths, the finest unit in which resources are requested. */
export function inThousandths(text: string): string {
  // Only quantities with these suffixes or exponents can be finer.
  if (!/[nu]$|e-/.test(text)) {
    return text;
  }
  const { nanos, format } = parse(text) ?? zero;
  const over = nanos % milli;
  const step = over === 0n ? 0n : nanos < 0n ? -milli : milli;
  return print({ nanos: nanos - over + step, format });
}

/** Rounds up to a whole number. */
export function wholeQuantity(text: string): string {
  const { nanos, format } = parse(text) ?? zero;
  const over = ((nanos % nano) + nano) % nano;
  return print({ nanos: over === 0n ? nanos : nanos - over + nano, format });
}

/** The amount in billionths; undefined if the text is not a quantity. */
export function nanosOf(text: string): bigint | undefined {
  return parse(text)?.nanos;
}
