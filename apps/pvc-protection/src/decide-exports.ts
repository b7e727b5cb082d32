/*
 * What `@holdfast/pvc-protection/decide` exports: the pure decisions, for tools that say beforehand what the controller will do. Nothing else of the
 * app is for others.
 */
export { attachedNodes, type AttachedNodes } from './attached-nodes.ts';
export { claimsNamedBy } from './decide/pod-claims.ts';
export { anyNode, decide, usesClaim, type Decision, type Snapshot } from './decide.ts';
export { gates, type GateName } from './gates.ts';
