import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { mkdtemp, rename, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { parseCommandLine, UsageError } from '../../src/flags/command-line.ts';
import {
  createAuthority,
  issueCertificate,
  type CertificateAuthority,
  type ServingCertificate,
} from '../../src/serving/serving-certificate.ts';
import type { CallerLimits } from '../../src/serving/http-server.ts';
import type { AdmissionHandler } from '../../src/webhook/admission.ts';
import { webhookFlags, type WebhookConfig } from '../../src/webhook/webhook-flags.ts';
import { createWebhookServer } from '../../src/webhook/webhook-server.ts';
import { createEventSink } from '../events/event-sink.ts';
import { until } from '../until.ts';
import { call, callAhead, responseIn, review } from './call.ts';

// A busy machine takes its time.
jest.setTimeout(30_000);

let authority: CertificateAuthority;
let first: ServingCertificate;
let second: ServingCertificate;
beforeAll(async () => {
  authority = await createAuthority('test', new Date());
  first = await issueCertificate(['127.0.0.1', 'hook.shop.svc'], authority, new Date());
  second = await issueCertificate(['127.0.0.1'], authority, new Date());
});

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) {
    await close();
  }
});

function configOf(argv: readonly string[]): WebhookConfig {
  const line = parseCommandLine(
    { name: 'app', version: '1', description: '', flags: webhookFlags('app') },
    argv,
    {},
  );
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  return line.values;
}

