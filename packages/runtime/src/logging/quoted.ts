const longest = 100;

/**
 * Quotes a value that somebody wrote, for a message. Of a value with more than 100 characters it shows the
 * beginning, which is enough to identify it. An annotation can have 256 KiB, and might be shown repeatedly.
 */
export function quoted(value: string): string {
  return value.length <= longest
    ? JSON.stringify(value)
    : `${JSON.stringify(value.slice(0, longest))} and ${String(value.length - longest)} characters more`;
}
