/** What an exit code of `holdfast` means; a signal ends it with 128 and its number, as shells count. */
export const exitCode = {
  done: 0,
  /** By `--check` alone: the files say something else. */
  stale: 1,
  /** Wrong arguments, a module that can't be loaded, a file that can't be written. */
  failed: 2,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/** What keeps a command from its work, in one line that names the thing, the value and the way out. */
export class CommandError extends Error {}

/** The message of whatever was thrown, in one line. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
