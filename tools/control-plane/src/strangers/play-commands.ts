import { compareAnswers, knownDifferences } from './compare.ts';
import { helmCommands } from './helm-commands.ts';
import { helmFiles } from './helm-files.ts';
import { kubectlCommands } from './kubectl-commands.ts';
import { kubectlFiles } from './kubectl-files.ts';
import type { PartResult } from './parts.ts';
import { runCommands } from './run-commands.ts';

const scripts = {
  kubectl: {
    commands: kubectlCommands,
    files: kubectlFiles,
    heading: '### What kubectl is answered otherwise',
  },
  helm: { commands: helmCommands, files: helmFiles, heading: '### What Helm is answered otherwise' },
};

/**
 * A script of commands, on both: each is to be answered alike, but for those that the README names. One that it names and that is answered alike is a failure
 * too, so that the README stays true.
 */
export async function playCommands(
  script: keyof typeof scripts,
  programs: Readonly<Record<string, string>>,
  readme: string,
  scratch: string,
): Promise<PartResult> {
  const { commands, files, heading } = scripts[script];
  const run = { commands, files, programs, scratch };
  const [embedded, real] = await Promise.all([runCommands('embedded', run), runCommands('real', run)]);
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
      `${commands.length} commands, ${alike} answered alike, ${listed.length} otherwise as the README says`,
    ],
  };
}
