/*
 * The perturbation runner. It plays a scenario with an operator in a separate process, learns which requests
 * and changes pass between the operator and the API server, and then replays the scenario with one thing
 * going wrong at each of those places. See "Perturbation" in the README of this package.
 */
export { learn } from './learn.ts';
export type { Lesson } from './learn.ts';
export { prometheusProbe } from './operator.ts';
export type { CommandLine, Operator, OperatorOutput, OperatorStart, ProbeAnswer } from './operator.ts';
export type { RequestEffect } from './operator-request.ts';
export { ConnectionLost } from './outside.ts';
export type { Outside } from './outside.ts';
export { samplePairs } from './pairs.ts';
export type { Numbered, Pair } from './pairs.ts';
export { describePerturbation, perturbationKinds } from './perturbation.ts';
export type { Perturbation, PerturbationKind, RequestKind } from './perturbation.ts';
export { perturbationsOf } from './perturbations-of.ts';
export type { Learned, LearnedEvent, LearnedRequest } from './perturbations-of.ts';
export type { Place } from './place.ts';
export { play } from './play.ts';
export type { PlayOptions, Run } from './play.ts';
export type { Projection } from './projection.ts';
export type { Circumstances, Cluster, Draft, Furniture, Invariant, Scenario, Step } from './scenario.ts';
export type { Outcome } from './verdict.ts';
export type { WorldChange, WorldState } from './world-state.ts';
