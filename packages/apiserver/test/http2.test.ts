import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createFaultPlan } from '../src/http/faults.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../src/server.ts';
import { configMaps } from './client.ts';

interface Answered {
  readonly code: number;
  readonly body: string;
}

/** Unlike `once`, no matter how it came to be closed. */
function closed(closing: ClientHttp2Session | ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => void closing.once('close', () => resolve()));
}

interface Watching {
  readonly stream: ClientHttp2Stream;
  /** How many lines came. */
  readonly events: () => number;
  /** Resolves when there are as many. */
  readonly upTo: (count: number) => Promise<void>;
}

const open: { server?: ApiServer; sessions: ClientHttp2Session[] } = { sessions: [] };

async function serve(options: ApiServerOptions = {}): Promise<ApiServer> {
  return (open.server = await startApiServer({ http2: true, token: 'admin', ...options }));
}

function session(server: ApiServer): ClientHttp2Session {
  const client = connect(server.url, { rejectUnauthorized: false });
  client.on('error', () => undefined);
  open.sessions.push(client);
  return client;
}

afterEach(async () => {
  for (const client of open.sessions.splice(0)) {
    client.destroy();
  }
  await open.server?.stop();
});

function ask(
  client: ClientHttp2Session,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | string[]>> = {},
  body?: unknown,
): ClientHttp2Stream {
  const stream = client.request(
    {
      ':method': method,
      ':path': path,
      authorization: 'Bearer admin',
      'content-type': 'application/json',
      ...headers,
    },
    { endStream: body === undefined },
  );
  stream.on('error', () => undefined);
  if (body !== undefined) {
    stream.end(JSON.stringify(body));
  }
  return stream;
}

async function answered(stream: ClientHttp2Stream): Promise<Answered> {
  let code = 0;
  let body = '';
  stream.on('response', (headers) => (code = Number(headers[':status'])));
  stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  await closed(stream);
  return { code, body };
}

async function watch(client: ClientHttp2Session): Promise<Watching> {
  const stream = ask(client, 'GET', `${configMaps}?watch=1`);
  let count = 0;
  stream.setEncoding('utf8');
  await once(stream, 'response');
  stream.on('data', (chunk: string) => {
    count += chunk.split('\n').length - 1;
    stream.emit('counted');
  });
  return {
    stream,
    events: () => count,
    async upTo(wanted) {
      while (count < wanted) {
        await once(stream, 'counted');
      }
    },
  };
}

const configMap = (name: string, data = {}): object => ({ metadata: { name }, data });

