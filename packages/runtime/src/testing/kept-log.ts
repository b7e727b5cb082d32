import { pino, type Level, type Logger } from 'pino';
import { processSecrets } from '../logging/secret-values.ts';
import { boundedFields } from '../process/bounded-fields.ts';
import { serializeError } from '../process/serialize-error.ts';

/** A line of the log, as its reader would get it in JSON. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A logger whose lines are kept, redacted and cut as the program's own are. */
export function createKeptLog(
  app: string,
  level: Level,
): { readonly logger: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const logger = pino(
    {
      base: { app },
      level,
      serializers: { err: serializeError },
      hooks: { streamWrite: processSecrets.redact },
      formatters: { level: (label: string) => ({ level: label }), log: boundedFields },
    },
    { write: (line) => void lines.push(JSON.parse(line) as LogLine) },
  );
  return { logger, lines };
}