/** A folder such as the kubelet mounts: the files are links through `..data`, which is swapped. */
async function mountedSecret(pair: ServingCertificate): Promise<{
  readonly folder: string;
  swap(pair: ServingCertificate): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-webhook-'));
  closers.push(() => rm(folder, { recursive: true }));
  let version = 0;
  const swap = async ({ certificate, key }: ServingCertificate): Promise<void> => {
    version += 1;
    const data = `..version-${String(version)}`;
    await mkdir(join(folder, data));
    await writeFile(join(folder, data, 'tls.crt'), certificate);
    await writeFile(join(folder, data, 'tls.key'), key);
    await symlink(data, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  await swap(pair);
  await symlink('..data/tls.crt', join(folder, 'tls.crt'));
  await symlink('..data/tls.key', join(folder, 'tls.key'));
  return { folder, swap };
}

interface Served {
  readonly address: string;
  readonly clock: FakeClock;
  readonly registry: Registry;
  readonly swap: (pair: ServingCertificate) => Promise<void>;
  /** What was logged. */
  readonly lines: readonly string[];
}

async function serve(
  handler: AdmissionHandler,
  argv: readonly string[] = [],
  limits?: CallerLimits,
): Promise<Served> {
  const { folder, swap } = await mountedSecret(first);
  const clock = createFakeClock();
  const registry = new Registry();
  const lines: string[] = [];
  const webhooks = createWebhookServer({
    config: configOf(['--webhook-bind-address=127.0.0.1:0', `--webhook-cert-dir=${folder}`, ...argv]),
    client: createEventSink().client,
    logger: pino({ base: null }, { write: (line: string) => lines.push(line) }),
    registry,
    routes: { '/hook': handler, '/by-itself': () => ({ kind: 'allowed' }) },
    configurations: [],
    clock,
    ...(limits === undefined ? {} : { limits }),
  });
  const server = await webhooks.start();
  const stop = new AbortController();
  const running = webhooks.run(stop.signal);
  closers.push(async () => {
    stop.abort(new Error('end of the test'));
    await Promise.all([running, server?.close()]);
  });
  expect(webhooks.isReady()).toBe(true);
  return { address: server?.address ?? '', clock, registry, swap, lines };
}

describe('answers', () => {
  test.each([
    ['allowed', { kind: 'allowed' }, { uid: 'uid-of-request', allowed: true, status: { code: 200 } }],
    [
      'allowed with a warning',
      { kind: 'allowed', warnings: ['soon no more'] },
      { uid: 'uid-of-request', allowed: true, status: { code: 200 }, warnings: ['soon no more'] },
    ],
    [
      'denied',
      { kind: 'denied', message: 'in use' },
      {
        uid: 'uid-of-request',
        allowed: false,
        status: { code: 403, reason: 'Forbidden', message: 'in use' },
      },
    ],
    [
      'denied with a code of its own',
      { kind: 'denied', message: 'later', code: 409, reason: 'Conflict' },
      { uid: 'uid-of-request', allowed: false, status: { code: 409, reason: 'Conflict', message: 'later' } },
    ],
    [
      'patch of nothing',
      { kind: 'patch', patch: [] },
      { uid: 'uid-of-request', allowed: true, status: { code: 200 } },
    ],
  ] as const)('%s -> its review', async (_case, answer, expected) => {
    const { address } = await serve(() => answer);
    expect(responseIn(await call(address, '/hook', review(), { ca: authority.certificate }))).toEqual(
      expected,
    );
  });

  test('patch -> JSON Patch in base64', async () => {
    const patch = [{ op: 'add', path: '/metadata/labels', value: { ä: '€' } }] as const;
    const { address } = await serve(() => ({ kind: 'patch', patch }));
    const response = responseIn(await call(address, '/hook?timeout=10s', review()));
    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString())).toEqual(patch);
  });

  test('patch tests a value with < and & -> written as Go writes it, which the API server compares', async () => {
    const patch = [{ op: 'test', path: '/metadata/annotations/a', value: '<R&D>' }] as const;
    const { address } = await serve(() => ({ kind: 'patch', patch }));
    const response = responseIn(await call(address, '/hook', review()));
    const sent = Buffer.from(response.patch ?? '', 'base64').toString();
    expect(sent).toContain('"\\u003cR\\u0026D\\u003e"');
    expect(JSON.parse(sent)).toEqual(patch);
  });

  test('handler -> is given the request as it came', async () => {
    let asked: unknown;
    const { address } = await serve((request) => {
      asked = request;
      return { kind: 'allowed' };
    });
    await call(address, '/hook', review({ operation: 'DELETE', object: null, oldObject: { metadata: {} } }));
    expect(asked).toMatchObject({
      operation: 'DELETE',
      namespace: 'shop',
      object: null,
      oldObject: { metadata: {} },
      userInfo: { username: 'jane' },
    });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])(
    'handler %s -> HTTP status 500, so that failurePolicy decides, and the next call is answered',
    async (_case, broken: AdmissionHandler) => {
      let times = 0;
      const { address } = await serve((request, signal) =>
        times++ === 0 ? broken(request, signal) : { kind: 'allowed' },
      );
      expect(await call(address, '/hook', review())).toMatchObject({ status: 500, body: 'broken\n' });
      expect(responseIn(await call(address, '/hook', review())).allowed).toBe(true);
    },
  );

  test('API server hangs up -> the handler is aborted, and the server goes on', async () => {
    const aborted = Promise.withResolvers<unknown>();
    let times = 0;
    const { address } = await serve((_request, signal) => {
      if (times++ > 0) {
        return { kind: 'allowed' };
      }
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve(signal.reason);
          reject(signal.reason as Error);
        });
        hangUp.abort();
      });
    });
    const hangUp = new AbortController();
    const { request } = await import('node:https');
    const sent = request(`https://${address}/hook`, {
      method: 'POST',
      agent: false,
      rejectUnauthorized: false,
      signal: hangUp.signal,
      headers: { 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.end(review());
    expect(String(await aborted.promise)).toContain('no longer waits');
    expect(responseIn(await call(address, '/hook', review())).allowed).toBe(true);
  });
});

