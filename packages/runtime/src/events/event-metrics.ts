import { Counter, type Registry } from 'prom-client';
import { metricsPrefix, type ProgramOrName } from '../identity/program-identity.ts';

/**
 * What became of one recorded event:
 * - `sent`: the API server has it;
 * - `merged`: it is counted in a series, and takes no request of its own;
 * - `filtered`: too many about one object (spam protection);
 * - `dropped`: too many waited to be sent, or the recorder had ended;
 * - `refused`: the API server did not take it;
 * - `failed`: the API server could not be reached in any of the tries.
 */
export type EventResult = (typeof results)[number];

const results = ['sent', 'merged', 'filtered', 'dropped', 'refused', 'failed'] as const;

/** Counts what becomes of recorded events. */
export interface EventMetrics {
  recorded(result: EventResult): void;
}

/** `events_total{result}` with the program's prefix. client-go has no metric for this. One call for each registry. */
export function createEventMetrics(registry: Registry, program: ProgramOrName): EventMetrics {
  const counter = new Counter({
    name: `${metricsPrefix(program)}events_total`,
    help: 'Events recorded, by what became of them: sent, merged (into a series), filtered, dropped, refused, failed.',
    labelNames: ['result'],
    registers: [registry],
  });
  // A series that appears with its first event has no increase that an alert could see.
  for (const result of results) {
    counter.inc({ result }, 0);
  }
  return { recorded: (result) => counter.inc({ result }) };
}
