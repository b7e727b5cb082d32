import type { HttpHandler } from './http-server.ts';

/** A named condition that is checked for each request. */
export interface HealthCheck {
  readonly name: string;
  readonly healthy: () => boolean;
}

/** Answers as kube-apiserver's endpoints do: `ok`, or 500 with a line for each check; `?verbose` shows the lines always. */
export function healthHandler(endpoint: string, checks: readonly HealthCheck[]): HttpHandler {
  return (request, response) => {
    const results = checks.map(({ name, healthy }) => ({ name, ok: healthy() }));
    const ok = results.every((result) => result.ok);
    const lines = results.map(
      (result) => `[${result.ok ? '+' : '-'}]${result.name} ${result.ok ? 'ok' : 'failed'}`,
    );
    const verbose = (request.url ?? '').includes('verbose');
    const body =
      ok && !verbose ? 'ok' : [...lines, `${endpoint} check ${ok ? 'passed' : 'failed'}`, ''].join('\n');
    response.writeHead(ok ? 200 : 500, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
  };
}
