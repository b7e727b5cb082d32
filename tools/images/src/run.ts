import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { UnavailableError } from './unavailable-error.ts';

/**
 * Runs a program and resolves with its stdout.
 *
 * @throws UnavailableError if there is no such program; Error with its stderr if it fails
 */
export async function run(program: string, args: readonly string[]): Promise<Buffer> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw new UnavailableError(
      `${program} can't be run: ${error instanceof Error ? error.message : String(error)}`,
    );
  })) as [number | null];
  if (code !== 0) {
    throw new Error(`${program} failed: ${Buffer.concat(errors).toString().trim()}`);
  }
  return Buffer.concat(output);
}
