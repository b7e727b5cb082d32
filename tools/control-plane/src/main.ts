import { controlPlane } from './command.ts';

const interrupted = new AbortController();
const interrupt = (signal: NodeJS.Signals): void => interrupted.abort(signal);
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
try {
  const { env, stdout, stderr } = process;
  process.exitCode = await controlPlane(process.argv.slice(2), {
    ...{ env, stdout, stderr },
    signal: interrupted.signal,
  });
} finally {
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
}
