import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCommandLine, UsageError } from '@holdfast/runtime';
import { command } from './command.ts';
import { soakHostile } from './hostile/hostile-soak.ts';
import { judgeHostile, type HostileRun } from './hostile/verdict.ts';
import { soak } from './soak.ts';
import { judge, type Finding } from './verdict.ts';

const say = (line: string): void => void process.stderr.write(`soak: ${line}\n`);

const words: Readonly<Record<Finding['outcome'], string>> = {
  holds: 'holds',
  fails: 'FAILS',
  undecided: 'UNDECIDED',
};

function lineOf({ about, outcome, figures }: Finding): string {
  return `${words[outcome].padEnd(11)}${about}: ${figures}`;
}

const hostileFolder = join('reports', 'hostile-soak');

/** The report, the logs of the replicas and the audit log stay in a folder. */
async function runHostile(
  minutes: number,
  signal: AbortSignal,
): Promise<{ readonly findings: readonly Finding[]; readonly result: HostileRun }> {
  const result = await soakHostile({ minutes, folder: hostileFolder }, say, signal);
  const findings = judgeHostile(result);
  await writeFile(
    join(hostileFolder, 'report.txt'),
    findings.map((finding) => `${lineOf(finding)}\n`).join(''),
  );
  return { findings, result };
}

/** @returns the exit code. */
async function run(args: readonly string[], signal: AbortSignal): Promise<number> {
  const line = parseCommandLine(command, args, process.env);
  if (line.kind === 'print') {
    process.stdout.write(`${line.text}\n`);
    return 0;
  }
  const { hostile, json, minutes } = line.values;
  const shown = hostile
    ? await runHostile(minutes, signal)
    : await soak(line.values, say, signal).then((result) => ({ findings: judge(result), result }));
  const { findings, result } = shown;
  for (const finding of findings) {
    process.stdout.write(`${lineOf(finding)}\n`);
  }
  if (json !== undefined) {
    await writeFile(json, `${JSON.stringify({ findings, ...result }, undefined, 2)}\n`);
  }
  return findings.every(({ outcome }) => outcome === 'holds') ? 0 : 1;
}

const interrupted = new AbortController();
const interrupt = (signal: NodeJS.Signals): void => interrupted.abort(signal);
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
try {
  process.exitCode = await run(process.argv.slice(2), interrupted.signal);
} catch (error) {
  if (interrupted.signal.aborted) {
    say(`stopped by ${String(interrupted.signal.reason)}; everything started was ended`);
    process.exitCode = interrupted.signal.reason === 'SIGINT' ? 130 : 143;
  } else if (error instanceof UsageError) {
    say(error.message);
    process.exitCode = 2;
  } else {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
} finally {
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
}
