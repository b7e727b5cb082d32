import { parseArgs } from 'node:util';
import { targets, type Target } from './targets.ts';

/** What a command line asks for. */
export type Command =
  | {
      readonly kind: 'play';
      readonly targets: readonly Target[];
      readonly isQuick: boolean;
      readonly isRecorded: boolean;
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly message: string };

const usage = `npm run mutate -- [flags] [PATH...]

Changes what decides on data, one place at a time, and looks whether a test fails. A PATH means each file of tools/mutate/src/targets.ts that has it in
its path; default: all files.

  --quick   Survivors are not played once more in a process of their own.
  --record  The figures are written into tools/mutate/mutants.md.
  --help    Prints this.

Exit codes: 0 no mutant survives, 1 one does, or tools/mutate/src/known-equivalents.ts has a wrong entry, 2 wrong usage.`;

export function parseCommand(args: readonly string[]): Command {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    // The rest of Node's message explains how a path may begin with a hyphen.
    const [what = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    return { kind: 'wrong', message: `${what}; see --help` };
  }
  const { values, positionals: words } = parsed;
  if (values.help) {
    return { kind: 'help', text: usage };
  }
  const unknown = words.find((word) => targets.every(({ file }) => !file.includes(word)));
  if (unknown !== undefined) {
    return { kind: 'wrong', message: `no file of tools/mutate/src/targets.ts has "${unknown}" in its path` };
  }
  const meant = targets.filter(({ file }) => words.length === 0 || words.some((word) => file.includes(word)));
  if (values.quick && values.record) {
    return {
      kind: 'wrong',
      message: '--record has no use for --quick, which takes for survivors what might be none',
    };
  }
  return { kind: 'play', targets: meant, isQuick: values.quick, isRecorded: values.record };
}
