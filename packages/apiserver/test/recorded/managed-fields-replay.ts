import { type Endpoint, type Recorded, normalise, replay } from './replay.ts';

/** As replay.ts, with managedFields kept: who wrote which field, but not when, nor in the order of when. */
export async function replayManagedFields(
  lines: readonly string[],
  endpoint: Endpoint,
  namespace: string,
): Promise<readonly Recorded[]> {
  await replay('POST /api/v1/namespaces {"metadata":{"name":"$NS"}}', endpoint, namespace);
  const answers: Recorded[] = [];
  for (const line of lines) {
    let text = '';
    const answer = await replay(line, endpoint, namespace, (read) => (text = read));
    const body = sortManagers(normalise(JSON.parse(text), namespace, new Set()));
    answers.push({ ...answer, body });
  }
  return answers;
}

/** The order of managers is that of their times; that of the conflicts with them is none, as of a map in Go. */
export function sortManagers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sortManagers);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      key,
      Array.isArray(item) && (key === 'managedFields' || (key === 'causes' && item.every(isConflict)))
        ? item
            .map((entry) => JSON.stringify(entry))
            .sort()
            .map((entry): unknown => JSON.parse(entry))
        : sortManagers(item),
    ]),
  );
}

function isConflict(cause: unknown): boolean {
  return (cause as { readonly reason?: string }).reason === 'FieldManagerConflict';
}
