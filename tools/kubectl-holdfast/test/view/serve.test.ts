import { get, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { UsageError } from '@holdfast/runtime';
import { createFeed } from '../../src/view/feed.ts';
import { pageFiles } from '../../src/view/page-files.at-build.ts';
import { pictureOf } from '../../src/view/picture-of.ts';
import { serveView, type ViewServer } from '../../src/view/serve.ts';
import { story } from './seen.ts';

const token = 'token-of-the-view-server-tests';
const state = () => ({ now: 0, scope: 'namespace shop', isComplete: true, troubles: [] });

let server: ViewServer;
const serve = (port = 0): Promise<ViewServer> =>
  serveView({
    ...{ port, token, files: pageFiles },
    feed: createFeed({ groups: () => pictureOf(story('2026-03-01T12:30:00Z')), state }, createFakeClock()),
    explain: (query) => Promise.resolve({ status: 404, body: { error: `no ${query.get('name') ?? ''}` } }),
  });
beforeEach(async () => {
  server = await serve();
});
afterEach(() => server.close());

async function ask(path: string, options: { readonly method?: string; readonly host?: string } = {}) {
  const url = new URL(path, server.address);
  const asked = request(url, {
    ...{ method: options.method ?? 'GET', agent: false },
    headers: options.host === undefined ? {} : { host: options.host },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

async function openEvents(): Promise<IncomingMessage> {
  const asked = get(new URL('events', server.address), { agent: false });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}

describe('view server', () => {
  test('address -> loopback, with the token', () => {
    expect(server.address).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/${token}/$`));
  });

  test('the page -> every file that it names is served as what it is', async () => {
    const { status, headers, body } = await ask('');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const named = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    const answers = await Promise.all(named.map((path) => ask(path)));
    expect(answers.map((answer) => [answer.status, answer.headers['content-type']])).toEqual([
      [200, 'image/svg+xml'],
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
    ]);
  });

  test('scripts -> without types, each import of theirs among the files; nothing inline, nothing from elsewhere', () => {
    for (const [path, { text: source }] of Object.entries(pageFiles)) {
      expect(source).not.toMatch(
        /\bimport type\b|https?:\/\/(?!www\.w3\.org\/)|\sstyle=|\son[a-z]+="|innerHTML/,
      );
      for (const [, from = ''] of source.matchAll(/^(?:import|export) .*from '([^']+)'/gm)) {
        const wanted = new URL(from, `http://page/${path}`).pathname.slice(1);
        expect(Object.keys(pageFiles)).toContain(wanted);
      }
    }
  });

  test.each(['', 'page/main.ts', 'explain?kind=pvc&name=a', 'nowhere', '/'])(
    '%j -> headers that let nothing else in, and nothing be kept',
    async (path) => {
      const { headers } = await ask(path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-resource-policy': 'same-origin',
      });
      const policy = headers['content-security-policy'];
      expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'.*trusted-types 'none'/);
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test.each([
    ['/', {}, 403],
    ['/another-token/', {}, 403],
    ['', { host: 'attacker.example' }, 403],
    ['', { method: 'POST' }, 405],
    ['', { method: 'DELETE' }, 405],
    [`/${token}`, {}, 308],
    ['', { method: 'HEAD' }, 200],
    ['page/../main.ts', {}, 404],
    ['page/%2e%2e/serve.ts', {}, 404],
    ['toString', {}, 404],
    ['explain?kind=pvc&name=a', {}, 404],
  ])('%j %j -> %d', async (path, options, status) => {
    expect((await ask(path, options)).status).toBe(status);
  });

  test('refused -> the token is not in the answer', async () => {
    const { headers, body } = await ask('/another-token/');
    expect(JSON.stringify([headers, body])).not.toContain(token);
  });

  test('explain -> what was asked for, as JSON', async () => {
    const { headers, body } = await ask('explain?kind=pvc&name=a');
    expect([headers['content-type'], body]).toEqual(['application/json', '{"error":"no a"}']);
  });

  test('events -> all that there is, at once', async () => {
    const response = await openEvents();
    expect(response.headers['content-type']).toBe('text/event-stream');
    let seen = '';
    for await (const chunk of response) {
      seen += String(chunk);
      if (seen.endsWith('\n\n') && seen.includes('data: ')) {
        break;
      }
    }
    expect(seen).toContain('"id":"shop/web"');
  });

  test('more windows than 16 -> refused, until one is closed', async () => {
    const open = await Promise.all(Array.from({ length: 16 }, openEvents));
    expect(open.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 16 }, () => 200));
    expect((await ask('events')).status).toBe(503);
    for (const each of open) {
      each.resume();
    }
  });

  test('closed while pages are open -> they end, and nothing is waited for', async () => {
    const response = await openEvents();
    const ended = new Promise<void>((resolve) => void response.on('error', () => resolve()).resume());
    await server.close();
    await ended;
    server = await serve();
  });

  test('port that is taken -> named, with the way out', async () => {
    const { port } = new URL(server.address);
    await expect(serve(Number(port))).rejects.toThrow(UsageError);
    await expect(serve(Number(port))).rejects.toThrow(`--port: can't listen on ${port}: it is in use`);
  });
});
