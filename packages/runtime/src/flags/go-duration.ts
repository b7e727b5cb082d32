const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // Go takes both the micro sign and the Greek letter.
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
// Each text is read in one way only: where digits could belong to either of two parts, a quarter of a million of them took minutes.
const whole = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
/** Annotations come here too, of up to 256 KiB, and some of them again and again. */
const longest = 100;

/**
 * Reads a duration as Kubernetes' flags spell it, `1m30s`; returns milliseconds, or undefined when the text is no duration, or has more than
 * 100 characters.
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
