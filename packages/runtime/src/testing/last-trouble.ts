import type { LogLine } from './kept-log.ts';

const quiet: ReadonlySet<string> = new Set(['trace', 'debug', 'info']);

/**
 * Returns a suffix for error messages with the last warning or error that was logged; empty if there was
 * none.
 */
export function lastTrouble(lines: readonly LogLine[]): string {
  const line = lines.findLast(({ level }) => !quiet.has(level));
  return line === undefined ? '' : `; it logged last: ${JSON.stringify(line)}`;
}
