import type { ProgramIdentity } from '../identity/program-identity.ts';
import { processSecrets } from '../logging/secret-values.ts';
import type { HttpHandler } from './http-server.ts';

/** A program as its z-pages show it. The flags are texts by name, without the dashes. */
export interface Program extends ProgramIdentity {
  readonly version: string;
  readonly flags: Readonly<Record<string, string>>;
}

/**
 * Creates the handler of `/flagz` of a Kubernetes component, for people: the flags in force, whether given on
 * the command line, in the environment, in the config file or not at all. The text is upstream's
 * (`k8s.io/apiserver/pkg/server/flagz`), except that upstream chooses the separator at random.
 */
export function flagzHandler({ name, flags }: Program): HttpHandler {
  const lines = Object.keys(flags)
    .sort()
    .map((flag) => `${flag}=${flags[flag] ?? ''}\n`);
  return textHandler(() => processSecrets.redact(`${header(name, 'flagz')}${lines.join('')}`));
}

/**
 * Creates the handler of `/statusz` of a Kubernetes component, for people: when it started, what it is, and
 * what else it serves. The text is upstream's (`k8s.io/apiserver/pkg/server/statusz`), with Node's version in
 * place of Go's.
 *
 * @param paths served by this process.
 * @param now wall clock; its first value is the start.
 */
export function statuszHandler(
  { name, version }: Program,
  paths: readonly string[],
  now: () => Date = () => new Date(),
): HttpHandler {
  const started = now();
  return textHandler(() => {
    const up = Math.max(0, Math.floor((now().getTime() - started.getTime()) / 1000));
    const padded = (value: number): string => String(value % 60).padStart(2, '0');
    const uptime = `${String(Math.floor(up / 3600))} hr ${padded(Math.floor(up / 60))} min ${padded(up)} sec`;
    return [
      header(name, 'statusz'),
      `Started= ${unixDate(started)}`,
      `Up= ${uptime}`,
      `Node version= ${process.version}`,
      `Binary version= ${version}`,
      '',
      `Paths= ${[...new Set(paths)].sort().join(' ')}`,
      '',
    ].join('\n');
  });
}

function header(name: string, page: string): string {
  return `\n${name} ${page}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n`;
}

function textHandler(text: () => string): HttpHandler {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text());
  };
}

/** Formats a date as `Mon Jan _2 15:04:05 UTC 2006`, Go's time.UnixDate. */
function unixDate(date: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}
