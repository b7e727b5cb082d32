/** A longer text is of no use to a reader. */
const longest = 2_000;

/**
 * Control and format characters (including those that change the direction of writing), line separators, and
 * lone surrogates.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Makes a text from the cluster safe for one line or cell on a terminal: characters that the terminal would
 * interpret or not show are escaped, and text beyond 2,000 characters is cut. Owner references, annotations,
 * phases, lease holders and messages can contain whatever any user has written there.
 */
export function printable(text: string): string {
  const rest = text.length - longest;
  return `${escaped(text.slice(0, longest))}${rest > 0 ? `... (${String(rest)} characters more)` : ''}`;
}

/**
 * The same for a text of any length: `\u202e`. In JSON an escape stands for the same character as before.
 *
 * @param kept characters that stay as they are
 */
export function escaped(text: string, kept = ''): string {
  return text.replace(unprintable, (character) =>
    kept.includes(character)
      ? character
      : character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

/**
 * Writes JSON for people: an escape in a text must be visible as an escape. Most texts are plain ASCII and
 * need no work.
 */
export function legibleJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /^[ -~]*$/.test(text) && !text.includes('\\u00')
    ? text
    : JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? escaped(each) : each));
}