describe('H11: callers that are no API server', () => {
  interface Stalled {
    /** Resolves when the connection is gone. */
    readonly ended: Promise<void>;
    hangUp(): void;
  }

  /** Sends the head and half of a body, and no more. */
  async function stall(address: string, bytes: number): Promise<Stalled> {
    const { request } = await import('node:https');
    const sent = request(`https://${address}/hook`, {
      method: 'POST',
      agent: false,
      rejectUnauthorized: false,
      headers: { 'content-type': 'application/json', 'content-length': String(bytes * 2) },
    });
    const ended = new Promise<void>((resolve) => {
      sent.on('error', () => undefined);
      sent.on('close', resolve);
    });
    await new Promise<void>((resolve) => sent.write(Buffer.alloc(bytes, ' '), () => resolve()));
    return { ended, hangUp: () => sent.destroy() };
  }

  test.each([
    { what: 'more than 64 MiB of bodies that stall', held: 0, count: 24, bytes: 3 * 1024 * 1024, least: 3 },
    { what: 'more than 256 reviews, of which 24 stall', held: 236, count: 24, bytes: 1, least: 4 },
  ])('$what -> the first of them are cut off, and another review is answered', async (given) => {
    const release = Promise.withResolvers<undefined>();
    let held = 0;
    const { address } = await serve(async ({ name }) => {
      if (name === 'held') {
        held += 1;
        await release.promise;
      }
      return { kind: 'allowed' };
    });
    const answers = given.held === 0 ? [] : callAhead(address, '/hook', review({ name: 'held' }), given.held);
    await until('all are held', () => held === given.held);
    let cutOff = 0;
    const stalled: Stalled[] = [];
    for (let n = 0; n < given.count; n++) {
      const one = await stall(address, given.bytes);
      void one.ended.then(() => (cutOff += 1));
      stalled.push(one);
    }
    await until('some are cut off', () => cutOff >= given.least);
    const big = review({ object: 'x'.repeat(6 * 1024 * 1024) });
    expect((await call(address, '/hook', big)).status).toBe(200);
    expect(cutOff).toBeLessThan(given.count / 2);
    stalled.forEach(({ hangUp }) => hangUp());
    release.resolve(undefined);
    expect(await answers).toEqual(Array.from({ length: given.held }, () => 200));
  });

  test('257 reviews of a webhook at once -> the last gets 503, one of another webhook is answered', async () => {
    const held = Promise.withResolvers<undefined>();
    let asked = 0;
    const { address } = await serve(async () => {
      asked += 1;
      await held.promise;
      return { kind: 'allowed' };
    });
    const calls = callAhead(address, '/hook', review(), 256);
    await until('all are under way', () => asked === 256);
    expect(await call(address, '/hook', review())).toMatchObject({
      status: 503,
      body: 'too many reviews at once\n',
    });
    expect((await call(address, '/by-itself', review())).status).toBe(200);
    held.resolve(undefined);
    expect(await calls).toEqual(Array.from({ length: 256 }, () => 200));
    expect((await call(address, '/hook', review())).status).toBe(200);
  });
});

