const longest = 100;

/**
 * A value that somebody wrote, as it is shown in a message: in quotes, and of one that has more than 100 characters as much as shows which it
 * is. An annotation can have 256 KiB, and is shown again and again.
 */
export function quoted(value: string): string {
  return value.length <= longest
    ? JSON.stringify(value)
    : `${JSON.stringify(value.slice(0, longest))} and ${String(value.length - longest)} characters more`;
}
