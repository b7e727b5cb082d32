import { join } from 'node:path';
import { endOfLog, startContestant, type ContestantProcess } from '../contestant-process.ts';
import type { Program } from '../program.ts';
import type { TrialStage } from './trial.ts';

/** Runs an app with its default limits, because waiting for them is part of what is measured. */
export function appByDefault(bundle: string, kubeconfigFile: string, flags: readonly string[]): Program {
  const quiet = ['--metrics-bind-address=0', '--health-probe-bind-address=0'];
  return { command: process.execPath, args: [bundle, `--kubeconfig=${kubeconfigFile}`, ...quiet, ...flags] };
}

/**
 * Runs an app while `work` is done, and ends it.
 *
 * @throws what `work` throws; the signal's reason; if the app ends by itself. Each with the end of the app's
 *   log.
 */
export async function withApp<T>(
  { arena: { folder, signal } }: TrialStage,
  program: Program,
  work: (app: ContestantProcess) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const logFile = join(folder, 'app.log');
  const app = await startContestant(program, folder, logFile);
  try {
    return await Promise.race([
      work(app),
      app.ended.then((how) => {
        throw new Error(`it ended before the work was done (${how})`);
      }),
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      }),
    ]);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}; the end of its log:\n${await endOfLog(logFile)}`, { cause: error });
  } finally {
    await app.stop();
  }
}

/**
 * Runs an app until it ends.
 *
 * @returns how long it took, in seconds
 * @throws if it does not end with code 0, with the end of its log
 */
export async function runToEnd({ arena: { folder, signal } }: TrialStage, program: Program): Promise<number> {
  signal.throwIfAborted();
  const logFile = join(folder, 'app.log');
  const began = performance.now();
  const app = await startContestant(program, folder, logFile);
  const stop = (): void => void app.stop();
  signal.addEventListener('abort', stop);
  const how = await app.ended;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (how !== 'exit code 0') {
    throw new Error(`it ended with ${how}; the end of its log:\n${await endOfLog(logFile)}`);
  }
  return (performance.now() - began) / 1000;
}
