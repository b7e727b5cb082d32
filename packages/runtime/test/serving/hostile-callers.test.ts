import { afterEach, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { pino } from 'pino';
import { serveHttp, type CallerLimits, type HttpServer } from '../../src/serving/http-server.ts';
import { mostAhead } from '../../src/serving/in-turn.ts';
import { makeOwnCertificate } from '../../src/serving/own-certificate.ts';
import { until } from '../until.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) {
    await end();
  }
});

/** Short, so that nobody waits for them; a caller in good faith would still be served. */
const limits: CallerLimits = { patience: 200, idle: 400, connections: 8 };

/** More than fits into the buffers of a connection. */
const answerLength = 6 * 1024 * 1024;

async function serve({
  isSecure = false,
  answer = 'x'.repeat(answerLength),
  onAsked = () => undefined,
  ...chosen
}: Partial<
  CallerLimits & { isSecure: boolean; answer: string; onAsked: () => void }
> = {}): Promise<HttpServer> {
  const logger = pino({ level: 'silent' });
  const hosts = ['localhost'];
  const server = await serveHttp(
    'metrics',
    { kind: 'listen', host: '127.0.0.1', port: 0 },
    {
      '/metrics': (_request, response) => {
        onAsked();
        response.end(answer);
      },
    },
    logger,
    isSecure
      ? await makeOwnCertificate({ name: 'test', hosts, clock: createFakeClock(), logger })
      : undefined,
    { ...limits, ...chosen },
  );
  endings.push(() => server.close());
  return server;
}

/** A connection that the test ends, if the server does not. */
function open(socket: Socket): Socket {
  socket.on('error', () => undefined);
  endings.push(() => socket.destroy());
  return socket;
}

function call({ address }: HttpServer): Socket {
  const [host = '', port = ''] = address.split(':');
  return open(connect(Number(port), host));
}

const greeting = 'GET /metrics HTTP/1.1\r\nHost: x\r\n';

/** What a caller does that holds its connection for as long as it is let. */
const holds: readonly { readonly how: string; readonly hold: (socket: Socket) => unknown }[] = [
  { how: 'says nothing', hold: () => undefined },
  { how: 'stops within its request line', hold: (socket) => socket.write('GET /met') },
  { how: 'stops within its headers', hold: (socket) => socket.write(greeting) },
  {
    how: 'sends another header every moment',
    hold: (socket) => {
      socket.write(greeting);
      const timer = setInterval(() => socket.write('a: b\r\n'), limits.patience / 10);
      endings.push(() => clearInterval(timer));
    },
  },
  {
    how: 'announces a body and sends none of it',
    hold: (socket) => socket.write(`${greeting}Content-Length: 9\r\n\r\n`),
  },
];

/** Whether a caller in good faith is answered; false: its connection was closed at once. */
async function isServed({ address }: HttpServer): Promise<boolean> {
  try {
    const answer = await fetch(`http://${address}/metrics`, { headers: { connection: 'close' } });
    return (await answer.text()).length === answerLength;
  } catch {
    return false;
  }
}

async function becomesServed(server: HttpServer): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isServed(server))) {
    if (performance.now() > deadline) {
      throw new Error('not in 20 s: another caller is served');
    }
  }
}

describe('H13: callers that hold their connections', () => {
  test.each(holds)('one that $how -> loses it', async ({ hold }) => {
    const socket = call(await serve()).resume();
    hold(socket);
    await new Promise((resolve) => socket.once('close', resolve));
  });

  test.each([
    { scheme: 'http', isSecure: false },
    { scheme: 'https', isSecure: true },
  ])('$scheme, one that says nothing -> the end of the server does not wait for it', async ({ isSecure }) => {
    const server = await serve({ isSecure, patience: 120_000, idle: 120_000 });
    await once(call(server).resume(), 'connect');
    await server.close();
  });

  test('all there may be ask again and again and read no answer -> they lose them, and another is served', async () => {
    const server = await serve();
    const sockets = Array.from({ length: limits.connections }, () => call(server).pause());
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    sockets.forEach((socket) => socket.write(`${greeting}\r\n`.repeat(3)));
    await becomesServed(server);
  });

  test('many requests sent ahead -> one answer is made, and the connection is lost', async () => {
    let asked = 0;
    const server = await serve({ answer: 'short', onAsked: () => void (asked += 1) });
    const socket = call(server).resume();
    socket.write(`${greeting}\r\n`.repeat(1_000));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(asked).toBe(1);
  });

  test('some requests sent ahead -> all are answered, and other work has its turn between any two', async () => {
    let turn = 0;
    const turns: number[] = [];
    let isOver = false;
    endings.push(() => (isOver = true));
    const count = async (): Promise<void> => {
      for (; !isOver; turn++) {
        await setImmediate();
      }
    };
    void count();
    const server = await serve({ answer: 'short', onAsked: () => void turns.push(turn) });
    call(server).resume().write(`${greeting}\r\n`.repeat(mostAhead));
    await until('all are answered', () => turns.length === mostAhead);
    expect(new Set(turns).size).toBe(mostAhead);
  });

  test('many more than there may be -> those that hold them longest lose them, and another is served', async () => {
    const server = await serve({ patience: 120_000, idle: 120_000 });
    const closed: number[] = [];
    for (let n = 0; n < 100; n++) {
      const socket = call(server)
        .resume()
        .on('close', () => closed.push(n));
      await once(socket, 'connect');
    }
    await until('the first are closed', () => closed.length === 100 - limits.connections);
    expect(Math.max(...closed)).toBe(99 - limits.connections);
    expect(await isServed(server)).toBe(true);
  });

  test.each([
    { how: 'begins no handshake', begin: call },
    {
      how: 'says nothing after the handshake',
      begin: ({ address }: HttpServer) =>
        open(connectTls({ port: Number(address.split(':')[1]), rejectUnauthorized: false })),
    },
  ])('over TLS, one that $how -> loses it', async ({ begin }) => {
    const socket = begin(await serve({ isSecure: true })).resume();
    await new Promise((resolve) => socket.once('close', resolve));
  });
});
