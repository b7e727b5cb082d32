import { StatusError } from '../meta/status-error.ts';
import { pathsOf, printPath } from './field-set.ts';
import type { Conflict, Manager } from './managers.ts';

/** Returns the 409 of a server-side apply, which names each conflicting field and its manager. */
export function applyConflict(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts
    .flatMap(({ owner, fields }) =>
      pathsOf(fields).map((path) => ({
        by: printManager(owner),
        field: printPath(path),
        id: writtenId(owner),
      })),
    )
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const [first] = causes;
  const ids = [...new Set(causes.map(({ id }) => id))];
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: conflict with ${first.by}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${ids
          .map((id) => {
            const own = causes.filter((cause) => cause.id === id);
            const fields = own.map(({ field }) => `- ${field}`);
            return `conflicts with ${own[0]?.by ?? ''}:\n${fields.join('\n')}`;
          })
          .join('\n')}`;
  return new StatusError(409, 'Conflict', message, {
    causes: causes.map(({ by, field }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${by}`,
      field,
    })),
  });
}

/** The text by which conflicts are sorted: a manager as it is written, without its time. */
function writtenId({ manager, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({
    manager,
    operation,
    apiVersion: operation === 'Apply' ? undefined : apiVersion,
    subresource: subresource === '' ? undefined : subresource,
  });
}

function printManager({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = JSON.stringify(manager);
  const shown = subresource === '' ? name : `${name} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${shown} using ${apiVersion}` : shown;
}
