/*
 * The exports of `@holdfast/statefulset-pvc-retention/decide`: the pure decisions, for tools that predict
 * what the controller will do. Nothing else of the app is public.
 */
export { annotationsOf } from './annotations.ts';
export { parseClaimName } from './claim-name.ts';
export { decide } from './decide/decide.ts';
export type { Decision } from './decide/decision.ts';
export { isHeld, isHold } from './decide/hold.ts';
export { decideLeftover, type Ending, type LeftoverDecision } from './decide/leftover.ts';
export { markOf, type Mark } from './decide/mark.ts';
export { namesWorkload } from './decide/references.ts';
export type { PodFacts, Policy, Snapshot } from './decide/snapshot.ts';
export { tieOf } from './decide/tie.ts';
export { gates, type GateName } from './gates.ts';
export {
  deletionOf,
  deletionWindowOf,
  factsOf,
  isWanted,
  policyOf,
  stemsOf,
  warningsOf,
  workloadAnnotations,
  type WorkloadResource,
} from './workload.ts';
export { workloadsFlag } from './workloads-flag.ts';
