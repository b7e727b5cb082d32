/** One problem and where it is. */
export interface FieldProblem {
  /**
   * A path such as `spec.ports[0].name`. In a definition, `[]` stands for items and `.*` for the values of a
   * record. An empty path stands for the whole object.
   */
  readonly path: string;
  readonly message: string;
}

/** Joins the problems in one line: `spec.color: must be red; ...`. */
export function describeProblems(problems: readonly FieldProblem[]): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
