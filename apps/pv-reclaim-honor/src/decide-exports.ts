/*
 * The exports of `@holdfast/pv-reclaim-honor/decide`: the pure decisions, for tools that predict what the
 * controller will do. Nothing else of the app is public.
 */
export { decide } from './decide.ts';
export type { Decision } from './decide/decision.ts';
export { isDeletionBegun } from './decide/deletion-begun.ts';
export { isStorageDeleted, ownHolds, provisionedByAnnotation, recordedHold } from './decide/held-by.ts';
export type { Keeper, Snapshot, UndoFacts } from './decide/snapshot.ts';
export { undoMarkOf, type UndoMark } from './decide/undo-mark.ts';
export { meansDelete, reclaimPolicyAnnotation, undoFinalizer } from './decide/undo-window.ts';
export { isLetGoEarly, keeperOf } from './keeper.ts';
export { isBoundTo } from './observe/bound-claim.ts';
export { needsStorage } from './observe/needs-storage.ts';
export { gates, type GateName } from './gates.ts';
export { classOf } from './provisioner-secret.ts';
export { volumesOverlap } from './storage-identity.ts';
export { undoFactsOf } from './undo/undo-facts.ts';
export { withUndoFinalizer } from './undo/undo-finalizer.ts';
export { undoWarningOf } from './undo/undo-warning.ts';
export { windowRequestOf, type WindowRequest } from './undo/window-request.ts';
export { inTreePluginOf } from './volume-source.ts';