describe('H13: callers that hold their connections', () => {
  test('all there may be ask again and again and read no answer -> they lose them, and another is answered', async () => {
    const limits = { patience: 2_000, idle: 300, connections: 3 };
    // More than fits into the buffers of a connection.
    const message = 'x'.repeat(6 * 1024 * 1024);
    const { address } = await serve(() => ({ kind: 'denied', message }), [], limits);
    const body = review();
    const asking = `POST /hook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
    const sockets = Array.from({ length: limits.connections }, () =>
      connect({ port: Number(address.split(':')[1]), rejectUnauthorized: false }),
    );
    closers.push(() => {
      sockets.forEach((socket) => socket.destroy());
      return Promise.resolve();
    });
    await Promise.all(
      sockets.map(async (socket) => {
        socket.on('error', () => undefined);
        await once(socket, 'secureConnect');
        socket.pause().write(asking.repeat(3));
      }),
    );
    await expectEventually(async () => {
      const answer = await call(address, '/hook', body).catch(() => undefined);
      return answer?.status === 200;
    });
  });
});

describe('--webhook-client-ca', () => {
  test('caller shows a certificate of that authority -> answered; another, or none -> no handshake', async () => {
    const { folder } = await mountedSecret(first);
    const ca = join(folder, 'clients.crt');
    await writeFile(ca, authority.certificate);
    const { address } = await serve(() => ({ kind: 'allowed' }), [`--webhook-client-ca=${ca}`]);
    const stranger = await createAuthority('stranger', new Date());
    expect((await call(address, '/hook', review(), { client: authority })).status).toBe(200);
    await expect(call(address, '/hook', review(), { client: stranger })).rejects.toThrow();
    await expect(call(address, '/hook', review())).rejects.toThrow();
  });

  test('authority is rotated -> its callers are answered after ten seconds; file is empty -> as before', async () => {
    const { folder } = await mountedSecret(first);
    const ca = join(folder, 'clients.crt');
    await writeFile(ca, authority.certificate);
    const { address, clock, lines } = await serve(() => ({ kind: 'allowed' }), [`--webhook-client-ca=${ca}`]);
    const rotated = await createAuthority('rotated', new Date());
    const isAnswered = (client: CertificateAuthority): Promise<boolean> =>
      call(address, '/hook', review(), { client }).then(
        ({ status }) => status === 200,
        () => false,
      );
    expect(await isAnswered(rotated)).toBe(false);
    await writeFile(ca, rotated.certificate);
    await expectEventually(async () => {
      await clock.advance(10_000);
      return isAnswered(rotated);
    });
    expect(await isAnswered(authority)).toBe(false);
    await writeFile(ca, '');
    await expectEventually(async () => {
      await clock.advance(10_000);
      return Promise.resolve(lines.join('').includes('Client authorities cannot be loaded'));
    });
    expect([await isAnswered(rotated), await isAnswered(authority)]).toEqual([true, false]);
  });

  test('one of its certificates is cut off, as in a file that is being written -> UsageError, not the others alone', async () => {
    const { folder } = await mountedSecret(first);
    const ca = join(folder, 'clients.crt');
    const { certificate } = authority;
    await writeFile(ca, `clients:\n${certificate}\n${certificate.slice(0, certificate.length / 2)}`);
    await expect(serve(() => ({ kind: 'allowed' }), [`--webhook-client-ca=${ca}`])).rejects.toThrow(
      UsageError,
    );
    await writeFile(ca, `clients:\n${certificate}\nmore:\n${certificate}\nend\n`);
    await expect(serve(() => ({ kind: 'allowed' }), [`--webhook-client-ca=${ca}`])).resolves.toBeDefined();
  });

  test('file that is none -> UsageError that names it', async () => {
    await expect(serve(() => ({ kind: 'allowed' }), ['--webhook-client-ca=/nowhere'])).rejects.toThrow(
      /--webhook-client-ca: \/nowhere can't be used: .*; name a file of PEM certificates/,
    );
  });
});

describe('bad requests', () => {
  test.each([
    ['no body', '', {}, 400, /empty/],
    ['no JSON', '{', {}, 400, /JSON/],
    ['other content type', review(), { contentType: 'text/plain' }, 400, /contentType=text\/plain/],
    ['other kind', JSON.stringify({ apiVersion: 'v1', kind: 'Pod' }), {}, 400, /AdmissionReview/],
    [
      'no request',
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }),
      {},
      400,
      /request/,
    ],
    ['no kind', review({ kind: undefined }), {}, 400, /kind/],
    ['more than 7 MiB', review({ object: 'x'.repeat(7 * 1024 * 1024) }), {}, 413, /too large/],
  ])(
    '%s -> a review that says so; the handler is not called',
    async (_case, body, options, code, message) => {
      let called = false;
      const { address } = await serve(() => {
        called = true;
        return { kind: 'allowed' };
      });
      const response = responseIn(await call(address, '/hook', body, options));
      expect(response).toMatchObject({ allowed: false, status: { code } });
      expect(response.status?.message).toMatch(message);
      expect(called).toBe(false);
    },
  );

  test.each([
    { what: 'can not be read', body: '{', message: 'Admission request cannot be read' },
    { what: 'the handler fails for', body: review(), message: 'Webhook failed' },
  ])(
    'more than a hundred that $what -> a hundred lines, and one more each second',
    async ({ body, message }) => {
      const { address, clock, lines } = await serve(() => {
        throw new Error('no');
      });
      const logged = (): number => lines.filter((line) => line.includes(message)).length;
      await callAhead(address, '/hook', body, 120);
      expect(logged()).toBe(100);
      await clock.advance(1_000);
      await callAhead(address, '/hook', body, 2);
      expect(logged()).toBe(101);
    },
  );

  test('6 MiB -> taken', async () => {
    const { address } = await serve(() => ({ kind: 'allowed' }));
    const body = review({ object: 'x'.repeat(6 * 1024 * 1024) });
    expect(responseIn(await call(address, '/hook', body)).allowed).toBe(true);
  });

  test('other path -> 404', async () => {
    const { address } = await serve(() => ({ kind: 'allowed' }));
    expect((await call(address, '/other', review())).status).toBe(404);
  });
});

describe('certificate', () => {
  test('host that the certificate is for -> trusted; another -> not', async () => {
    const { address } = await serve(() => ({ kind: 'allowed' }));
    const ca = authority.certificate;
    expect((await call(address, '/hook', review(), { ca, servername: 'hook.shop.svc' })).status).toBe(200);
    await expect(call(address, '/hook', review(), { ca, servername: 'other.shop.svc' })).rejects.toThrow(
      /altnames/,
    );
  });

  test('mounted Secret is swapped -> the new certificate after ten seconds', async () => {
    const { address, clock, swap } = await serve(() => ({ kind: 'allowed' }));
    const shown = async (): Promise<string> => (await call(address, '/hook', review())).certificate.trim();
    expect(await shown()).toBe(first.certificate.trim());
    await swap(second);
    await expectEventually(async () => {
      await clock.advance(10_000);
      return (await shown()) === second.certificate.trim();
    });
  });

  test('half a new pair -> the old one is kept, until the other half comes', async () => {
    const { address, clock, swap } = await serve(() => ({ kind: 'allowed' }));
    const shown = async (): Promise<string> => (await call(address, '/hook', review())).certificate.trim();
    await swap({ certificate: second.certificate, key: first.key });
    await clock.advance(10_000);
    await filesRead();
    expect(await shown()).toBe(first.certificate.trim());
    await swap(second);
    await expectEventually(async () => {
      await clock.advance(10_000);
      return (await shown()) === second.certificate.trim();
    });
  });

  test.each([
    ['nothing there', {}, /ENOENT/],
    ['another key', { 'tls.crt': 'first', 'tls.key': 'second' }, /no usable pair/],
  ])('%s at start -> UsageError that names flag and folder', async (_case, files, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-webhook-'));
    closers.push(() => rm(folder, { recursive: true }));
    const pairs = { first, second };
    for (const [name, pair] of Object.entries(files) as ['tls.crt' | 'tls.key', 'first' | 'second'][]) {
      const { certificate, key } = pairs[pair];
      await writeFile(join(folder, name), name === 'tls.crt' ? certificate : key);
    }
    const webhooks = createWebhookServer({
      config: configOf(['--webhook-bind-address=127.0.0.1:0', `--webhook-cert-dir=${folder}`]),
      client: createEventSink().client,
      logger: pino({ level: 'silent' }),
      registry: new Registry(),
      routes: {},
      configurations: [],
    });
    const failure = webhooks.start();
    await expect(failure).rejects.toThrow(UsageError);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toThrow(`--webhook-cert-dir: ${folder}`);
  });
});

test.each([
  ['the default', [], []],
  [
    'its other flags given',
    ['--webhook-self-signed', '--webhook-client-ca=/ca.pem'],
    ['webhook-self-signed', 'webhook-client-ca'],
  ],
  ['a folder given', ['--webhook-bind-address=0', '--webhook-cert-dir=/certs'], ['webhook-cert-dir']],
])(
  'turned off, %s -> nothing listens, it is ready, and flags without effect are named',
  async (_, argv, named) => {
    const lines: string[] = [];
    const webhooks = createWebhookServer({
      config: configOf(argv),
      client: createEventSink().client,
      logger: pino({ base: null }, { write: (line: string) => lines.push(line) }),
      registry: new Registry(),
      routes: { '/hook': () => ({ kind: 'allowed' }) },
      configurations: [],
    });
    expect(await webhooks.start()).toBeUndefined();
    expect(webhooks.isReady()).toBe(true);
    await webhooks.run(AbortSignal.abort());
    const warned = lines.map((line) => JSON.parse(line) as { readonly flags?: readonly string[] });
    expect(warned.flatMap(({ flags = [] }) => flags)).toEqual(named);
  },
);

test('close while a request is under way -> it is answered first', async () => {
  const begun = Promise.withResolvers<undefined>();
  const finish = Promise.withResolvers<undefined>();
  const { address } = await serve(async () => {
    begun.resolve(undefined);
    await finish.promise;
    return { kind: 'allowed' };
  });
  const answer = call(address, '/hook', review());
  await begun.promise;
  const closing = closers.pop()?.();
  finish.resolve(undefined);
  expect(responseIn(await answer).allowed).toBe(true);
  await closing;
  await expect(call(address, '/hook', review())).rejects.toThrow(/ECONNREFUSED/);
});

test('metrics -> requests by code, latency, none in flight', async () => {
  const { address, registry } = await serve(() => ({ kind: 'allowed' }));
  await call(address, '/hook', review());
  await call(address, '/hook', review());
  await expectEventually(async () => {
    const text = await registry.metrics();
    return [
      'controller_runtime_webhook_requests_total{webhook="/hook",code="200"} 2',
      'controller_runtime_webhook_requests_total{webhook="/hook",code="500"} 0',
      'controller_runtime_webhook_requests_in_flight{webhook="/hook"} 0',
      'controller_runtime_webhook_latency_seconds_count{webhook="/hook"} 2',
    ].every((line) => text.includes(line));
  });
});

async function expectEventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`not within 20 s: ${holds.toString()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Time enough for two small files to be read, by reading them as often. */
async function filesRead(): Promise<void> {
  for (let times = 0; times < 20; times++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
