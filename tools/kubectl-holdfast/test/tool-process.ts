import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** What is shipped, which the global setup has made of the sources. */
export const bundle = join(import.meta.dirname, '../dist/main.js');

/**
 * The tool as people run it, with nothing to read.
 *
 * @param env variables besides those of this process
 */
export function startTool(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [bundle, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
}
