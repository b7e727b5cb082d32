import { type Answer, type Command } from './commands.ts';
import { masked } from './mask.ts';

/** A command that two servers answer differently. */
export interface Difference {
  readonly line: string;
  /** The lines that are not alike, `-` of the real server, `+` of the embedded one. */
  readonly text: string;
}

/** How a run of the same commands on both ended. */
export interface Comparison {
  readonly alike: number;
  /** Differ, and nothing says so. */
  readonly unlisted: readonly Difference[];
  /** Differ, and the table of known differences says so. */
  readonly listed: readonly Difference[];
  /** In the table of known differences, and not different, or not among the commands. */
  readonly gone: readonly string[];
}

/**
 * @param real what the commands were answered, in their order
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

/** The lines that only one of the texts has, in the order in which they stand there. */
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
 * The commands in the first column of the tables below a heading, each in backticks.
 *
 * @throws when there is no such heading
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
