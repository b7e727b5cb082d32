import { compareAnswers, knownDifferences } from './compare.ts';
import type { Answer } from './commands.ts';
import { helmCommands } from './helm-commands.ts';
import { helmFiles } from './helm-files.ts';
import { kubectlCommands } from './kubectl-commands.ts';
import { kubectlFiles } from './kubectl-files.ts';
import type { PartResult } from './parts.ts';
import { runCommands } from './run-commands.ts';
import { withSecondTry } from './second-try.ts';
import { type Backend, nameOf } from './world.ts';

const scripts = {
  kubectl: {
    commands: kubectlCommands,
    files: kubectlFiles,
    heading: '### What kubectl is answered otherwise',
  },
  helm: { commands: helmCommands, files: helmFiles, heading: '### What Helm is answered otherwise' },
};

/**
 * Plays a script of commands on both servers. Both must answer each command alike, unless the README names
 * it. A command that the README names and that is answered alike is a failure, too, so that the README stays
 * true.
 */
export async function playCommands(
  script: keyof typeof scripts,
  programs: Readonly<Record<string, string>>,
  readme: string,
  scratch: string,
): Promise<PartResult> {
  const { commands, files, heading } = scripts[script];
  const run = { commands, files, programs, scratch };
  const notes: string[] = [];
  const play = (backend: Backend): Promise<readonly Answer[]> =>
    withSecondTry(
      `${script} on ${nameOf(backend)}`,
      () => runCommands(backend, run),
      (line) => void notes.push(line),
    );
  const both = [play('embedded'), play('real')] as const;
  // Waits for both to end, so that an error of one of them leaves nothing of the other running.
  await Promise.allSettled(both);
  const [embedded, real] = await Promise.all(both);
  const { alike, unlisted, listed, gone } = compareAnswers(
    commands,
    embedded,
    real,
    knownDifferences(readme, heading),
  );
  return {
    passed: alike,
    failures: [
      ...unlisted.map(({ line, text }) => `answered otherwise, and not in the README: ${line}\n${text}`),
      ...gone.map((line) => `in the README, and answered alike or not asked: ${line}`),
    ],
    notes: [
      ...notes,
      `${commands.length} commands, ${alike} answered alike, ${listed.length} otherwise as the README says`,
    ],
  };
}
