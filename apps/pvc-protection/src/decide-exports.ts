/*
 * The exports of `@holdfast/pvc-protection/decide`: the pure decisions, for tools that predict what the
 * controller will do. Nothing else of the app is public.
 */
export { attachedNodes, type AttachedNodes } from './attached-nodes.ts';
export { claimsNamedBy } from './decide/pod-claims.ts';
export { anyNode, decide, usesClaim, type Decision, type Snapshot } from './decide.ts';
export { gates, type GateName } from './gates.ts';
