/**
 * Returns the whole number that the environment variable holds, or the usual one if it is not set.
 *
 * @throws if it holds anything else: a seed that is no number would be NaN, and all such runs would be the same.
 */
export function wholeNumber(variable: string, usual: number): number {
  const text = process.env[variable];
  const value = Number(text ?? usual);
  if (text === '' || !Number.isSafeInteger(value) || value < 0) {
    throw new Error(`${variable} is "${text}": set it to a whole number, or leave it out`);
  }
  return value;
}
