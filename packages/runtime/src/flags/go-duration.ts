const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // Go accepts both the micro sign and the Greek letter.
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
// Each text can be parsed in only one way. When digits could belong to either of two parts, a quarter of a
// million of them took minutes.
const whole = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
/** Annotations of up to 256 KiB are parsed here too, some of them repeatedly. */
const longest = 100;

/**
 * Parses a duration in the form of Kubernetes' flags, `1m30s`. Returns milliseconds, or undefined if the text
 * is not a duration or has more than 100 characters.
 */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') {
    return 0;
  }
  if (text.length > longest || !whole.test(text)) {
    return undefined;
  }
  let total = 0;
  for (const [, amount, unit] of text.matchAll(part)) {
    total += Number(amount) * (units[unit ?? ''] ?? 0);
  }
  return total;
}
