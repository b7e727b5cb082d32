import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** What is shipped, which the global setup has made of the sources. */
const bundle = join(import.meta.dirname, '../dist/main.js');

/** The tool as people run it, with nothing to read. */
export function startTool(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}
