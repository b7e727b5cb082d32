import type { WaitDecision } from './decision.ts';
import type { Situation } from './situation.ts';

/**
 * Returns when a window that begins now is over, RFC 3339, by the clock that is ahead.
 *
 * @param window in milliseconds
 */
export function deadline(window: number, now: number, serverNow: number): string {
  return new Date(Math.max(now, serverNow) + window).toISOString();
}

/** When to ask again for the API server's clock, in milliseconds. Its next response shows it. */
const serverTimeDelay = 60_000;

/** @param due milliseconds since 1970 */
export function notYetDue(
  due: number,
  { now, serverNow, noneOverBefore = due }: Pick<Situation, 'now' | 'serverNow' | 'noneOverBefore'>,
): WaitDecision | undefined {
  const left = Math.max(due, noneOverBefore) - Math.min(now, serverNow ?? now);
  if (left > 0) {
    return { kind: 'wait', until: now + left, reason: 'Grace' };
  }
  return serverNow === undefined
    ? { kind: 'wait', until: now + serverTimeDelay, reason: 'Grace' }
    : undefined;
}
