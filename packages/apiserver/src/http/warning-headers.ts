/** Of all texts together, in characters, before they are shortened. */
const totalLimit = 4 * 1024;
/** Of one text where all are shortened. */
const shortLimit = 256;

/**
 * The Warning headers for texts that differ. As WithWarningRecorder of k8s.io/apiserver (pkg/endpoints/filters/warning.go) has
 * it: once the texts are too long together, each is shortened, and when that is too long as well the rest is left out. Texts
 * that are empty or have control characters make no header.
 */
export function warningHeaders(texts: Iterable<string>): readonly string[] {
  const seen: string[] = [];
  let total = 0;
  let isShortening = false;
  for (const text of texts) {
    if (text === '') {
      continue;
    }
    if (isShortening && total >= totalLimit) {
      break;
    }
    seen.push(text);
    if (isShortening) {
      total += lengthOf(shortened(text));
    } else if (total + lengthOf(text) <= totalLimit) {
      total += lengthOf(text);
    } else {
      isShortening = true;
      total = seen.reduce((sum, one) => sum + lengthOf(shortened(one)), 0);
    }
  }
  return (isShortening ? seen.map(shortened) : seen).filter(isSendable).map(header);
}

/** In Unicode characters; what can't be sent takes no room. */
function lengthOf(text: string): number {
  return isSendable(text) ? Array.from(text).length : 0;
}

function shortened(text: string): string {
  return Array.from(text).slice(0, shortLimit).join('');
}

function isSendable(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** Node writes the characters of a header as bytes, where the API server writes UTF-8. */
function header(text: string): string {
  return `299 - "${Buffer.from(text.replace(/["\\]/g, '\\$&')).toString('latin1')}"`;
}
