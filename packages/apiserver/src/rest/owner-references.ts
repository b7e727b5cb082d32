import type { KubeObject } from '../meta/kube-object.ts';

const advice =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';

/** Removes duplicates of owner references (same UID and content) and warns the client about them. */
export function dedupeOwnerReferences(
  { metadata }: KubeObject,
  warn: (text: string) => void,
  isAfterAdmission: boolean,
): void {
  const references = metadata.ownerReferences;
  if (references === undefined || references.length < 2) {
    return;
  }
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const kept = references.filter((reference) => {
    const key = JSON.stringify(reference);
    if (seen.has(key)) {
      duplicates.push(reference.uid);
    }
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  if (duplicates.length === 0) {
    return;
  }
  metadata.ownerReferences = kept;
  const when = isAfterAdmission ? ' after mutating admission happens' : '';
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; ${advice}; duplicate UID(s) observed: ${[...new Set(duplicates)].join(', ')}`,
  );
}
