import type { Place } from './place.ts';

/**
 * What happens to a request of the operator instead of, or in addition to, the API server's answer, see
 * {@link requestPerturbations}.
 */
export type RequestKind =
  | 'answer-403'
  | 'answer-409'
  | 'answer-410'
  | 'answer-422'
  | 'answer-429'
  | 'answer-500'
  | 'answer-504'
  | 'answer-504-after'
  | 'reset-before'
  | 'reset-after';

/** One thing that goes wrong, at one place. */
export type Perturbation =
  /**
   * Kills the process (SIGKILL) and starts it again: either when it has sent the write, which then never
   * arrives, or when the write has taken effect but is not answered yet.
   */
  | { readonly kind: 'crash-before-write' | 'crash-after-write'; readonly at: Place }
  /**
   * Kills the process after the write has taken effect, and starts it again on an API server whose cache has
   * not seen the change `view` yet. The cache stays behind until the process makes its first write or has
   * nothing left to do.
   */
  | { readonly kind: 'stale-restart'; readonly at: Place; readonly view: Place }
  /**
   * Holds the watch back from the change `from` on. Once the change `to` has come too, and the operator has
   * made its next write or has nothing left to do, either all of it arrives in order (`event-delayed`), or
   * the watch ends as too old and a list shows only the result (`event-hidden`).
   */
  | {
      readonly kind: 'event-delayed' | 'event-hidden';
      readonly from: Place;
      readonly to: Place;
      /** The step of the scenario in which `to` comes; -1 before the first step. */
      readonly untilStep: number;
    }
  | { readonly kind: RequestKind; readonly at: Place }
  /**
   * Stops the leader (SIGSTOP) while its write is in flight. The write arrives, or is answered, only when
   * another process leads and has nothing left to do; then the former leader is continued.
   */
  | { readonly kind: 'handover-before-write' | 'handover-after-write'; readonly at: Place };

export type PerturbationKind = Perturbation['kind'];

/** All kinds, in the order of reports. */
export const perturbationKinds = [
  'crash-before-write',
  'crash-after-write',
  'stale-restart',
  'event-delayed',
  'event-hidden',
  'answer-403',
  'answer-409',
  'answer-410',
  'answer-422',
  'answer-429',
  'answer-500',
  'answer-504',
  'answer-504-after',
  'reset-before',
  'reset-after',
  'handover-before-write',
  'handover-after-write',
] as const satisfies readonly PerturbationKind[];

/**
 * Describes a perturbation in words that are the same in every run: `stale-restart at patch pods shop/web #1,
 * before ADDED Pod shop/web #1 is seen`.
 */
export function describePerturbation(perturbation: Perturbation): string {
  switch (perturbation.kind) {
    case 'stale-restart':
      return `${perturbation.kind} at ${perturbation.at}, before ${perturbation.view} is seen`;
    case 'event-delayed':
    case 'event-hidden': {
      const { kind, from, to } = perturbation;
      return from === to ? `${kind}: ${from}` : `${kind}: ${from} to ${to}`;
    }
    default:
      return `${perturbation.kind} at ${perturbation.at}`;
  }
}

/** Whether the perturbation needs two replicas, of which one is elected leader. */
export function needsElection({ kind }: Perturbation): boolean {
  return kind === 'handover-before-write' || kind === 'handover-after-write';
}
