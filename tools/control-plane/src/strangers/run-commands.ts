import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startControlPlane } from '@holdfast/testing';
import { type Answer, type Command, runCommand } from './commands.ts';
import type { Backend } from './world.ts';

export interface CommandRun {
  readonly commands: readonly Command[];
  /** The files that the commands name, by path; scripts among them are executable. */
  readonly files: Readonly<Record<string, string>>;
  /** The paths of the programs, by their names in command lines. */
  readonly programs: Readonly<Record<string, string>>;
  /** The folder for files that are written. */
  readonly scratch: string;
}

/**
 * Returns the answers to the commands, in order, on a new control plane without controllers.
 *
 * @throws if the control plane or a program does not start, or a command takes too long
 */
export async function runCommands(backend: Backend, run: CommandRun): Promise<readonly Answer[]> {
  const folder = await mkdtemp(join(run.scratch, `commands-${backend}-`));
  for (const [path, text] of Object.entries(run.files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { mode: 0o700 });
  }
  const plane = await startControlPlane({
    backend,
    ...(backend === 'real' ? { release: '1.36' } : undefined),
  });
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    const shell = {
      programs: run.programs,
      folder,
      // Nothing of the user's own is used: no caches, preferences or plugins.
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        KUBECONFIG: kubeconfig,
        KUBERC: 'off',
        TZ: 'UTC',
      },
    };
    const answers: Answer[] = [];
    for (const command of run.commands) {
      answers.push(await runCommand(command, shell));
    }
    return answers;
  } finally {
    await plane.stop();
  }
}
