import type { RequestEffect } from './operator-request.ts';
import type { Perturbation, RequestKind } from './perturbation.ts';
import type { Place } from './place.ts';

/** A request of the operator in an undisturbed run. */
export interface LearnedRequest {
  readonly place: Place;
  readonly effect: RequestEffect;
  /** The step of the scenario in which it came; -1: before the first. */
  readonly step: number;
}

/** A change that a watch brought to the operator in an undisturbed run. */
export interface LearnedEvent {
  readonly place: Place;
  /** Kind and name of what changed. */
  readonly object: string;
  readonly step: number;
}

/** What an undisturbed run went through; requests in the order in which they came, changes in the order of revisions. */
export interface Learned {
  readonly requests: readonly LearnedRequest[];
  readonly events: readonly LearnedEvent[];
}

/**
 * What a request may be answered with instead. A read that is lost on its way back was read all the same, so it is enough that it does not
 * arrive.
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
 * Every perturbation at every place of a run, in an order that is the same for the same places:
 *
 * - at each write, and each call to the outside: a crash before and after it, a handover before and after it;
 * - at each write, for each change before it: a restart on a view that has yet to see the change;
 * - at each change, and at each run of changes of one object: it is delayed, it is hidden;
 * - at each request: each answer that it might get instead.
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
