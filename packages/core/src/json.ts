/**
 * The JSON form of one of client-node's generated classes: what the API server really sends.
 *
 * The generated classes promise `Date` where the wire has RFC 3339 text, and can be written to. Holdfast keeps
 * objects as they came, so a `Date` becomes `string` and everything is readonly.
 */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Json<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Json<T[Key]> }
      : T;
