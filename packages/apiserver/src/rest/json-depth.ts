/** How many brackets may be open at once, as in Go's encoding/json. */
const mostDepth = 10_000;

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Throws an Error with Go's message for a text that is nested too deeply. JSON.parse accepts any depth, but
 * recursive code on its result would overflow the stack.
 */
export function checkDepth(text: string): void {
  if (text.length <= mostDepth) {
    return;
  }
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === openList || code === openObject) {
      if (++depth > mostDepth) {
        throw new Error(`invalid character '${text.charAt(at)}' exceeded max depth`);
      }
    } else if (code === closeList || code === closeObject) {
      depth--;
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) {
    at += text.charCodeAt(at) === backslash ? 2 : 1;
  }
  return at;
}
