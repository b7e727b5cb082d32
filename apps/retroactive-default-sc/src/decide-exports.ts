/*
 * The exports of `@holdfast/retroactive-default-sc/decide`: the pure decisions, for tools that predict what
 * the controller will do. Nothing else of the app is public.
 */
export { claimAnnotations, decide, defaultClass, defaultClassAnnotations, isWaiting } from './decide.ts';
export { gates, type GateName } from './gates.ts';
