import { Agent, createServer as createHttpsServer, request as requestOf } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { poisonAnswer, poisonEvent } from './poison.ts';
import { markSent } from './sent-mark.ts';

/** One client's connection point to the API server, with the faults on it. */
export interface Front {
  readonly port: number;
  /** The number of open connections of the client. */
  readonly connections: number;
  /**
   * Lets nothing pass in either direction for so many milliseconds. What was sent passes afterwards, unless
   * its sender has hung up.
   */
  stall(milliseconds: number): void;
  /**
   * Resets every connection.
   *
   * @returns how many
   */
  reset(): number;
  /**
   * Lets nothing pass on the present connections any more. They stay open, and new ones work.
   *
   * @returns how many
   */
  halfOpen(): number;
  /** Answers four of five requests with 429 for so many milliseconds. */
  storm(milliseconds: number): void;
  /** Delays the beginning of every answer by half a second for so many milliseconds. */
  slow(milliseconds: number): void;
  /** Lets the next so many writes take effect, but resets their connections instead of answering. */
  loseAnswers(times: number): void;
}

export interface FaultProxyOptions {
  /** The URL of the API server, `https://127.0.0.1:<port>`. */
  readonly target: string;
  /**
   * The API server's certificate and key, PEM. The proxy presents this certificate, so that clients need to
   * trust no other.
   */
  readonly tls: { readonly cert: string; readonly key: string };
  readonly clients: readonly { readonly name: string; readonly speaks: 'as it likes' | 'JSON' }[];
}

/**
 * Counts of the faults that hit requests or objects. Faults of connections are counted by the code that
 * orders them.
 */
export interface ProxyCounts {
  requests: number;
  answered429: number;
  answersLost: number;
  answersSlow: number;
  objectsPoisoned: number;
  /** The API server's own 401: expired credentials. */
  refused401: number;
  /** Requests whose sender hung up while the proxy held them. */
  givenUpWhileHeld: number;
}

export interface FaultProxy {
  readonly counts: Readonly<ProxyCounts>;
  /** @throws for a client that was not declared */
  front(client: string): Front;
  /** Ends all faults. */
  heal(): void;
  close(): Promise<void>;
}

interface Connection {
  readonly socket: Socket;
  readonly way: Way;
  /** Whether nothing passes on it any more. */
  isDead: boolean;
}

interface Stall {
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** The state of one client's front. Times are those of `performance.now()`. */
interface Way {
  readonly name: string;
  readonly speaksJson: boolean;
  readonly server: Server;
  readonly connections: Set<Connection>;
  stall: Stall | undefined;
  stormUntil: number;
  slowUntil: number;
  answersToLose: number;
}

const slowness = 500;
const stormShare = 0.8;
const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const protobuf = 'application/vnd.kubernetes.protobuf';

/**
 * A proxy between clients and a real API server that behaves like a bad network or an overloaded server. It
 * terminates TLS, since it has to see requests. Each client has a port of its own.
 */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { hostname, port } = new URL(options.target);
  const agent = new Agent({ keepAlive: true, ca: options.tls.cert });
  const counts: ProxyCounts = {
    requests: 0,
    answered429: 0,
    answersLost: 0,
    answersSlow: 0,
    objectsPoisoned: 0,
    refused401: 0,
    givenUpWhileHeld: 0,
  };
  const ways = new Map<string, Way>();
  const connections = new Map<string, Connection>();

  const open = async (way: Way): Promise<void> => {
    while (way.stall !== undefined) {
      await way.stall.over;
    }
  };

