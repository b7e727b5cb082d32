/*
 * What `@holdfast/retroactive-default-sc/decide` exports: the pure decisions, for tools that say beforehand what the controller will do. Nothing
 * else of the app is for others.
 */
export { claimAnnotations, decide, defaultClass, defaultClassAnnotations, isWaiting } from './decide.ts';
export { gates, type GateName } from './gates.ts';
