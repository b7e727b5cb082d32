import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseCommand } from './command.ts';
import { createCompiler } from './compiler.ts';
import { matchEquivalents } from './equivalents.ts';
import { knownEquivalents } from './known-equivalents.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { playMutants } from './play-mutants.ts';
import { recordWith } from './record.ts';
import { mutationTable, type FileFigures } from './table.ts';
import { targets } from './targets.ts';

/** `npm run mutate`: plays the mutants of files, one file after the other. */
const command = parseCommand(process.argv.slice(2));
if (command.kind === 'help') {
  process.stdout.write(`${command.text}\n`);
  process.exit(0);
}
if (command.kind === 'wrong') {
  process.stderr.write(`mutate: ${command.message}\n`);
  process.exit(2);
}
const record = new URL('../mutants.md', import.meta.url);
const print = (line: string) => process.stdout.write(`${line}\n`);
const figures: FileFigures[] = [];
for (const target of command.targets) {
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
    { compiles: createCompiler(file, text), isQuick: command.isQuick },
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
  const played = { ...counted, seconds: (performance.now() - started) / 1000 };
  if (command.isRecorded) {
    // Written after each file, because a whole run takes long and might be interrupted.
    const before = existsSync(record) ? readFileSync(record, 'utf8') : '';
    writeFileSync(
      record,
      recordWith(
        before,
        [played],
        targets.map((each) => each.file),
      ),
    );
  }
  figures.push(played);
  print(`${file}: ${String(counted.survived)} of ${String(mutants.length)} survived`);
}
print(`\n${mutationTable(figures)}`);
process.exitCode = figures.some(({ survived, wrong }) => survived + wrong > 0) ? 1 : 0;
