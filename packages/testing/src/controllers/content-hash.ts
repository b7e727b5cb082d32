/** Names for contents: the same for the same, whoever wrote the keys in which order. */

/** JSON with its keys in order, so that equal contents are equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const safeLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1 of 32 bits in letters that make no words, as pkg/controller names revisions and ReplicaSets; what it hashes there is no JSON, so the names are others. */
export function hashOf(content: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(content)) {
    hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  }
  return String(hash).replaceAll(/\d/g, (digit) =>
    safeLetters.charAt(digit.charCodeAt(0) % safeLetters.length),
  );
}
