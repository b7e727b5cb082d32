import { processSecrets } from '../logging/secret-values.ts';

/** What the API server had to say of a request that it carried out or refused: an API that is going away, a field that it does not know. */
export interface ApiWarning {
  /** Method and path of the request. */
  readonly request: string;
  /** 1,024 characters at the most, without the secrets of the process. */
  readonly text: string;
}

/** Characters. */
const longestText = 1_024;

/** Code, agent, text and perhaps a date (RFC 7234, 5.5), up to the next one of the same header. */
const oneWarning = /\s*(\d{3}) \S+ "((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/gsuy;

/**
 * The texts of the headers `Warning` of one answer. Codes other than 299, which is Kubernetes', are those of proxies and caches, and left out, as is what
 * follows something that is no warning.
 */
export function warningsIn(headers: string | readonly string[]): readonly string[] {
  return (typeof headers === 'string' ? [headers] : headers).flatMap(textsIn);
}

function textsIn(header: string): readonly string[] {
  const found = header.matchAll(oneWarning);
  return Array.from(found, ([, code, quoted = '']) => (code === '299' ? textOf(quoted) : '')).filter(
    (text) => text !== '',
  );
}

/** Secrets are replaced before: one that is cut would not be found. */
function textOf(quoted: string): string {
  const text = processSecrets.redact(decoded(quoted.replace(/\\(.)/gsu, '$1')));
  return text.length <= longestText ? text : `${text.slice(0, longestText - 3)}...`;
}

/** The API server writes UTF-8, of which a header's text has each byte as a character. */
function decoded(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString();
  return text.includes('\ufffd') ? bytes : text;
}
