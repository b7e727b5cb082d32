import { Counter, type Registry } from 'prom-client';
import { metricsPrefix, type ProgramOrName } from '../identity/program-identity.ts';

/**
 * The result of a recorded event:
 * - `sent`: the API server has it;
 * - `merged`: it is counted in a series, and needs no request of its own;
 * - `filtered`: there were too many about one object (spam protection);
 * - `dropped`: too many were waiting to be sent, or the recorder had ended;
 * - `refused`: the API server did not accept it;
 * - `failed`: no try reached the API server.
 */
export type EventResult = (typeof results)[number];

const results = ['sent', 'merged', 'filtered', 'dropped', 'refused', 'failed'] as const;

/** Counts the results of recorded events. */
export interface EventMetrics {
  recorded(result: EventResult): void;
}

/**
 * Creates `events_total{result}` with the program's prefix. client-go has no such metric. Call it once for
 * each registry.
 */
export function createEventMetrics(registry: Registry, program: ProgramOrName): EventMetrics {
  const counter = new Counter({
    name: `${metricsPrefix(program)}events_total`,
    help: 'Events recorded, by what became of them: sent, merged (into a series), filtered, dropped, refused, failed.',
    labelNames: ['result'],
    registers: [registry],
  });
  // The series start at 0: an alert could see no increase in a series that appears with its first event.
  for (const result of results) {
    counter.inc({ result }, 0);
  }
  return { recorded: (result) => counter.inc({ result }) };
}
