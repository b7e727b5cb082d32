import { createHash, timingSafeEqual } from 'node:crypto';

/** What is known about a request before anything is answered. */
export interface Asked {
  readonly method: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The request target: path and query. */
  readonly target: string | undefined;
}

export type Admission =
  | { readonly kind: 'refused'; readonly status: number; readonly why: string }
  /** The address without its trailing slash; relative links need the slash. */
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'admitted'; readonly path: string; readonly query: URLSearchParams };

/**
 * Decides who may see the page:
 *
 * | Host            | method    | Origin            | token | answer                                                         |
 * |-----------------|-----------|-------------------|-------|----------------------------------------------------------------|
 * | another         | -         | -                 | -     | 403: a name that was made to point at this machine             |
 * | this machine's  | not GET   | -                 | -     | 405: nothing is written here                                   |
 * | this machine's  | GET, HEAD | another           | -     | 403: a script of another page                                  |
 * | this machine's  | GET, HEAD | none, or our own  | wrong | 403: another user of this machine, or an address of yesterday  |
 * | this machine's  | GET, HEAD | none, or our own  | right | admitted                                                       |
 *
 * The comparison of tokens takes constant time, so that its duration reveals nothing about the token.
 *
 * @param port the port that the server listens on
 */
export function admit({ method, host, origin, target = '' }: Asked, port: number, token: string): Admission {
  const hosts = [`127.0.0.1:${String(port)}`, `localhost:${String(port)}`];
  if (host === undefined || !hosts.includes(host.toLowerCase())) {
    return refused(403, 'this server answers only to 127.0.0.1 and localhost');
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return refused(405, 'only GET is answered here');
  }
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`) {
    return refused(403, 'requests of other pages are not answered');
  }
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const [, given = '', ...rest] = path.split('/');
  if (!isSame(given, token)) {
    return refused(403, 'the address lacks the token; use the one that kubectl holdfast view printed last');
  }
  return rest.length === 0
    ? { kind: 'moved', to: `/${token}/` }
    : { kind: 'admitted', path: rest.join('/'), query: new URLSearchParams(query) };
}

function refused(status: number, why: string): Admission {
  return { kind: 'refused', status, why };
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}