describe('server that speaks HTTP/2', () => {
  test.each([
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [undefined, false],
  ])('client offers %p -> %p', async (offered, chosen) => {
    const server = await serve();
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(new URL(server.url).port),
      rejectUnauthorized: false,
      ...(offered === undefined ? {} : { ALPNProtocols: offered }),
    });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe(chosen);
    socket.destroy();
  });

  test('client of HTTP/1.1 -> answered as ever', async () => {
    const server = await serve();
    const request = httpsRequest(`${server.url}/version`, {
      rejectUnauthorized: false,
      agent: false,
      headers: { authorization: 'Bearer admin' },
    }).end();
    const [response] = (await once(request, 'response')) as [{ httpVersion: string; statusCode: number }];
    expect(response).toMatchObject({ httpVersion: '1.1', statusCode: 200 });
    request.destroy();
  });

  test('write, read, HEAD -> as over HTTP/1.1', async () => {
    const client = session(await serve());
    expect(await answered(ask(client, 'POST', configMaps, {}, configMap('a')))).toMatchObject({ code: 201 });
    const read = await answered(ask(client, 'GET', `${configMaps}/a`));
    expect(read.code).toBe(200);
    expect(JSON.parse(read.body)).toMatchObject({ metadata: { name: 'a' } });
    expect(await answered(ask(client, 'HEAD', `${configMaps}/a`))).toEqual({ code: 405, body: '' });
  });

  test('settings -> 100 streams at once, as the real server has it', async () => {
    const client = session(await serve());
    await once(client, 'remoteSettings');
    expect(client.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, initialWindowSize: 262_144 });
  });

  test('impersonated groups in headers of their own -> each is one', async () => {
    const client = session(await serve());
    const review = await answered(
      ask(
        client,
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { 'impersonate-user': 'jane', 'impersonate-group': ['system:masters', 'b'] },
        { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
      ),
    );
    expect(JSON.parse(review.body)).toMatchObject({
      status: { userInfo: { username: 'jane', groups: ['system:masters', 'b', 'system:authenticated'] } },
    });
  });

  test('unknown token -> 401, and the connection takes no more', async () => {
    const client = session(await serve());
    const goAway = once(client, 'goaway');
    expect(await answered(ask(client, 'GET', configMaps, { authorization: 'Bearer x' }))).toMatchObject({
      code: 401,
    });
    expect((await goAway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test('hundred watches on a connection, one ended by its client -> it ends alone', async () => {
    const server = await serve();
    const client = session(server);
    const watches = await Promise.all(Array.from({ length: 100 }, () => watch(client)));
    const before = Number(
      /apiserver_longrunning_requests.*configmaps.* (\d+)/.exec(await metrics(server))?.[1],
    );
    watches[0]?.stream.close(constants.NGHTTP2_CANCEL);
    const others = watches.slice(1);
    await server.handle('POST', configMaps, JSON.stringify(configMap('a')));
    await Promise.all(others.map(({ upTo }) => upTo(1)));
    expect(before).toBe(100);
    expect(await metrics(server)).toMatch(/apiserver_longrunning_requests.*configmaps.* 99/);
  });

  test('watcher that takes nothing -> cut alone, others on its connection get all', async () => {
    const server = await serve();
    const client = session(server);
    const slow = await watch(client);
    slow.stream.pause();
    const over = closed(slow.stream);
    const quick = await watch(client);
    const blob = 'x'.repeat(900 * 1024);
    for (let count = 0; count < 24; count++) {
      await server.handle('POST', configMaps, JSON.stringify(configMap(`c${count}`, { blob })));
      await quick.upTo(count + 1);
    }
    expect(slow.events()).toBeLessThan(24);
    await over;
    expect(slow.stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    expect(client.destroyed).toBe(false);
  });

  test('watches cut -> the connection is reset, and with it every request', async () => {
    const server = await serve();
    const client = session(server);
    const { stream } = await watch(client);
    const broken = Promise.all([closed(client), closed(stream)]);
    let code: string | undefined;
    client.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
    // What the client still had to write would fail before it reads of the reset.
    await new Promise<void>((resolve) => void client.ping(() => resolve()));
    server.cutWatches();
    await broken;
    expect(code).toBe('ECONNRESET');
  });

  test.each(['before', 'after'] as const)('fault resets %s the request -> connection reset', async (when) => {
    const faults = createFaultPlan().on({ verb: 'create', resource: 'configmaps' }, { kind: 'reset', when });
    const server = await serve({ faults });
    const client = session(server);
    const broken = closed(client);
    expect(await answered(ask(client, 'POST', configMaps, {}, configMap('a')))).toMatchObject({ code: 0 });
    await broken;
    const { code } = await server.handle('GET', `${configMaps}/a`);
    expect(code).toBe(when === 'before' ? 404 : 200);
  });

  test('fault cuts a watch after an event -> it came, then the connection broke', async () => {
    const faults = createFaultPlan().on({ verb: 'watch' }, { kind: 'cutWatch', afterEvents: 1 });
    const server = await serve({ faults });
    const client = session(server);
    const broken = closed(client);
    const watching = await watch(client);
    await server.handle('POST', configMaps, JSON.stringify(configMap('a')));
    await broken;
    expect(watching.events()).toBe(1);
  });

  test('stopped with a watch open -> stop ends, the connection too', async () => {
    const server = await serve();
    const client = session(server);
    await watch(client);
    await Promise.all([server.stop(), closed(client)]);
  });
});

test('server that was not asked for HTTP/2 -> HTTP/1.1 for who offers both', async () => {
  const server = await serve({ http2: false });
  const socket = connectTls({
    host: '127.0.0.1',
    port: Number(new URL(server.url).port),
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  await once(socket, 'secureConnect');
  expect(socket.alpnProtocol).toBe('http/1.1');
  socket.destroy();
});

async function metrics(server: ApiServer): Promise<string> {
  return (await server.handle('GET', '/metrics')).body;
}
