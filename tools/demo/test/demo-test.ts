import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { bundle } from '../src/processes.ts';
import { toolFolder } from '../src/view.ts';
import type { DemoProcess } from './demo-process.ts';

/** The bundle of the tool that shows the cluster is made once: demos side by side would all make it. */
let bundled: Promise<void> | undefined;

/** What was started with a kubeconfig in the folder: controllers, and the tool. */
export function processesNaming(folder: string): readonly string[] {
  const commands = existsSync('/proc/self/cmdline')
    ? globSync('/proc/[0-9]*/cmdline').flatMap((file) => contentOf(file)?.replaceAll('\0', ' ') ?? [])
    : execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return commands.filter((command) => command.includes(`--kubeconfig=${folder}`));
}

/** Undefined: the process has ended meanwhile. */
function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Sends the signal that Ctrl-C is, and expects the end of all. */
export async function interrupted(demo: DemoProcess, temporary: string): Promise<void> {
  demo.kill('SIGINT');
  let code: number | null | undefined;
  void demo.exit.then((ended) => (code = ended));
  await eventually('it has ended', () => code !== undefined);
  expect({ code, stderr: demo.stderr() }).toEqual({ code: 0, stderr: '' });
  expect(processesNaming(temporary)).toStrictEqual([]);
  expect(readdirSync(temporary)).toStrictEqual([]);
}

/**
 * Demos run side by side: each spends most of its time waiting for the processes that it starts.
 *
 * @param play is given a folder for all that its demo puts on disk.
 */
export function demoTest(name: string, play: (temporary: string) => Promise<void>): void {
  test.concurrent(
    name,
    async () => {
      await (bundled ??= bundle([toolFolder]));
      const temporary = await mkdtemp(join(tmpdir(), 'holdfast-demo-test-'));
      try {
        await play(temporary);
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    },
    120_000,
  );
}
