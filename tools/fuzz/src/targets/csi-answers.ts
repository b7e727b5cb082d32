import { mkdtempSync, rmSync } from 'node:fs';
import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundedFields, serializeError, systemClock } from '@holdfast/runtime';
import fc from 'fast-check';
import { pino } from 'pino';
import { createCsiDrivers, listStorage, type CsiDrivers } from '../apps.ts';
import type { Target } from '../target.ts';

/** What a driver can answer to a call in addition to the right answer. */
type Answer =
  | { readonly kind: 'good' }
  /** A status without a message. The code is a header, which can be any text. */
  | { readonly kind: 'status'; readonly code: string; readonly details: string }
  /** A message of these bytes, with status OK. */
  | { readonly kind: 'bytes'; readonly hex: string }
  /**
   * The right message, but with this text in its text fields and this many elements in its lists, with status
   * OK.
   */
  | { readonly kind: 'text'; readonly text: string; readonly characters: number; readonly elements: number }
  /** The right message in an invalid frame, with status OK. */
  | { readonly kind: 'frame'; readonly wrong: 'compressed' | 'too long' | 'none' | 'twice' | 'of 5 MiB' }
  | { readonly kind: 'http'; readonly status: number; readonly type: string }
  | { readonly kind: 'ends'; readonly how: 'reset' | 'disconnected' | 'no trailers' };

const calls = ['Probe', 'GetPluginInfo', 'ControllerGetCapabilities', 'DeleteVolume', 'ListVolumes'] as const;
type Call = (typeof calls)[number];

/** The answer to the first call of each kind, and to all later ones. */
type Input = Readonly<Record<Call, readonly [Answer, Answer]>>;

const [oddName, goodName] = ['odd.example.com', 'good.example.com'];
const secret = 'kQ8-given-to-the-odd-driver-2v';
/**
 * The timeout of a call, in milliseconds. For some odd frames grpc-js waits until then. On a busy machine
 * even a right answer might be late, so nothing is concluded from that, except for the good driver's, which
 * must come.
 */
const timeouts = { odd: 500, good: 60_000 } as const;
const limits = { line: 64 * 1024, logged: 256 * 1024 } as const;

/** The answers of a driver to pv-reclaim-honor's calls on a socket. A second driver answers correctly. */
export const csiAnswers: Target<Input> = {
  name: 'csi-answers',
  input: fc.record(Object.fromEntries(calls.map((call) => [call, fc.tuple(answers(), answers())]))),
  play: async (input) => {
    const wrongs = new Set<string>();
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-csi-'));
    const counts = new Map<Call, number>();
    /** The name that the odd driver last reported, and its answer to the last deletion. */
    let saidName: string | undefined;
    let deleted: Answer | undefined;
    const odd = await serve(join(folder, 'odd.sock'), (call) => {
      const count = counts.get(call) ?? 0;
      counts.set(call, count + 1);
      const planned = input[call][count === 0 ? 0 : 1];
      // The driver cannot repeat a secret that it was not given yet.
      const isGiven = deleted !== undefined || call === 'DeleteVolume';
      const answer =
        planned.kind === 'status' && planned.details.includes(secret) && !isGiven
          ? { ...planned, details: 'no' }
          : planned;
      if (call === 'GetPluginInfo') {
        saidName = answer.kind === 'good' ? oddName : undefined;
      }
      if (call === 'DeleteVolume') {
        deleted = answer;
        if (saidName === undefined) {
          wrongs.add('a deletion was sent to a driver that had not said its name');
        }
      }
      return answer;
    });
    const good = await serve(join(folder, 'good.sock'), () => ({ kind: 'good' }), goodName);
    let logged = 0;
    const failures = Promise.withResolvers<undefined>();
    const logger = pino(
      { base: null, level: 'info', serializers: { err: serializeError }, formatters: { log: boundedFields } },
      {
        write: (line: string) => {
          logged += line.length;
          if (line.length > limits.line) {
            wrongs.add(`a line of ${String(line.length)} characters was logged: ${line.slice(0, 200)}`);
          }
          if (line.includes(secret)) {
            wrongs.add(`a secret was logged: ${line.slice(0, 200)}`);
          }
          if (/CSI driver (is not ready|not connected|abandoned)/.test(line)) {
            failures.resolve(undefined);
          }
        },
      },
    );
    const died = (error: unknown): void => void wrongs.add(`the process would have ended: ${String(error)}`);
    process.on('unhandledRejection', died);
    process.on('uncaughtException', died);
    const ready = new Map<string, PromiseWithResolvers<undefined>>(
      [oddName, goodName].map((name) => [name, Promise.withResolvers<undefined>()]),
    );
    const end = new AbortController();
    const open = (address: string, timeout: number): CsiDrivers =>
      createCsiDrivers({
        addresses: [address],
        timeout,
        logger,
        clock: systemClock,
        onReady: (name) => {
          if (!ready.has(name)) {
            wrongs.add(`a driver is called ${name.slice(0, 100)}`);
          }
          ready.get(name)?.resolve(undefined);
        },
      });
    const drivers = open(odd.address, timeouts.odd);
    const others = open(good.address, timeouts.good);
    const running = Promise.all([drivers.run(end.signal), others.run(end.signal)]);
    try {
      await Promise.race([ready.get(oddName)?.promise, failures.promise]);
      await ready.get(goodName)?.promise;
      if (drivers.isReady(oddName)) {
        const wrong = await deleteOf(drivers, oddName, end.signal);
        if (wrong === undefined && !mightBeSuccess(deleted)) {
          wrongs.add(`taken for deleted: ${JSON.stringify(deleted)}`);
        }
        if (wrong?.startsWith('DeleteVolume: undefined') === true) {
          wrongs.add('a code that is none has no name');
        }
        if (wrong?.includes(secret) === true) {
          wrongs.add(`a secret is in an error: ${wrong.slice(0, 200)}`);
        }
        await listOf(drivers, end.signal);
      }
      const wrong = await deleteOf(others, goodName, end.signal);
      if (wrong !== undefined) {
        wrongs.add(`the good driver was not asked: ${wrong}`);
      }
    } finally {
      end.abort(new Error('the world ends'));
      await running;
      await Promise.all([odd.close(), good.close()]);
      process.off('unhandledRejection', died);
      process.off('uncaughtException', died);
      rmSync(folder, { recursive: true, force: true });
    }
    if (logged > limits.logged) {
      wrongs.add(`${String(logged)} characters were logged`);
    }
    if (wrongs.size > 0) {
      throw new Error([...wrongs].join('\n'));
    }
  },
};

