/** How many words are known at the same time; a new word replaces the one in its place. A power of two. */
const places = 1024;
/** Longer words are not looked up, since comparing them costs more than a new string. */
const longest = 64;

/** Reads strings from bytes, and if possible returns the same string for the same bytes. */
export type ReadWord = (bytes: Buffer, start: number, end: number) => string;

/**
 * Creates a reader of words. Namespaces, nodes and phases are the same in thousands of objects. Looking a
 * word up by its bytes costs half of what making the string does, and the objects in a store share one
 * string.
 */
export function createWordReader(): ReadWord {
  const known: (string | undefined)[] = new Array<string | undefined>(places);
  return (bytes, start, end) => {
    if (end - start > longest) {
      return bytes.toString('utf8', start, end);
    }
    let hash = end - start;
    for (let at = start; at < end; at++) {
      hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    }
    const place = (hash ^ (hash >>> 15)) & (places - 1);
    const word = known[place];
    if (word !== undefined && isSpelled(word, bytes, start, end)) {
      return word;
    }
    const read = bytes.toString('utf8', start, end);
    known[place] = read;
    return read;
  };
}

/** Compares ASCII only: other words never compare equal, and become new strings. */
function isSpelled(word: string, bytes: Buffer, start: number, end: number): boolean {
  if (word.length !== end - start) {
    return false;
  }
  for (let at = start; at < end; at++) {
    if (word.charCodeAt(at - start) !== bytes[at] || (bytes[at] ?? 0) >= 0x80) {
      return false;
    }
  }
  return true;
}
