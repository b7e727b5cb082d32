import { dispatch } from './dispatch.ts';
import { exitCode } from './exit-code.ts';
import { outputTo } from './output.ts';

/**
 * Runs the command line of `holdfast`, and ends the process with its exit code. Every problem is one line on
 * standard error; for a fault in holdfast itself, the stack follows.
 */
export async function runHoldfast(args: readonly string[]): Promise<void> {
  const output = outputTo(process.stdout, process.stderr);
  const { say } = output;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say(`ended by ${signal}; a file is written whole or not at all`);
      process.exit(exitCode[signal]);
    });
  }
  // The reader of the output, such as head, might have closed it.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      say(`standard output can't be written: ${error.message}`);
    }
    process.exit(error.code === 'EPIPE' ? exitCode.done : exitCode.failed);
  });
  process.exitCode = await dispatch(args, output);
}
