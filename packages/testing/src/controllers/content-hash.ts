/**
 * Names for contents. Equal contents get equal names, regardless of who wrote them and in which order the
 * keys stand.
 */

/** Returns JSON with sorted keys, so that equal contents have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const safeLetters = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A 32-bit FNV-1 hash, spelled with letters that make no words, as pkg/controller names revisions and
 * ReplicaSets. The names differ from upstream's, because upstream does not hash JSON.
 */
export function hashOf(content: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(content)) {
    hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  }
  return String(hash).replaceAll(/\d/g, (digit) =>
    safeLetters.charAt(digit.charCodeAt(0) % safeLetters.length),
  );
}
