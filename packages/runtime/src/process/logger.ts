import { pino, type DestinationStream, type Logger } from 'pino';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import { processSecrets } from '../logging/secret-values.ts';
import { standardError } from '../logging/standard-error.ts';
import { boundedFields } from './bounded-fields.ts';
import { serializeError } from './serialize-error.ts';

/**
 * Creates a logger to standard error; standard output is for what the user asked for. Times are RFC 3339.
 * Secrets of the process are replaced in every line, an error is logged only with the fields of
 * {@link serializeError}, and all fields are limited in size, see {@link boundedFields}.
 *
 * @param open opens what the lines are written to. Default: standard error.
 */
export async function createLogger(
  app: string,
  config: Pick<RuntimeConfig, 'logLevel' | 'logFormat' | 'dryRun'>,
  open: () => DestinationStream = standardError,
): Promise<Logger> {
  const options = {
    // A dry run logs writes that were not stored, so every line is marked.
    base: config.dryRun ? { app, dryRun: true } : { app },
    level: config.logLevel,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError },
    hooks: { streamWrite: processSecrets.redact },
    formatters: { level: (label: string) => ({ level: label }), log: boundedFields },
  };
  switch (config.logFormat) {
    case 'json':
      return pino(options, open());
    case 'pretty': {
      // Loaded only if requested: it is for people at a terminal.
      const { default: pretty } = await import('pino-pretty');
      const prettify = pretty.prettyFactory({ ignore: 'app', translateTime: 'HH:MM:ss.l' });
      // Its own streams block the process while the reader of a pipe stalls.
      const stream = open();
      return pino(options, { write: (line) => stream.write(prettify(line)) });
    }
  }
}
