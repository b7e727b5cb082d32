import type { Lease } from '@holdfast/core';
import { afterTimeToCallOff } from '../client/time-to-call-off.ts';
import { annotationName, type ProgramOrName } from '../identity/program-identity.ts';
import { ledAgainOf, wasVacantForLong } from './vacancy.ts';

/** Until when a program carries out nothing of what waits in the cluster for its time. */
export type WaitAfterVacancy =
  | { readonly kind: 'none' }
  /** Until this time, in milliseconds since 1970. It can be long past. */
  | { readonly kind: 'until'; readonly time: number }
  /**
   * Until an hour after somebody leads again, and so at least until this time: nobody has renewed the lease for more
   * than five minutes.
   */
  | { readonly kind: 'onceLed'; readonly time: number };

/**
 * Returns for tools that predict what a program does what its leader gets from {@link Tenure.askNothingDueBefore}. Not
 * for programs without leader election and for dry runs, which do not wait.
 *
 * @param program names the annotation of the lease, as in `appCommand`.
 * @param now by the API server's clock, in milliseconds since 1970. The clock of a machine that is not in the cluster
 *   can make a lease look vacant that is renewed all the time.
 */
export function waitAfterVacancy(lease: Lease, program: ProgramOrName, now: number): WaitAfterVacancy {
  if (wasVacantForLong(lease, { now, serverNow: now })) {
    return { kind: 'onceLed', time: afterTimeToCallOff(now) };
  }
  const ledAgain = ledAgainOf(lease, annotationName(program, 'led-again'));
  return ledAgain === undefined ? { kind: 'none' } : { kind: 'until', time: afterTimeToCallOff(ledAgain) };
}