/** @returns why the deletion was not confirmed; undefined if it was */
async function deleteOf(
  drivers: CsiDrivers,
  driver: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await drivers.deleteVolume(
      { driver, handle: 'volume', secrets: { password: secret } },
      { announce: () => Promise.resolve(), beforeDeletion: () => undefined, signal },
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.message} ${error.stack ?? ''}` : String(error);
  }
}

/** Lists volumes as the leak report does. */
async function listOf(drivers: CsiDrivers, signal: AbortSignal): Promise<void> {
  let pages = 0;
  try {
    await listStorage(
      (maxEntries, token) => {
        pages += 1;
        // A driver might go on for ten thousand pages; that this ends is checked by another test.
        return pages > 20
          ? Promise.reject(new Error('enough'))
          : drivers.listVolumes(oddName, maxEntries, token, signal);
      },
      () => undefined,
      systemClock,
    );
  } catch {
    // The report logs the error.
  }
}

/** Whether the client could take the answer for a success. NOT_FOUND counts as one. */
function mightBeSuccess(answer: Answer | undefined): boolean {
  switch (answer?.kind) {
    case 'good':
    case 'bytes':
    case 'text':
      return true;
    case 'status':
      return [0, 5].includes(Number(answer.code)) && answer.code.trim() !== '';
    case 'frame':
      return answer.wrong === 'twice';
    case 'http':
    case 'ends':
    case undefined:
      return false;
  }
}

function answers(): fc.Arbitrary<Answer> {
  const good: Answer = { kind: 'good' };
  const details = fc.constantFrom(
    '',
    'no',
    secret,
    `given ${secret}!`,
    'x'.repeat(4_000),
    '\u001b[31m\n\u0000',
    'ünïcödé-名前',
    '%',
  );
  const odd = fc.oneof(
    fc.record({
      kind: fc.constant('status' as const),
      code: fc.oneof(
        fc.integer({ min: -1, max: 20 }).map(String),
        fc.constantFrom('', 'x', '1e1', ' 0', '05', '18446744073709551616'),
      ),
      details,
    }),
    fc.record({
      kind: fc.constant('bytes' as const),
      hex: fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    }),
    fc.record({
      kind: fc.constant('text' as const),
      text: fc.constantFrom(
        '',
        ' ',
        'x',
        '..',
        'a/b',
        goodName,
        'Odd.Example.com',
        `${oddName}\n`,
        '\ud800',
        '__proto__',
        '\u001b[31mred',
      ),
      characters: fc.constantFrom(0, 64, 300_000),
      elements: fc.constantFrom(0, 1, 2, 100_000),
    }),
    fc.record({
      kind: fc.constant('frame' as const),
      wrong: fc.constantFrom(
        'compressed' as const,
        'too long' as const,
        'none' as const,
        'twice' as const,
        'of 5 MiB' as const,
      ),
    }),
    fc.record({
      kind: fc.constant('http' as const),
      status: fc.constantFrom(200, 204, 401, 404, 500, 503),
      type: fc.constantFrom('text/html', 'application/grpc', 'application/json'),
    }),
    fc.record({
      kind: fc.constant('ends' as const),
      how: fc.constantFrom('reset' as const, 'disconnected' as const, 'no trailers' as const),
    }),
  );
  return fc.oneof({ arbitrary: fc.constant(good), weight: 3 }, { arbitrary: odd, weight: 2 });
}

/** Serves a driver at the path. */
async function serve(
  path: string,
  answerOf: (call: Call) => Answer,
  name = oddName,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server: Http2Server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, { ':path': called = '' }) => {
    stream.on('error', () => undefined);
    const call = calls.find((each) => called.endsWith(`/${each}`));
    if (call === undefined) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    send(stream, call, answerOf(call), name);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    address: `unix://${path}`,
    close: async () => {
      sessions.forEach((session) => session.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(stream: ServerHttp2Stream, call: Call, answer: Answer, name: string): void {
  const good = framed(messageOf(call, name, 1));
  switch (answer.kind) {
    case 'good': {
      succeed(stream, good);
      return;
    }
    case 'bytes': {
      succeed(stream, framed(Buffer.from(answer.hex, 'hex')));
      return;
    }
    case 'text': {
      succeed(stream, framed(messageOf(call, answer.text.padEnd(answer.characters, 'x'), answer.elements)));
      return;
    }
    case 'frame': {
      succeed(stream, oddFrame(answer.wrong, good));
      return;
    }
    case 'status':
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': answer.code,
          'grpc-message': encodeURIComponent(answer.details),
        },
        { endStream: true },
      );
      return;
    case 'http':
      stream.respond({ ':status': answer.status, 'content-type': answer.type });
      stream.end(answer.status === 204 ? undefined : '<html></html>');
      return;
    case 'ends':
      switch (answer.how) {
        case 'reset':
          stream.close(constants.NGHTTP2_INTERNAL_ERROR);
          return;
        case 'disconnected':
          stream.session?.destroy();
          return;
        case 'no trailers':
          stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
          stream.end(good);
      }
  }
}

function succeed(stream: ServerHttp2Stream, body: Buffer): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(body);
}

