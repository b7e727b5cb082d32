import { pino, type DestinationStream, type Logger } from 'pino';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';

/** A logger to standard error, which leaves standard output to what was asked for. Times are RFC 3339. */
export async function createLogger(
  app: string,
  config: Pick<RuntimeConfig, 'logLevel' | 'logFormat' | 'dryRun'>,
): Promise<Logger> {
  const options = {
    // What a dry run says was done was not: every line of it is marked.
    base: config.dryRun ? { app, dryRun: true } : { app },
    level: config.logLevel,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  switch (config.logFormat) {
    case 'json':
      return pino(options, standardError());
    case 'pretty': {
      // Only people read it: the others do not pay for loading it.
      const { default: pretty } = await import('pino-pretty');
      return pino(
        options,
        pretty({ destination: 2, sync: true, ignore: 'app', translateTime: 'HH:MM:ss.l' }),
      );
    }
  }
}

/**
 * Standard error, written once for all lines of a turn of the event loop: under load that is a tenth of the system calls. What is
 * logged on the way out, also by an error that nobody caught, is written at the exit. Only a process that is killed in the
 * middle of a turn loses that turn's lines.
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
