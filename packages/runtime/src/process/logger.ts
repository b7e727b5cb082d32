import { pino, type DestinationStream, type Logger } from 'pino';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';

/** A logger to standard error; standard output is for what the user asked for. Times are RFC 3339. */
export async function createLogger(
  app: string,
  config: Pick<RuntimeConfig, 'logLevel' | 'logFormat' | 'dryRun'>,
): Promise<Logger> {
  const options = {
    // Nothing that a dry run logs as done was stored: every line is marked.
    base: config.dryRun ? { app, dryRun: true } : { app },
    level: config.logLevel,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  switch (config.logFormat) {
    case 'json':
      return pino(options, standardError());
    case 'pretty': {
      // Loaded only when asked for: it is for people at a terminal.
      const { default: pretty } = await import('pino-pretty');
      return pino(
        options,
        pretty({ destination: 2, sync: true, ignore: 'app', translateTime: 'HH:MM:ss.l' }),
      );
    }
  }
}

/**
 * Standard error, written once for all lines of a turn of the event loop: under load that is a tenth of the system calls. Lines
 * logged just before the process exits, or dies of an uncaught error, are written at the exit. Only a process that is killed in
 * the middle of a turn loses the lines of that turn.
 */
function standardError(): DestinationStream {
  const file = pino.destination({ fd: 2, sync: true });
  let lines = '';
  const flush = (): void => {
    if (lines !== '') {
      const written = lines;
      lines = '';
      file.write(written);
    }
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      if (lines === '') {
        setImmediate(flush);
      }
      lines += line;
    },
  };
}
