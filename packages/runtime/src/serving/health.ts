import type { HttpHandler } from './http-server.ts';

/** A named condition that is checked at each request. */
export interface HealthCheck {
  readonly name: string;
  readonly healthy: () => boolean;
  /** Default: true. If false, the check has its line, but does not affect the status of the response. */
  readonly isRequired?: boolean;
}

/**
 * Creates a handler that answers like kube-apiserver's endpoints: `ok`, or 500 with a line for each check;
 * `?verbose` always shows the lines.
 */
export function healthHandler(endpoint: string, checks: readonly HealthCheck[]): HttpHandler {
  return (request, response) => {
    const results = checks.map(({ name, healthy, isRequired = true }) => ({
      name,
      ok: healthy(),
      isRequired,
    }));
    const ok = results.every((result) => result.ok || !result.isRequired);
    const lines = results.map(
      (result) =>
        `[${result.ok ? '+' : '-'}]${result.name} ${result.ok ? 'ok' : result.isRequired ? 'failed' : 'failed, not required'}`,
    );
    const verbose = (request.url ?? '').includes('verbose');
    const body =
      ok && !verbose ? 'ok' : [...lines, `${endpoint} check ${ok ? 'passed' : 'failed'}`, ''].join('\n');
    response.writeHead(ok ? 200 : 500, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
  };
}
