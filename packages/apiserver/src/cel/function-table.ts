/** A CEL function: its declaration, and its implementation on CEL values (integers are bigints). */
export type CelFunction = readonly [signature: string, call: (...values: never[]) => unknown];

/** Ends an evaluation. The message becomes part of the error that the client sees. */
export class CelFailure extends Error {}
