import { ApiError, isUnauthorized } from '@holdfast/runtime';

/** Why the API server did not accept the patch of a claim that exists and is as it was read. */
export type Refusal =
  /** The API server does not allow any claim to get a class: it is too old, or its gate is off. */
  | { readonly kind: 'forbidden'; readonly words: string }
  /** This claim must not get this class, because of a quota, a policy, a webhook, or a missing permission. */
  | { readonly kind: 'refused'; readonly words: string }
  /** Nothing permanent: the API server is unavailable, too busy, failed, or does not accept the credentials. */
  | { readonly kind: 'transient' };

/** What an administrator can do about `forbidden`. */
export const howToAllow =
  'enable feature gate RetroactiveDefaultStorageClass of kube-apiserver (1.25), or update it: since 1.26 it is on by default';

/** Returns the server's words about claims that were refused alike, and the way out. */
export function forbiddenWords(words: string): string {
  return `${words}; ${howToAllow}`;
}

/**
 * Returns the same while only one claim was refused: a webhook that also changes its spec causes these words
 * too.
 */
export function perhapsForbiddenWords(words: string): string {
  return `${words}; either a webhook changes more of its spec, or the API server forbids it for all claims: then ${howToAllow}`;
}

/**
 * The beginning of the API server's own refusal to change a claim's spec, in all releases. It is matched from
 * the start, because a policy or a webhook can deny one claim in the same words after a beginning of its own.
 */
const immutable =
  /^PersistentVolumeClaim "[^"]*" is invalid: spec: Forbidden: spec is immutable after creation/;

/**
 * How many characters of the words are logged and recorded: an Event's note of 1,024 bytes also needs room
 * for the way out.
 */
const longestWords = 500;

function cut(words: string): string {
  return words.length <= longestWords ? words : `${words.slice(0, longestWords)}...`;
}

/** @param error of a guarded write that `failed`. */
export function refusalOf(error: unknown): Refusal {
  if (isUnauthorized(error) || !(error instanceof ApiError) || error.code >= 500) {
    return { kind: 'transient' };
  }
  const { code, status } = error;
  const words = cut((status.message ?? '').split('\n')[0] ?? '');
  switch (code) {
    case 408:
    case 429:
      return { kind: 'transient' };
    case 422:
      return { kind: immutable.test(words) ? 'forbidden' : 'refused', words };
    default:
      return { kind: 'refused', words };
  }
}
