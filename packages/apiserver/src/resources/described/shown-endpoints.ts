/* Columns that list where something leads. */

const mostShown = 3;

/** The first few parts, and how many more there are. */
export function shownOf(parts: readonly string[], whenNone: string): string {
  if (parts.length === 0) {
    return whenNone;
  }
  const rest = parts.length - mostShown;
  return `${parts.slice(0, mostShown).join(',')}${rest > 0 ? ` + ${rest} more...` : ''}`;
}
