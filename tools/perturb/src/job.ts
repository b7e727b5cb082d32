import type { Lesson, Perturbation, Projection, Run } from '@holdfast/testing/perturbation';

/** What a shard is asked to do. */
export type Job =
  | {
      readonly kind: 'learn';
      readonly app: string;
      readonly scenario: string;
      readonly bundle: string | undefined;
    }
  | {
      readonly kind: 'play';
      readonly app: string;
      readonly scenario: string;
      readonly bundle: string | undefined;
      readonly perturbations: readonly Perturbation[];
      readonly ends: readonly Projection[];
    };

/** The part of a run that the report needs. */
export type Played = Pick<Run, 'outcome' | 'problem' | 'isReached' | 'ownEnds' | 'trace'>;

export type JobResult<J extends Job> = J['kind'] extends 'learn' ? Lesson : Played;

/** A message from the runner to a shard. */
export interface Order {
  readonly id: number;
  readonly job: Job;
}

export type Answer =
  | { readonly id: number; readonly result: Lesson | Played }
  /** The job could not be done. */
  | { readonly id: number; readonly error: string };
