/** A word of more characters than this is shortened. */
const longestWord = 200;
/** So is the whole. */
const longest = 2_000;

/**
 * A message in which others have a part, as one line for people: a terminal obeys control characters, and those that turn the direction of
 * writing show another text than there is; both are written as escapes. A word of more than 200 characters is shortened, and so is all beyond
 * 2,000.
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
