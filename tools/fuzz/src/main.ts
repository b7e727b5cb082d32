import { randomInt } from 'node:crypto';
import { parseCommandLine, UsageError } from '@holdfast/runtime';
import { playRandom } from './campaign.ts';
import { command } from './command.ts';
import { keep } from './corpus.ts';
import { createTargets } from './targets.ts';

const say = (line: string): void => void process.stderr.write(`fuzz: ${line}\n`);

/** The number of inputs that a target plays before it is the next target's turn. */
const turn = 100;

/** @returns the exit code: 0 if nothing was broken */
async function run(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(command, args, process.env);
  if (line.kind === 'print') {
    process.stdout.write(`${line.text}\n`);
    return 0;
  }
  const { target: wanted, minutes } = line.values;
  const seed = line.values.seed === undefined ? randomInt(2 ** 30) : Number(line.values.seed);
  if (!Number.isSafeInteger(seed)) {
    throw new UsageError(`--seed must be an integer, and is "${String(line.values.seed)}"`);
  }
  const all = await createTargets();
  const targets = all.filter(({ name }) => wanted === 'all' || wanted === name);
  if (targets.length === 0) {
    throw new UsageError(
      `--target: "${wanted}" is none; expected all, ${all.map(({ name }) => name).join(', ')}`,
    );
  }
  say(`seed ${String(seed)}`);
  const end = performance.now() + minutes * 60_000;
  const played = new Map<string, number>();
  const failures = new Set<string>();
  for (let round = 0; round === 0 || performance.now() < end; round++) {
    for (const target of targets) {
      const { runs, failure } = await playRandom(target, turn, seed + round);
      played.set(target.name, (played.get(target.name) ?? 0) + runs);
      if (failure !== undefined && !failures.has(`${failure.target} ${failure.what}`)) {
        failures.add(`${failure.target} ${failure.what}`);
        say(`${failure.target}, seed ${String(failure.seed)}: ${failure.what}`);
        say(`kept as ${keep(failure.target, failure.input, failure.what)}`);
      }
    }
  }
  for (const [name, runs] of played) {
    process.stdout.write(`${name}: ${String(runs)} inputs\n`);
  }
  process.stdout.write(`${String(failures.size)} failures\n`);
  return failures.size === 0 ? 0 : 1;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
