import type { Place } from './place.ts';

/** What a request of the operator is answered with instead, or besides: see {@link requestPerturbations}. */
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
  /** The process is killed (SIGKILL) when it has sent the write, which never arrives, or when the write took effect and is not answered yet; then it is started again. */
  | { readonly kind: 'crash-before-write' | 'crash-after-write'; readonly at: Place }
  /**
   * The process is killed after the write took effect, and started again on an API server whose cache has yet to see the change `view`, until
   * it writes for the first time or has nothing left to do.
   */
  | { readonly kind: 'stale-restart'; readonly at: Place; readonly view: Place }
  /**
   * The watch stands still at the change `from`. When the change `to` has come too, and after the next write of the operator or when it has
   * nothing left to do, all of it arrives in order (`event-delayed`), or the watch ends as too old, and a list shows what came of it
   * (`event-hidden`).
   */
  | {
      readonly kind: 'event-delayed' | 'event-hidden';
      readonly from: Place;
      readonly to: Place;
      /** The step of the scenario in which `to` comes; -1: before the first. */
      readonly untilStep: number;
    }
  | { readonly kind: RequestKind; readonly at: Place }
  /**
   * The leader is stopped (SIGSTOP) with its write on the way, which arrives, or is answered, only when another leads and has nothing left to
   * do; then it is continued.
   */
  | { readonly kind: 'handover-before-write' | 'handover-after-write'; readonly at: Place };

export type PerturbationKind = Perturbation['kind'];

/** In the order of reports. */
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

/** In words, the same in every run: `stale-restart at patch pods shop/web #1, before ADDED Pod shop/web #1 is seen`. */
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

/** Whether it needs two replicas, of which one leads. */
export function needsElection({ kind }: Perturbation): boolean {
  return kind === 'handover-before-write' || kind === 'handover-after-write';
}
