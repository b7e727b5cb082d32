import { CelFailure, type CelFunction } from './function-table.ts';
import { OpaqueValue } from './opaque-value.ts';

/*
 * The functions on URLs of k8s.io/apiserver/pkg/cel/library/urls.go. A URL is an absolute URL or an absolute
 * path.
 */

export class UrlParts extends OpaqueValue {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(scheme: string, host: string, path: string, query: string) {
    super();
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }
}

const pattern =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:[^/?#@]*@)?((?:\[[^\]]*\]|[^/?#:[\]]*)(?::\d*)?))?([^?]*)(?:\?(.*))?$/;

function parse(text: string): UrlParts | undefined {
  const [whole, scheme = '', host = '', path = '', query = ''] = pattern.exec(text) ?? [];
  const isOne = whole !== undefined && (scheme !== '' || text.startsWith('/'));
  const isWellEscaped = !/%(?![0-9A-Fa-f]{2})/.test(path) && !/[\u0000-\u001f\u007f]/.test(text);
  return isOne && isWellEscaped ? new UrlParts(scheme.toLowerCase(), host, path, query) : undefined;
}

/** The reason why a text is not a URL; undefined if it is one. */
export function urlProblem(text: string): string | undefined {
  if (parse(text) !== undefined) {
    return undefined;
  }
  const isRead = /[\u0000-\u001f\u007f]/.test(text);
  const escape = /%(?![0-9A-Fa-f]{2})[^]{0,2}/.exec(text)?.[0];
  const problem = isRead
    ? 'net/url: invalid control character in URL'
    : text === ''
      ? 'empty url'
      : escape !== undefined && (text.startsWith('/') || /^[A-Za-z][\w+.-]*:/.test(text))
        ? `invalid URL escape ${JSON.stringify(escape)}`
        : text.startsWith(':')
          ? 'missing protocol scheme'
          : 'invalid URI for request';
  return `parse ${JSON.stringify(text)}: ${problem}`;
}

function queryOf({ query }: UrlParts): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

export const urlFunctions: readonly CelFunction[] = [
  [
    'url(string): kubernetes.URL',
    (text: string) => {
      const url = parse(text);
      if (url === undefined) {
        throw new CelFailure(`URL parse error during conversion from string: ${urlProblem(text) ?? ''}`);
      }
      return url;
    },
  ],
  ['isURL(string): bool', (text: string) => parse(text) !== undefined],
  ['kubernetes.URL.getScheme(): string', ({ scheme }: UrlParts) => scheme],
  ['kubernetes.URL.getHost(): string', ({ host }: UrlParts) => host],
  ['kubernetes.URL.getHostname(): string', ({ hostname }: UrlParts) => hostname],
  ['kubernetes.URL.getPort(): string', ({ port }: UrlParts) => port],
  ['kubernetes.URL.getEscapedPath(): string', ({ path }: UrlParts) => path],
  ['kubernetes.URL.getQuery(): map<string, list<string>>', queryOf],
];
