/** A word of more characters than this is shortened. */
const longestWord = 200;
/** A message of more characters than this is shortened. */
const longest = 2_000;

/**
 * Makes a message that contains text of others safe to show in one line. A terminal obeys control characters,
 * and characters that change the direction of writing make the text look different from what it is; both are
 * escaped. A word of more than 200 characters is shortened, and so is a message of more than 2,000.
 */
export function legible(message: string): string {
  const line = message
    .replace(/\S{201,}/g, (word) => `${word.slice(0, longestWord)}...(${String(word.length)} characters)`)
    .replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu, escaped);
  return line.length <= longest ? line : `${line.slice(0, longest)}...`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
