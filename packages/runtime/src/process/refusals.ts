import type { Logger } from 'pino';
import { ApiError, isForbidden, isPageNotFound } from '../client/api-error.ts';
import type { Tally } from './uninstall-step.ts';

/** What the API server refuses during a step of an uninstall. */
export interface Refusals {
  /**
   * Counts a refusal, and logs it unless there have been many.
   *
   * @param key of the object; undefined for a list.
   */
  note(error: Error, key?: string): void;
  /** Returns whether RBAC has denied a verb, so that nothing more of the step can succeed. */
  areFinal(): boolean;
}

/** How many refusals are logged individually. */
const logged = 20;

/** @param what the step takes back, for the log. */
export function createRefusals(what: string, logger: Logger, tally: Tally): Refusals {
  let isDenied = false;
  return {
    note: (error, key) => {
      tally.refused += 1;
      const missing = missingPermission(error);
      isDenied ||= missing !== undefined;
      if (tally.refused <= logged) {
        const fields = { what, ...(key === undefined ? {} : { key }), reason: error.message };
        if (missing === undefined) {
          logger.error(fields, 'Could not be taken back');
        } else {
          logger.error({ ...fields, missing }, 'Permission is missing');
        }
      }
    },
    areFinal: () => isDenied,
  };
}

/** Returns whether the API server would refuse it however often it is sent. */
export function isRefusal(error: unknown): error is ApiError {
  const passing = [401, 408, 410, 429];
  return (
    error instanceof ApiError &&
    error.code >= 400 &&
    error.code < 500 &&
    !passing.includes(error.code) &&
    !isPageNotFound(error)
  );
}

/**
 * Returns what RBAC denies, in the words of every release; undefined for other errors, since an admission
 * policy words its denials differently.
 */
function missingPermission(error: Error): string | undefined {
  // The pattern matches only the last "cannot": a webhook's message can contain ten thousand of them.
  const [, denied] = isForbidden(error)
    ? (/^.*\bcannot (\w+ resource .+)$/.exec(error.status.message ?? '') ?? [])
    : [];
  return denied;
}
