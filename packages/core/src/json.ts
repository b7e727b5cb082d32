/**
 * The JSON form of one of client-node's generated classes: what the API server actually sends.
 *
 * The generated classes declare `Date` where the API server sends RFC 3339 text, and their fields are mutable.
 * Holdfast keeps objects as they came, so a `Date` becomes `string` and everything is readonly.
 */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Json<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Json<T[Key]> }
      : T;
