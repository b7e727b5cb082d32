import { processSecrets } from '../logging/secret-values.ts';

/** A cause in the details of a Status: which field, and what is wrong with it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The body of an unsuccessful response: `meta/v1 Status`. */
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
 * Reads the body of an unsuccessful response. If it is not a Status, such as a proxy's page, its beginning
 * becomes the message. The secrets of the process are replaced first, since a cut secret would not be found
 * later.
 */
export function statusOf(body: string, code: number): Status {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isMessage(parsed) && parsed['kind'] === 'Status') {
      return readStatus(parsed);
    }
  } catch {
    // Not JSON: a proxy's page, or plain text of the server's own filters.
  }
  return { code, message: processSecrets.redact(body).slice(0, 500).trim() };
}

/**
 * Reads the valid parts of a Status of any shape, so that callers do not fail on a number in the place of a
 * text. Invalid fields are left out. A text is cut after 8 KiB: an admission webhook can explain itself with
 * a mebibyte, in each response again.
 */
export function readStatus(status: unknown): Status {
  const whole = isMessage(status) ? status : {};
  const details = whole['details'];
  const code = whole['code'];
  return {
    ...textsIn(whole, ['kind', 'status', 'message', 'reason']),
    ...(typeof code === 'number' ? { code } : {}),
    ...(isMessage(details) ? { details: readDetails(details) } : {}),
  };
}

function readDetails(details: Message): NonNullable<Status['details']> {
  const { causes, retryAfterSeconds } = details;
  return {
    ...textsIn(details, ['name', 'kind']),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    ...(Array.isArray(causes)
      ? { causes: causes.filter(isMessage).map((cause) => textsIn(cause, ['reason', 'message', 'field'])) }
      : {}),
  };
}

type Message = Readonly<Record<string, unknown>>;

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textsIn<Name extends string>(
  message: Message,
  names: readonly Name[],
): { readonly [Each in Name]?: string } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = message[name];
      return typeof text === 'string' ? [[name, cut(text)]] : [];
    }),
  ) as { readonly [Each in Name]?: string };
}

/** In characters. */
const longestText = 8 * 1024;

/** Secrets are replaced first, since a cut secret would not be found later. */
function cut(text: string): string {
  return text.length <= longestText ? text : `${processSecrets.redact(text).slice(0, longestText)}...`;
}
