/** More characters than this are for nobody to read. */
const longest = 2_000;

/** Control and format characters, those that turn the direction of writing among them, separators of lines, halves of characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * One line or cell of what others have written, for a terminal: what that would obey, or would not show, is written as an escape, and what is longer than
 * 2,000 characters is cut. Owner references, annotations, phases, holders of leases and messages are whatever somebody has put there.
 */
export function printable(text: string): string {
  const rest = text.length - longest;
  return `${escaped(text.slice(0, longest))}${rest > 0 ? `... (${String(rest)} characters more)` : ''}`;
}

/** The same of a text of any length: `\u202e`. In JSON it means what was there before. @param kept characters that stay as they are. */
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

/** As JSON for people: an escape in each text of others is to be seen as one. Most is plain ASCII, and goes by itself. */
export function legibleJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /^[ -~]*$/.test(text) && !text.includes('\\u00')
    ? text
    : JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? escaped(each) : each));
}
