/** The total length of the texts, in characters, above which they are shortened. */
const totalLimit = 4 * 1024;
/** The length of each text once they are shortened. */
const shortLimit = 256;

/**
 * Returns the Warning headers for distinct texts, as WithWarningRecorder of k8s.io/apiserver
 * (pkg/endpoints/filters/warning.go) does: if the texts together are too long, each is shortened, and if that
 * is still too long, the rest is left out. Texts that are empty or contain control characters yield no
 * header.
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

/** The length in Unicode characters. A text that cannot be sent takes no room. */
function lengthOf(text: string): number {
  return isSendable(text) ? Array.from(text).length : 0;
}

function shortened(text: string): string {
  return Array.from(text).slice(0, shortLimit).join('');
}

function isSendable(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** Node writes the characters of a header as single bytes, whereas the API server writes UTF-8. */
function header(text: string): string {
  return `299 - "${Buffer.from(text.replace(/["\\]/g, '\\$&')).toString('latin1')}"`;
}