  const forward = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
  ): Promise<void> => {
    const { way } = connection;
    const number = (counts.requests += 1);
    const auditId = markSent(way.name, Date.now(), number);
    const body = await buffer(incoming);
    await open(way);
    if (connection.isDead) {
      return;
    }
    if (response.destroyed || connection.socket.destroyed) {
      counts.givenUpWhileHeld += 1;
      return;
    }
    if (performance.now() < way.stormUntil && Math.random() < stormShare) {
      counts.answered429 += 1;
      refuse(response);
      return;
    }
    const { method = 'GET', url = '' } = incoming;
    const isWrite = writes.has(method);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = requestOf({
        hostname,
        port,
        agent,
        method,
        path: url,
        headers: headersFor(incoming.headers, way, auditId),
      });
      outgoing.on('response', resolve).on('error', reject);
      // A write that the client has sent completely is carried out even if the client no longer waits for the
      // answer.
      response.once('close', () => isWrite || outgoing.destroy());
      outgoing.end(body);
    });
    if (answer.statusCode === 401) {
      counts.refused401 += 1;
    }
    if (isWrite && way.answersToLose > 0) {
      way.answersToLose -= 1;
      counts.answersLost += 1;
      answer.resume();
      connection.socket.resetAndDestroy();
      return;
    }
    if (performance.now() < way.slowUntil) {
      counts.answersSlow += 1;
      await pause(slowness);
    }
    await pass(answer, response, connection, /[?&]watch=(true|1)\b/.test(url));
  };

  const pass = async (
    answer: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    isWatch: boolean,
  ): Promise<void> => {
    const isProtobuf = answer.headers['content-type']?.startsWith(protobuf) === true;
    const headers = without(answer.headers, 'content-length', 'transfer-encoding');
    const head = (length?: number): void => {
      response.writeHead(answer.statusCode ?? 502, {
        ...headers,
        ...(length === undefined ? {} : { 'content-length': length }),
      });
    };
    const hasEnded = (): boolean => connection.isDead || response.destroyed;
    const poisoned = (clean: Buffer, dirty: Buffer | undefined): Buffer => {
      counts.objectsPoisoned += dirty === undefined ? 0 : 1;
      return dirty ?? clean;
    };
    if (!isWatch || answer.statusCode !== 200) {
      const body = await buffer(answer);
      await open(connection.way);
      if (!connection.isDead) {
        const passed = poisoned(body, poisonAnswer(body, isProtobuf));
        head(passed.length);
        response.end(passed);
      }
      return;
    }
    await open(connection.way);
    if (connection.isDead) {
      answer.destroy();
      return;
    }
    head();
    response.flushHeaders();
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      await open(connection.way);
      if (hasEnded()) {
        return;
      }
      const { events, left } = splitEvents(Buffer.concat([rest, chunk]), isProtobuf);
      rest = left;
      for (const event of events) {
        const passed = poisoned(event, poisonEvent(event, isProtobuf));
        response.write(isProtobuf ? framed(passed) : passed);
      }
    }
    response.end();
  };

  const https = createHttpsServer(options.tls, (incoming, response) => {
    const { localPort, remotePort } = incoming.socket;
    const connection = connections.get(keyOf(localPort, remotePort));
    if (connection === undefined || connection.isDead) {
      return;
    }
    forward(incoming, response, connection).catch(() => {
      // Either the API server or the client is gone; the other side cannot tell which.
      if (!connection.isDead) {
        connection.socket.destroy();
      }
    });
  });
  https.on('tlsClientError', () => undefined);
  https.keepAliveTimeout = 0;
  https.requestTimeout = 0;

  for (const { name, speaks } of options.clients) {
    const server = createServer((socket) => {
      const connection: Connection = { socket, way, isDead: false };
      const key = keyOf(socket.localPort, socket.remotePort);
      way.connections.add(connection);
      connections.set(key, connection);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        way.connections.delete(connection);
        connections.delete(key);
      });
      https.emit('connection', socket);
    });
    const way: Way = {
      name,
      speaksJson: speaks === 'JSON',
      server,
      connections: new Set(),
      stall: undefined,
      stormUntil: 0,
      slowUntil: 0,
      answersToLose: 0,
    };
    ways.set(name, way);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }

  return {
    counts,
    front: (client) => {
      const way = ways.get(client);
      if (way === undefined) {
        throw new Error(`the proxy has no way for "${client}"; it has ${[...ways.keys()].join(', ')}`);
      }
      return frontOf(way);
    },
    heal: () => {
      for (const way of ways.values()) {
        way.stall?.end();
        Object.assign(way, { stormUntil: 0, slowUntil: 0, answersToLose: 0 });
      }
    },
    close: async () => {
      const servers = [...ways.values()].map(({ server }) => server);
      for (const { stall } of ways.values()) {
        stall?.end();
      }
      for (const { socket } of connections.values()) {
        socket.destroy();
      }
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      agent.destroy();
    },
  };
}

function frontOf(way: Way): Front {
  const now = (): number => performance.now();
  return {
    get port() {
      return (way.server.address() as AddressInfo).port;
    },
    get connections() {
      return way.connections.size;
    },
    stall: (milliseconds) => {
      way.stall?.end();
      way.stall = beginStall(way, milliseconds);
    },
    reset: () => {
      const all = [...way.connections];
      all.forEach(({ socket }) => socket.resetAndDestroy());
      return all.length;
    },
    halfOpen: () => {
      const alive = [...way.connections].filter(({ isDead }) => !isDead);
      alive.forEach((connection) => (connection.isDead = true));
      return alive.length;
    },
    storm: (milliseconds) => {
      way.stormUntil = now() + milliseconds;
    },
    slow: (milliseconds) => {
      way.slowUntil = now() + milliseconds;
    },
    loseAnswers: (times) => {
      way.answersToLose = times;
    },
  };
}

function beginStall(way: Way, milliseconds: number): Stall {
  let resolve = (): void => undefined;
  const over = new Promise<void>((fulfil) => (resolve = fulfil));
  const end = (): void => {
    clearTimeout(timer);
    if (way.stall === stall) {
      way.stall = undefined;
    }
    resolve();
  };
  const timer = setTimeout(end, milliseconds);
  const stall: Stall = { over, end };
  return stall;
}

function keyOf(localPort: number | undefined, remotePort: number | undefined): string {
  return `${String(localPort)} ${String(remotePort)}`;
}

function without(headers: IncomingHttpHeaders, ...names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

function headersFor(headers: IncomingHttpHeaders, way: Way, auditId: string): IncomingHttpHeaders {
  const kept = without(headers, 'accept-encoding', 'connection', 'host');
  const { accept } = kept;
  const json = accept?.includes(protobuf) === true ? 'application/json' : accept;
  return {
    ...kept,
    ...(way.speaksJson && json !== undefined ? { accept: json } : {}),
    'audit-id': auditId,
  };
}

function refuse(response: ServerResponse): void {
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' }).end(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'TooManyRequests',
      code: 429,
      message: 'too many requests: a storm of the fault proxy',
      details: { retryAfterSeconds: 1 },
    }),
  );
}

/**
 * Splits into lines with their ends, or frames without their lengths; `left` is the beginning of the next
 * one.
 */
function splitEvents(
  bytes: Buffer,
  isProtobuf: boolean,
): { readonly events: readonly Buffer[]; readonly left: Buffer } {
  const events: Buffer[] = [];
  let at = 0;
  for (;;) {
    if (isProtobuf) {
      const end = bytes.length - at < 4 ? Infinity : at + 4 + bytes.readUInt32BE(at);
      if (end > bytes.length) {
        break;
      }
      events.push(bytes.subarray(at + 4, end));
      at = end;
    } else {
      const end = bytes.indexOf(0x0a, at);
      if (end < 0) {
        break;
      }
      events.push(bytes.subarray(at, end + 1));
      at = end + 1;
    }
  }
  return { events, left: bytes.subarray(at) };
}

function framed(event: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
