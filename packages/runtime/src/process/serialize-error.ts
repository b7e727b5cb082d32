import { ApiError, isPageNotFound } from '../client/api-error.ts';

/** A text of an error is cut after this many characters, and causes after this many. */
const longestText = 8 * 1024;
const deepestCause = 4;

/**
 * The words of an authorizer, in all releases. A webhook, a policy or a quota uses others, and no role helps
 * against those.
 */
const deniedByRole = /: User "[^"]*" cannot \w+ (?:resource|path) /;

/** The fields of an error that are logged. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/**
 * Returns the fields of an error that are logged, and no others: libraries attach, for example, a request
 * with its headers, a URL with a password, or the output of a command.
 *
 * An error of the API server says everything in its message: which request, and who is not allowed to do
 * what. Its stack only shows the client, and its Status repeats the message (H15).
 *
 * Never throws: anything can be thrown, and a log line about it must not end the work that it is about.
 */
export function serializeError(error: unknown): LoggedError {
  try {
    return serialize(error, deepestCause);
  } catch {
    // What stood in the way can be anything too.
    return { type: typeof error, message: "it can't be shown" };
  }
}

function serialize(error: unknown, depth: number): LoggedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: cut(error) };
  }
  const { name, message, stack, cause } = error;
  const { code } = error as { readonly code?: unknown };
  if (error instanceof ApiError) {
    const hint = hintFor(error);
    return {
      type: name,
      message: cut(message),
      code,
      reason: error.reason,
      ...(hint === undefined ? {} : { hint }),
    };
  }
  return {
    type: error.constructor.name,
    message: cut(message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof stack === 'string' ? { stack: cut(stack) } : {}),
    ...(depth > 0 && cause instanceof Error ? { cause: serialize(cause, depth - 1) } : {}),
    // All addresses of a host were tried; the error itself has no message.
    ...(depth > 0 && error instanceof AggregateError
      ? { errors: error.errors.slice(0, deepestCause).map((each: unknown) => serialize(each, 0)) }
      : {}),
  };
}

/** Returns what a person can do about the answer, where the answer itself does not say. */
function hintFor(error: ApiError): string | undefined {
  if (error.code === 401) {
    return "the API server doesn't accept the credentials: renew those of the kubeconfig's user, or of the service account";
  }
  if (error.code === 403 && deniedByRole.test(error.message)) {
    return 'grant it to the account: the role in deploy/, or "Permissions" in the README';
  }
  if (isPageNotFound(error)) {
    return 'the server has no such path: create the CustomResourceDefinition of the kind, enable its API group, or correct the server of the kubeconfig';
  }
  return undefined;
}

/** A message can be anything, such as the null of a response that was copied into the error. */
function cut(value: unknown): string {
  const text = String(value);
  return text.length > longestText ? `${text.slice(0, longestText)}...` : text;
}
