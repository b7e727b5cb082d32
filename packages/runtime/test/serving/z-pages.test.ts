import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { serveHttp, type HttpHandler } from '../../src/serving/http-server.ts';
import { flagzHandler, statuszHandler } from '../../src/serving/z-pages.ts';

const program = { name: 'pvc-protection', version: '1.2.3', flags: { 'dry-run': 'false', context: 'a=b' } };
const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

async function textOf(handler: HttpHandler): Promise<string> {
  const bind = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;
  const server = await serveHttp('metrics', bind, { '/page': handler }, pino({ level: 'silent' }));
  try {
    const response = await fetch(`http://${server.address}/page`, { headers: { connection: 'close' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ]);
    return await response.text();
  } finally {
    await server.close();
  }
}

test("flagz -> upstream's header, then the flags in the order of their names", async () => {
  expect(await textOf(flagzHandler(program))).toBe(
    `\npvc-protection flagz\n${warning}\ncontext=a=b\ndry-run=false\n`,
  );
});

test("statusz after 26 hours -> upstream's text, with Node for Go", async () => {
  let time = Date.UTC(2026, 2, 4, 5, 6, 7);
  const handler = statuszHandler(program, ['/statusz', '/metrics', '/metrics'], () => new Date(time));
  time += (26 * 3600 + 3 * 60 + 4) * 1000;
  expect(await textOf(handler)).toBe(
    [
      '',
      'pvc-protection statusz',
      warning,
      '',
      'Started= Wed Mar  4 05:06:07 UTC 2026',
      'Up= 26 hr 03 min 04 sec',
      `Node version= ${process.version}`,
      'Binary version= 1.2.3',
      '',
      'Paths= /metrics /statusz',
      '',
    ].join('\n'),
  );
});
