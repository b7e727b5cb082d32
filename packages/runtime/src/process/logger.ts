import { pino, stdSerializers, type Logger } from 'pino';
import { ApiError } from '../client/api-error.ts';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import { standardError } from '../logging/standard-error.ts';

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
    serializers: { err: serializeError },
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
 * An answer of the API server says all in its message: which request, who may not do what. Its stack is that of the client, and its Status
 * repeats the message (H15).
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof ApiError)) {
    return stdSerializers.err(error as Error);
  }
  const { name, message, code, reason } = error;
  return {
    type: name,
    message,
    code,
    reason,
    ...(code === 403
      ? { hint: 'grant it to the account: the role in deploy/, or "Permissions" in the README' }
      : {}),
  };
}
