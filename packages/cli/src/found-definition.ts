/** The fields of a CustomResourceDefinition that are used here; all fields are written. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly plural: string;
      readonly singular?: string;
      readonly shortNames?: readonly string[];
      readonly kind: string;
      readonly listKind?: string;
    };
  };
}

/** The definition of a resource that a module exports. */
export interface FoundDefinition {
  /** The module as it was named on the command line. */
  readonly module: string;
  /** The name of the export. */
  readonly name: string;
  readonly definition: Definition;
}
