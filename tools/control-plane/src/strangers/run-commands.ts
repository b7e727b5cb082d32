import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startControlPlane } from '@holdfast/testing';
import { type Answer, type Command, runCommand } from './commands.ts';
import type { Backend } from './world.ts';

export interface CommandRun {
  readonly commands: readonly Command[];
  /** What they name, by path; scripts among them can be run. */
  readonly files: Readonly<Record<string, string>>;
  /** Paths of the programs, by the names that stand in lines. */
  readonly programs: Readonly<Record<string, string>>;
  /** For what is written. */
  readonly scratch: string;
}

/**
 * What the commands are answered, one after the other, on a control plane of their own without controllers.
 *
 * @throws when the control plane or a program does not start, or a command takes too long
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
      // Nothing of the user's own: no caches, no preferences, no plugins.
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
