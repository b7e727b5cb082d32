import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCompiler } from './compiler.ts';
import { matchEquivalents } from './equivalents.ts';
import { knownEquivalents } from './known-equivalents.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { playMutants } from './play-mutants.ts';
import { mutationTable, type FileFigures } from './table.ts';
import { targets } from './targets.ts';

/**
 * `npm run mutate [-- [--quick] <path>...]`: plays the mutants of each file of `targets.ts`, or of those whose paths contain one of the words given. The exit
 * code is 1 when one survives that `known-equivalents.ts` does not name, or when an entry of that list is killed or names none; 2 when no file is
 * meant. With `--quick` survivors are not played again by themselves, see {@link playMutants}.
 */
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const meant = targets.filter(({ file }) => words.length === 0 || words.some((word) => file.includes(word)));
if (meant.length === 0) {
  process.stderr.write(
    `mutate: no file of tools/mutate/src/targets.ts has "${words.join('" or "')}" in its path\n`,
  );
  process.exit(2);
}
const print = (line: string) => process.stdout.write(`${line}\n`);
const figures: FileFigures[] = [];
for (const target of meant) {
  const { file } = target;
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const mutants = mutantsOf(file, text);
  const { equivalent, stale } = matchEquivalents(file, mutants, knownEquivalents);
  const counted = {
    file,
    mutants: mutants.length,
    killed: 0,
    refused: 0,
    timedOut: 0,
    equivalent: 0,
    survived: 0,
    wrong: stale.length,
  };
  const started = performance.now();
  const show = ({ before, after }: { before: string; after: string }) => print(`    ${before}\n    ${after}`);
  for (const entry of stale) {
    print(`${file}: an equivalent that names no mutant any more`);
    show(entry);
  }
  const isEquivalent = ({ id }: Mutant) => equivalent.has(id);
  await playMutants(
    target,
    mutants,
    { compiles: createCompiler(file, text), isQuick: values.quick },
    (mutant, fate) => {
      const isKnown = isEquivalent(mutant);
      if (fate.kind === 'survived') {
        counted[isKnown ? 'equivalent' : 'survived']++;
      } else {
        counted[fate.kind]++;
      }
      if (isKnown !== (fate.kind === 'survived')) {
        counted.wrong += isKnown ? 1 : 0;
        print(`${file}:${String(mutant.line)}: ${isKnown ? 'an equivalent that is killed' : 'survived'}`);
        show(mutant);
      }
    },
  );
  figures.push({ ...counted, seconds: (performance.now() - started) / 1000 });
  print(`${file}: ${String(counted.survived)} of ${String(mutants.length)} survived`);
}
print(`\n${mutationTable(figures)}`);
process.exitCode = figures.some(({ survived, wrong }) => survived + wrong > 0) ? 1 : 0;
