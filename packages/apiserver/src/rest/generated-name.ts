const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
/** Names are cut to the 63 characters of a DNS label, whatever the kind. */
const longestBase = 58;
const mostTries = 8;

/**
 * Returns the base with a random suffix that gives a free name. The fourteen million suffixes repeat sooner
 * than one expects, so up to eight are tried, as in the real server; the last one might be taken.
 */
export function generatedName(base: string, isTaken: (name: string) => boolean): string {
  let name = '';
  for (let tries = 0; tries < mostTries; tries++) {
    name = base.slice(0, longestBase) + randomSuffix();
    if (!isTaken(name)) {
      break;
    }
  }
  return name;
}

function randomSuffix(): string {
  return Array.from(
    { length: suffixLength },
    () => suffixAlphabet[Math.floor(Math.random() * suffixAlphabet.length)] ?? '',
  ).join('');
}
