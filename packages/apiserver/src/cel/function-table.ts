/** A function of CEL: how it is declared, and what it does with values of CEL (integers are of type bigint). */
export type CelFunction = readonly [signature: string, call: (...values: never[]) => unknown];

/** Ends an evaluation with a text that the rule's message shows. */
export class CelFailure extends Error {}
