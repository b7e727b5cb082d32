/** A value whose contents only functions can read. */
export abstract class OpaqueValue {
  /** The values by which equality is decided. */
  fields(): readonly unknown[] {
    return Object.values(this);
  }
}
