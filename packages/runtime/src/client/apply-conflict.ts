import { isConflict } from './api-error.ts';

/** A field that somebody else has an opinion on, and another one. */
export interface FieldConflict {
  /** Where it is, as the API server writes it: `.spec.replicas`, `.spec.containers[name="web"].image`. */
  readonly field: string;
  /** The field manager that has it. */
  readonly manager: string;
  /** In the API server's words, with what the manager wrote by. */
  readonly message: string;
}

/** What the answer to an apply says of fields that others have; empty when it is not refused for these. */
export function conflictsIn(error: unknown): readonly FieldConflict[] {
  if (!isConflict(error)) {
    return [];
  }
  const { causes = [] } = error.status.details ?? {};
  return causes.flatMap(({ reason, message = '', field = '' }) =>
    reason === 'FieldManagerConflict' ? [{ field, manager: managerIn(message), message }] : [],
  );
}

/** `conflict with "kubectl" using v1`, with the name as Go quotes it; the whole message where it is none of these. */
function managerIn(message: string): string {
  const quoted = /^conflict with ("(?:[^"\\]|\\.)*")/su.exec(message)?.[1];
  if (quoted === undefined) {
    return message;
  }
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // Of Go's escapes, JSON knows most.
    return quoted.slice(1, -1);
  }
}
