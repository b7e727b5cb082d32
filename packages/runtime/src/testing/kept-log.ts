import { pino, type Level, type Logger } from 'pino';
import { processSecrets } from '../logging/secret-values.ts';
import { boundedFields } from '../process/bounded-fields.ts';
import { serializeError } from '../process/serialize-error.ts';

/** A log line as its reader would receive it in JSON. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Creates a logger that keeps its lines, redacted and cut like the program's own. */
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
