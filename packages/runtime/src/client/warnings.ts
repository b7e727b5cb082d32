import { processSecrets } from '../logging/secret-values.ts';

/**
 * A warning of the API server about a request that it carried out or refused, such as a deprecated API or an
 * unknown field.
 */
export interface ApiWarning {
  /** Method and path of the request. */
  readonly request: string;
  /** At most 1,024 characters, without the secrets of the process. */
  readonly text: string;
}

/** In characters. */
const longestText = 1_024;

/** Code, agent, text and an optional date (RFC 7234, 5.5), up to the next warning in the same header. */
const oneWarning = /\s*(\d{3}) \S+ "((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/gsuy;

/**
 * Returns the texts of the `Warning` headers of one response. Kubernetes uses code 299; other codes come from
 * proxies and caches and are left out, as is anything after text that is not a warning.
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

/** Secrets are replaced before the text is cut, since a cut secret would not be found. */
function textOf(quoted: string): string {
  const text = processSecrets.redact(decoded(quoted.replace(/\\(.)/gsu, '$1')));
  return text.length <= longestText ? text : `${text.slice(0, longestText - 3)}...`;
}

/** The API server writes UTF-8, but a header's text has each byte as one character. */
function decoded(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString();
  return text.includes('\ufffd') ? bytes : text;
}
