import type { ClaimPlan } from './plan.ts';
import type { ReasonCode } from './reason.ts';
import { waitWords } from './vacancy-wait.ts';
import type { Retainers } from './world.ts';

const waiting: ReadonlySet<ReasonCode> = new Set([
  'GraceOver',
  'ScaleDownCollected',
  'MarkedScaledDown',
  'MarkedWithSet',
]);

/**
 * Says until when statefulset-pvc-retention lets no undo window end; undefined if it does not wait, or that makes no
 * difference to these claims.
 */
export function waitOfClaims(
  { holdfast, wait = { kind: 'none' } }: Retainers,
  plans: readonly ClaimPlan[],
  now: number,
): string | undefined {
  const isAnyWaiting = plans.some(({ outcomes }) => outcomes.some(({ reason }) => waiting.has(reason.code)));
  return holdfast === 'absent' || !isAnyWaiting ? undefined : waitWords(wait, now);
}
