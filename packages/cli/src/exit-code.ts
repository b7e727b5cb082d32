/**
 * The exit codes of `holdfast`. If a signal ends it, the code is 128 plus the signal's number, as in shells.
 */
export const exitCode = {
  done: 0,
  /** Only with `--check`: the files differ from what they should be. */
  stale: 1,
  /** Wrong arguments, a module that cannot be loaded, or a file that cannot be written. */
  failed: 2,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/**
 * What prevents a command from doing its work, in one line that names the thing, the value and the way out.
 */
export class CommandError extends Error {}

/** Returns the message of anything that was thrown, in one line. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
