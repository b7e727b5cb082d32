/** What is wrong, and where. */
export interface FieldProblem {
  /** `spec.ports[0].name`; of a definition, items are `[]` and the values of a record `.*`. Empty: the object as a whole. */
  readonly path: string;
  readonly message: string;
}

/** `spec.color: must be red; ...`, in one line. */
export function describeProblems(problems: readonly FieldProblem[]): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
