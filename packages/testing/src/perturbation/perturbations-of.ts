import type { RequestEffect } from './operator-request.ts';
import type { Perturbation, RequestKind } from './perturbation.ts';
import type { Place } from './place.ts';

/** A request of the operator in an undisturbed run. */
export interface LearnedRequest {
  readonly place: Place;
  readonly effect: RequestEffect;
  /** The step of the scenario in which the request came; -1 before the first step. */
  readonly step: number;
}

/** A change that a watch delivered to the operator in an undisturbed run. */
export interface LearnedEvent {
  readonly place: Place;
  /** Kind and name of the changed object. */
  readonly object: string;
  readonly step: number;
}

/** What happened in an undisturbed run: requests in order of arrival, and changes in order of revision. */
export interface Learned {
  readonly requests: readonly LearnedRequest[];
  readonly events: readonly LearnedEvent[];
}

/**
 * What each kind of request can be answered with instead. A read whose answer is lost has no other effect
 * than one that does not arrive, so only the latter is played.
 */
const kindsOf: Readonly<Record<RequestEffect, readonly RequestKind[]>> = {
  read: ['answer-403', 'answer-429', 'answer-500', 'answer-504', 'reset-before'],
  watch: ['answer-403', 'answer-410', 'answer-429', 'answer-500', 'reset-before'],
  write: [
    'answer-403',
    'answer-409',
    'answer-422',
    'answer-429',
    'answer-500',
    'answer-504',
    'answer-504-after',
    'reset-before',
    'reset-after',
  ],
  call: ['reset-before', 'reset-after'],
};

/**
 * Returns every perturbation at every place of a run. The same places yield the same order:
 *
 * - at each write, and each call to the outside: a crash before and after it, and a handover before and after
 *   it;
 * - at each write, for each change before it: a restart on a view that has not seen the change yet;
 * - at each change, and at each series of changes of one object: it is delayed, and it is hidden;
 * - at each request: each other answer that it might get.
 */
export function perturbationsOf({ requests, events }: Learned): readonly Perturbation[] {
  const inOrder = requests.toSorted((a, b) => a.step - b.step || compare(a.place, b.place));
  const writes = inOrder.filter(({ effect }) => effect === 'write' || effect === 'call');
  return [
    ...writes.flatMap(({ place, step }): readonly Perturbation[] => [
      { kind: 'crash-before-write', at: place },
      { kind: 'crash-after-write', at: place },
      ...events
        .filter((event) => event.step <= step)
        .map((event) => ({ kind: 'stale-restart', at: place, view: event.place }) as const),
    ]),
    ...events.flatMap(({ place, object }, index): readonly Perturbation[] =>
      events
        .slice(index)
        .filter((event) => event.object === object)
        .flatMap(({ place: to, step: untilStep }) => [
          { kind: 'event-delayed', from: place, to, untilStep } as const,
          { kind: 'event-hidden', from: place, to, untilStep } as const,
        ]),
    ),
    ...inOrder.flatMap(({ place, effect }) => kindsOf[effect].map((kind) => ({ kind, at: place }))),
    ...writes.flatMap(({ place }): readonly Perturbation[] => [
      { kind: 'handover-before-write', at: place },
      { kind: 'handover-after-write', at: place },
    ]),
  ];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
