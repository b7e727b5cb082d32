import { isConflict } from './api-error.ts';

/** A field to which another field manager has applied another value. */
export interface FieldConflict {
  /** The field's path as the API server writes it: `.spec.replicas`, `.spec.containers[name="web"].image`. */
  readonly field: string;
  /** The field manager that owns the field. */
  readonly manager: string;
  /** The conflict in the API server's words, with what the manager used to write the field. */
  readonly message: string;
}

/**
 * Returns the fields whose other owners are the reason why an apply was refused; empty if it failed for
 * another reason.
 */
export function conflictsIn(error: unknown): readonly FieldConflict[] {
  if (!isConflict(error)) {
    return [];
  }
  const { causes = [] } = error.status.details ?? {};
  return causes.flatMap(({ reason, message = '', field = '' }) =>
    reason === 'FieldManagerConflict' ? [{ field, manager: managerIn(message), message }] : [],
  );
}

/**
 * Extracts the manager from `conflict with "kubectl" using v1`, whose name is quoted by Go. Returns the whole
 * message if it has another form.
 */
function managerIn(message: string): string {
  const quoted = /^conflict with ("(?:[^"\\]|\\.)*")/su.exec(message)?.[1];
  if (quoted === undefined) {
    return message;
  }
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // JSON has most of Go's escapes. For others the name stays escaped.
    return quoted.slice(1, -1);
  }
}
