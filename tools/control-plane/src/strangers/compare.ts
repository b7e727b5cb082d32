import { type Answer, type Command } from './commands.ts';
import { masked } from './mask.ts';

/** A command to which two servers give different answers. */
export interface Difference {
  readonly line: string;
  /** The lines that differ: `-` for the real server, `+` for the embedded one. */
  readonly text: string;
}

/** The result of running the same commands on both servers. */
export interface Comparison {
  readonly alike: number;
  /** Commands that differ and are not in the table of known differences. */
  readonly unlisted: readonly Difference[];
  /** Commands that differ and are in the table of known differences. */
  readonly listed: readonly Difference[];
  /** Commands in the table of known differences that do not differ, or that do not exist. */
  readonly gone: readonly string[];
}

/**
 * @param real the answers to the commands, in order
 * @param known the lines of commands that may differ
 */
export function compareAnswers(
  commands: readonly Command[],
  embedded: readonly Answer[],
  real: readonly Answer[],
  known: readonly string[],
): Comparison {
  const differences = commands.flatMap(({ line, inAnyOrder = false }, at): readonly Difference[] => {
    const [here, there] = [embedded[at], real[at]].map((answer) => {
      const text = answer === undefined ? 'no answer' : masked(answer);
      return inAnyOrder ? text.split('\n').toSorted().join('\n') : text;
    });
    return here === there ? [] : [{ line, text: difference(there ?? '', here ?? '') }];
  });
  const different = new Set(differences.map(({ line }) => line));
  return {
    alike: commands.length - differences.length,
    unlisted: differences.filter(({ line }) => !known.includes(line)),
    listed: differences.filter(({ line }) => known.includes(line)),
    gone: known.filter((line) => !different.has(line)),
  };
}

/** Returns the lines that only one of the texts has, in order. */
function difference(there: string, here: string): string {
  const [before, after] = [there.split('\n'), here.split('\n')];
  const without = (lines: readonly string[], others: readonly string[]): readonly string[] => {
    const left = [...others];
    return lines.filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) {
        left.splice(at, 1);
      }
      return at < 0;
    });
  };
  const [missing, extra] = [without(before, after), without(after, before)];
  if (missing.length + extra.length === 0) {
    return '  the same lines in another order';
  }
  return [...missing.map((line) => `  - ${line}`), ...extra.map((line) => `  + ${line}`)].join('\n');
}

/**
 * Returns the commands in the first column of the tables below a heading, each in backticks.
 *
 * @throws if there is no such heading
 */
export function knownDifferences(readme: string, heading: string): readonly string[] {
  const from = readme.indexOf(`\n${heading}\n`);
  if (from < 0) {
    throw new Error(`the README has no heading "${heading}"`);
  }
  const section = readme.slice(from + heading.length + 2).split(/\n#+ /, 1)[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) =>
      [...(splitRow(line)[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, command = '']) => command),
    )
    .map((command) => command.replaceAll('\\|', '|'));
}

function splitRow(line: string): readonly string[] {
  return line.slice(1).split(/(?<!\\)\|/);
}
