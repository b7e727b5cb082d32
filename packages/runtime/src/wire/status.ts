import { processSecrets } from '../logging/secret-values.ts';

/** A cause in the details of a Status: which field, and what is wrong with it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The body of an answer that is not a success: `meta/v1 Status`. */
export interface Status {
  readonly kind?: string;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/**
 * Reads the body of an answer that is not a success. Of a body that is no Status, such as a proxy's page, the beginning becomes its message,
 * without the secrets of the process: one that is cut would not be found later.
 */
export function statusOf(body: string, code: number): Status {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && 'kind' in parsed && parsed.kind === 'Status') {
      return parsed as Status;
    }
  } catch {
    // Not JSON: the page of a proxy, or plain text of the server's own filters.
  }
  return { code, message: processSecrets.redact(body).slice(0, 500).trim() };
}
