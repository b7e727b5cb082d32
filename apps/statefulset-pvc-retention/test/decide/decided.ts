import { decide } from '../../src/decide/decide.ts';
import type { Decision } from '../../src/decide/decision.ts';
import type { Snapshot } from '../../src/decide/snapshot.ts';
import { agreeing } from '../snapshots.ts';

/** The decision when the API server says the same as the cache. */
export function decided(given: Snapshot): Decision {
  return decide({ ...given, live: agreeing(given) });
}
