import { randomInt } from 'node:crypto';
import { parseCommandLine, UsageError } from '@holdfast/runtime';
import { command } from './command.ts';
import { appNames } from './model.ts';
import { play } from './play.ts';

const say = (line: string): void => void process.stderr.write(`models: ${line}\n`);

/** The number of runs between two lines of progress. */
const progress = 20;

/** @returns the exit code: 0 if every story held */
async function run(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(command, args, process.env);
  if (line.kind === 'print') {
    process.stdout.write(`${line.text}\n`);
    return 0;
  }
  const { runs, app, length, path, replayPath } = line.values;
  const seed = line.values.seed === undefined ? randomInt(2 ** 31) : Number(line.values.seed);
  if (!Number.isSafeInteger(seed)) {
    throw new UsageError(`--seed must be an integer, and is "${String(line.values.seed)}"`);
  }
  say(`seed ${String(seed)}`);
  let played = 0;
  let hasFailed = false;
  const { failure, commands } = await play({
    runs,
    seed,
    length,
    apps: appNames.filter((name) => app === 'all' || app === name),
    ...(path === undefined ? {} : { path }),
    ...(replayPath === undefined ? {} : { replayPath }),
    onRun: ({ failure: broken }) => {
      played += 1;
      if (broken !== undefined) {
        // The first failure is printed at once and in full, because a race might not occur again while its
        // story is shrunk.
        const [headline = ''] = broken.message.split('\n');
        say(`run ${String(played)} fails: ${hasFailed ? headline : broken.message}`);
        hasFailed = true;
      } else if (played % progress === 0) {
        say(`${String(played)} runs, ${(process.cpuUsage().user / 1e6).toFixed(0)} s of CPU`);
      }
    },
  });
  process.stdout.write(
    failure === undefined
      ? `${String(played)} stories of ${String(commands)} commands in all: each promise was kept\n`
      : `${failure}\n`,
  );
  return failure === undefined ? 0 : 1;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