function oddFrame(wrong: Extract<Answer, { readonly kind: 'frame' }>['wrong'], good: Buffer): Buffer {
  switch (wrong) {
    case 'compressed':
      return Buffer.concat([Buffer.from([1]), good.subarray(1)]);
    case 'too long':
      return Buffer.concat([Buffer.from([0, 0, 0, 1, 0]), good.subarray(5)]);
    case 'none':
      return Buffer.alloc(0);
    case 'twice':
      return Buffer.concat([good, good]);
    case 'of 5 MiB':
      return framed(Buffer.alloc(5 * 1024 * 1024));
  }
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/**
 * Builds the message of the call in protobuf, with this text in its text fields and this many elements in its
 * lists.
 */
function messageOf(call: Call, text: string, elements: number): Buffer {
  switch (call) {
    case 'Probe':
    case 'DeleteVolume':
      return Buffer.alloc(0);
    case 'GetPluginInfo':
      return field(1, Buffer.from(text));
    case 'ControllerGetCapabilities': {
      // The capabilities CREATE_DELETE_VOLUME and LIST_VOLUMES.
      const both = [1, 3].map((type) => field(1, field(1, Buffer.from([0x08, type]))));
      return Buffer.concat(Array.from({ length: Math.min(elements, 20_000) }, () => both).flat());
    }
    case 'ListVolumes': {
      const entry = field(1, field(1, field(2, Buffer.from(text))));
      // gRPC accepts 4 MiB; a little more is refused.
      const count = Math.min(elements, Math.ceil((4.1 * 1024 * 1024) / entry.length));
      return Buffer.concat([
        ...Array.from({ length: count }, () => entry),
        field(2, Buffer.from(elements === 2 ? text : '')),
      ]);
    }
  }
}

/** A field whose value is bytes. */
function field(number: number, bytes: Buffer): Buffer {
  const head = [(number << 3) | 2];
  let length = bytes.length;
  for (; length > 127; length >>>= 7) {
    head.push((length & 127) | 128);
  }
  return Buffer.concat([Buffer.from([...head, length]), bytes]);
}
