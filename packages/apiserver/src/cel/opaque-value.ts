/** A value of a type that only functions look into. */
export abstract class OpaqueValue {
  /** By which it is compared with others of its type. */
  fields(): readonly unknown[] {
    return Object.values(this);
  }
}
