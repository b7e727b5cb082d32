import { ApiError } from '@holdfast/runtime';

/** Why the API server did not take the patch of a claim that is there and as it was read. */
export type Refusal =
  /** The API server does not allow any claim to be given a class: it is too old, or its gate is off. */
  | { readonly kind: 'forbidden'; readonly words: string }
  /** This claim must not have this class: a quota, a policy, a webhook, or no permission. */
  | { readonly kind: 'refused'; readonly words: string }
  /** Nothing that lasts: the API server is away, or too busy, or failed. */
  | { readonly kind: 'transient' };

/** What the administrator can do about `forbidden`. */
export const howToAllow =
  'enable feature gate RetroactiveDefaultStorageClass of kube-apiserver (1.25), or update it: since 1.26 it is on by default';

/** The server's words to claims that were refused alike, and the way out. */
export function forbiddenWords(words: string): string {
  return `${words}; ${howToAllow}`;
}

/** The same while one claim alone was refused: something that changes its spec besides us brings these words too. */
export function perhapsForbiddenWords(words: string): string {
  return `${words}; either a webhook changes more of its spec, or the API server forbids it for all claims: then ${howToAllow}`;
}

/**
 * What the API server's own refusal of a change of a claim's spec begins with, in all releases. From its beginning, since a policy or a
 * webhook can deny one claim in the same words, behind a beginning of its own.
 */
const immutable =
  /^PersistentVolumeClaim "[^"]*" is invalid: spec: Forbidden: spec is immutable after creation/;

/** Characters of the words that are logged and recorded: in an Event's note, of 1,024 bytes, there is to be room for what can be done. */
const longestWords = 500;

function cut(words: string): string {
  return words.length <= longestWords ? words : `${words.slice(0, longestWords)}...`;
}

/** @param error of a guarded write that `failed`. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError) || error.code >= 500) {
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
