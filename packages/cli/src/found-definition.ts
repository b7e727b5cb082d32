/** As much of a CustomResourceDefinition as is asked of it here; all of it is written. */
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
  /** As it was named on the command line. */
  readonly module: string;
  /** The name of the export. */
  readonly name: string;
  readonly definition: Definition;
}
