import { connect } from 'node:tls';
import { boundedFields, createApiClient, createClientMetrics, serializeError } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createProtectionWebhooks } from '../apps.ts';
import { deviate, type Deviation } from '../deviation.ts';
import { deviationsOf } from '../deviations-of.ts';
import { isUnset, objectIn, type Mutable } from '../json.ts';
import { createOddServer } from '../odd-server.ts';
import type { Schema, Schemas } from '../openapi.ts';
import type { Target } from '../target.ts';
import { metadata } from '../worlds/world.ts';

const requests = ['claim', 'pod', 'binding'] as const;

/** A call of a webhook, by a caller that need not be an API server. */
interface Input {
  /** The kind of review in the body. */
  readonly review: (typeof requests)[number];
  readonly deviations: readonly Deviation[];
  /** A body to send in place of a review. */
  readonly body: string | undefined;
  readonly path: string | undefined;
  readonly method: string;
  readonly contentType: string;
  /** The number of bytes in an additional header. */
  readonly header: number;
  /** Which part of the body is sent, and what Content-Length says. */
  readonly length: 'right' | 'cut' | 'none' | 'a text' | 'chunked';
  /** The deviations of the Secret with the certificate. */
  readonly secret: readonly Deviation[];
}

const mutate = '/mutate-v1-persistentvolumeclaim';
const guard = '/validate-v1-binding';
const limits = { answer: 64 * 1024, line: 64 * 1024, logged: 256 * 1024 } as const;
const secretLocation = 'secrets/ops/holdfast-pvc-protection-webhook';
const finalizer = 'kubernetes.io/pvc-protection';

/**
 * Calls of pvc-protection's webhooks, each on a new connection; the last one is as an API server would make
 * it.
 */
export function webhooks(schemas: Schemas): Target<Input> {
  /**
   * The Secret that the first server has created. It is reused, because creating it takes longer than
   * everything else.
   */
  let made: Mutable | undefined;
  const secretShape = {
    ...metadataOf('holdfast-pvc-protection-webhook', 'ops'),
    data: Object.fromEntries(
      ['ca.crt', 'ca.key', 'tls.crt', 'tls.key', 'ca-bundle.crt'].map((key) => [key, '']),
    ),
  };
  return {
    name: 'webhooks',
    input: fc.constantFrom(...requests).chain((review) =>
      fc.record({
        review: fc.constant(review),
        deviations: fc.oneof(
          { arbitrary: fc.constant([]), weight: 1 },
          { arbitrary: deviationsOf(reviewOf(review), schemaOf(review, schemas), schemas, 2), weight: 4 },
        ),
        body: rarely(
          fc.oneof(
            fc.constantFrom(
              '',
              'null',
              '[]',
              '{',
              '"a"',
              '['.repeat(100_000),
              '{"a":'.repeat(100_000),
              '\u0000',
              'x'.repeat(8 * 1024 * 1024),
            ),
            fc.json(),
          ),
        ),
        path: rarely(
          fc.constantFrom(
            '/',
            mutate,
            guard,
            `${guard}?timeout=10s`,
            `${guard}/`,
            '/%2e%2e',
            '/__proto__',
            '/constructor',
            `/${'x'.repeat(10_000)}`,
          ),
        ),
        method: often('POST', fc.constantFrom('GET', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'BREW', '')),
        contentType: often(
          'application/json',
          fc.constantFrom(
            '',
            'text/html',
            'application/json; charset=utf-8',
            'x'.repeat(10_000),
            'application/vnd.kubernetes.protobuf',
            '\u001b[31m',
          ),
        ),
        header: often(0, fc.constantFrom(1, 4_000, 100_000)),
        length: often<Input['length']>('right', fc.constantFrom('cut', 'none', 'a text', 'chunked')),
        secret: often<readonly Deviation[]>([], deviationsOf(secretShape, secretSchema, schemas, 2), 9),
      }),
    ),
    play: async (input) => {
      const wrongs = new Set<string>();
      const server = createOddServer(() => undefined);
      const clock = createFakeClock(1_000);
      server.put('persistentvolumeclaims/shop/going', {
        metadata: metadata(
          'going',
          { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] },
          'shop',
        ),
        spec: { volumeName: 'pv' },
      });
      server.put('pods/shop/web-0', pod('web-0', {}));
      server.put(secretLocation, deviate(made ?? secretShape, input.secret));
      let logged = 0;
      const logger = pino(
        {
          base: null,
          level: 'info',
          serializers: { err: serializeError },
          formatters: { log: boundedFields },
        },
        {
          write: (line: string) => {
            logged += line.length;
            if (line.length > limits.line) {
              wrongs.add(`a line of ${String(line.length)} characters was logged: ${line.slice(0, 200)}`);
            }
          },
        },
      );
      const registry = new Registry();
      const client = createApiClient({
        transport: server.transport,
        credentials: {
          fresh: () => ({ headers: {}, tls: {} }),
          get: () => Promise.reject(new Error('they are always fresh')),
          renew: () => undefined,
        },
        metrics: createClientMetrics(registry, 'odd'),
        clock,
        userAgent: 'fuzz',
      });
      const served = createProtectionWebhooks({ client, logger, registry, clock });
      const died = (error: unknown): void =>
        void wrongs.add(`the process would have ended: ${String(error)}`);
      process.on('unhandledRejection', died);
      process.on('uncaughtException', died);
      const stop = new AbortController();
      const listening = await served.start();
      const running = served.run(stop.signal);
      try {
        for (let tries = 0; tries < 400 && !served.isReady(); tries++) {
          await clock.advance(250);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        if (served.isReady()) {
          if (input.secret.length === 0) {
            made ??= server.objects.get(secretLocation);
          }
          const { port } = new URL(`https://${listening?.address ?? ''}`);
          wrong(wrongs, await call(Number(port), input), input, server.objects.get('pods/shop/web-0'));
          const asked: Input = { ...input, ...usual, review: 'claim', deviations: [] };
          wrong(wrongs, await call(Number(port), asked), asked, undefined);
        } else if (input.secret.length === 0) {
          wrongs.add('it does not serve');
        }
      } finally {
        stop.abort(new Error('the world ends'));
        await Promise.all([running, listening?.close()]);
        process.off('unhandledRejection', died);
        process.off('uncaughtException', died);
      }
      if (logged > limits.logged) {
        wrongs.add(`${String(logged)} characters were logged`);
      }
      if (wrongs.size > 0) {
        throw new Error([...wrongs].join('\n'));
      }
    },
  };
}

const usual = {
  body: undefined,
  path: undefined,
  method: 'POST',
  contentType: 'application/json',
  header: 0,
  length: 'right',
  secret: [],
} as const;

function often<T>(value: T, others: fc.Arbitrary<T>, weight = 6): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: fc.constant(value), weight }, { arbitrary: others, weight: 1 });
}

function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return often<T | undefined>(undefined, value);
}

function metadataOf(name: string, namespace: string): Mutable {
  return { metadata: metadata(name, {}, namespace) };
}

/** A pod that uses the claim that is being deleted. */
function pod(name: string, more: Mutable): Mutable {
  return {
    ...metadataOf(name, 'shop'),
    spec: { ...more, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'going' } }] },
  };
}

function reviewOf(review: Input['review']): Mutable {
  const object = {
    claim: {
      metadata: { name: 'data', namespace: 'shop', finalizers: ['example.com/kept'] },
      spec: { accessModes: ['ReadWriteOnce'] },
    },
    pod: pod('web-1', { nodeName: 'node-1' }),
    binding: { metadata: { name: 'web-0', namespace: 'shop' }, target: { kind: 'Node', name: 'node-1' } },
  }[review];
  const kind = { claim: 'PersistentVolumeClaim', pod: 'Pod', binding: 'Binding' }[review];
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'uid-of-request',
      kind: { group: '', version: 'v1', kind },
      resource: {
        group: '',
        version: 'v1',
        resource: review === 'claim' ? 'persistentvolumeclaims' : 'pods',
      },
      ...(review === 'binding' ? { subResource: 'binding' } : {}),
      name: { claim: 'data', pod: 'web-1', binding: 'web-0' }[review],
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'jane', groups: ['users'] },
      object,
      oldObject: null,
      dryRun: false,
    },
  };
}

const text: Schema = { type: 'string' };
const secretSchema: Schema = {
  properties: { data: { type: 'object', additionalProperties: text }, type: text },
};

function schemaOf(review: Input['review'], schemas: Schemas): Schema {
  const object = {
    claim: () => schemas.named('io.k8s.api.core.v1.PersistentVolumeClaim'),
    pod: () => schemas.named('io.k8s.api.core.v1.Pod'),
    // The server publishes no schema for it.
    binding: (): Schema => ({ properties: { metadata: { properties: { name: text, namespace: text } } } }),
  }[review]();
  return {
    type: 'object',
    properties: {
      apiVersion: text,
      kind: text,
      request: {
        type: 'object',
        properties: {
          ...Object.fromEntries(
            ['uid', 'name', 'namespace', 'operation', 'subResource', 'requestSubResource'].map((each) => [
              each,
              text,
            ]),
          ),
          dryRun: { type: 'boolean' },
          object,
        },
      },
    },
  };
}

function bodyOf({ review, deviations, body }: Input): string {
  return body ?? JSON.stringify(deviate(reviewOf(review), deviations));
}

/** Returns everything that the server sends until it, or the caller, closes the connection. */
function call(port: number, input: Input): Promise<string> {
  const { review, path = review === 'claim' ? mutate : guard, method, contentType, header, length } = input;
  const body = Buffer.from(bodyOf(input));
  const lengths = {
    right: `content-length: ${String(body.length)}`,
    cut: `content-length: ${String(body.length + 1)}`,
    none: 'x-none: 0',
    'a text': 'content-length: many',
    chunked: 'transfer-encoding: chunked',
  };
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    `content-type: ${contentType}`,
    ...(header === 0 ? [] : [`x-odd: ${'x'.repeat(header)}`]),
    lengths[length],
    '',
    '',
  ].join('\r\n');
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      socket.write(head);
      socket.end(body);
    });
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    // The server may close the connection in the middle of a request that it refuses.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

/** Judges an answer by the bytes of request and answer. */
function wrong(wrongs: Set<string>, answer: string, input: Input, bound: unknown): void {
  const isHttp =
    input.length === 'right' &&
    /^(POST|PUT|GET|DELETE|OPTIONS)$/.test(input.method) &&
    input.header < 8_000 &&
    input.contentType.length < 8_000 &&
    !input.contentType.includes('\u001b') &&
    (input.path ?? '').length < 8_000;
  const isReview =
    input.method === 'POST' && (input.path === undefined || input.path === mutate || input.path === guard);
  const [, code] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  if (code === undefined) {
    // If a request is refused before its body is read, the connection may be reset, and the answer is lost
    // with it.
    if (isHttp && isReview && bodyOf(input).length < 1_000_000) {
      wrongs.add(`no answer: ${JSON.stringify(answer.slice(0, 100))}`);
    }
    return;
  }
  const asked = parsed(bodyOf(input));
  const request = objectIn(objectIn(asked)?.['request']);
  const { uid } = request ?? {};
  if (
    answer.length > limits.answer &&
    !(typeof uid === 'string' && uid.length > 10_000) &&
    !isLong(request)
  ) {
    wrongs.add(`an answer of ${String(answer.length)} characters`);
  }
  const isWebhook = [undefined, mutate, guard].includes(input.path?.split('?')[0]);
  if (code !== '200' || !isWebhook) {
    if (isHttp && input.deviations.length === 0 && isWebhook && usualIn(input)) {
      wrongs.add(`${code} for what an API server asks: ${answer.slice(0, 300)}`);
    }
    return;
  }
  const review = objectIn(parsed(bodyIn(answer)));
  const response = objectIn(review?.['response']);
  if (review?.['kind'] !== 'AdmissionReview' || typeof response?.['allowed'] !== 'boolean') {
    wrongs.add(`200 without a review: ${answer.slice(0, 300)}`);
    return;
  }
  if (response['allowed'] && response['uid'] !== uid) {
    wrongs.add('allowed what was not asked for');
  }
  const path = (input.path ?? (input.review === 'claim' ? mutate : guard)).split('?')[0];
  if (response['allowed'] && path === guard && bindsToGoing(request, bound)) {
    wrongs.add('a pod was let onto a node whose claim is being deleted');
  }
  if (response['allowed'] && path === mutate) {
    const why = wrongPatch(request, response);
    if (why !== undefined) {
      wrongs.add(why);
    }
  }
}

function usualIn({ body, method, contentType, header }: Input): boolean {
  return body === undefined && method === 'POST' && contentType === 'application/json' && header === 0;
}

/** The claim has more finalizers than fit into the limit for an answer. */
function isLong(request: Readonly<Record<string, unknown>> | undefined): boolean {
  return JSON.stringify(request ?? {}).length > 30_000;
}

/** Whether the request, read literally, assigns a node to a pod that uses the claim that is being deleted. */
function bindsToGoing(request: Readonly<Record<string, unknown>> | undefined, bound: unknown): boolean {
  if (request?.['namespace'] !== 'shop' || objectIn(request['resource'])?.['resource'] !== 'pods') {
    return false;
  }
  const object = objectIn(request['object']);
  const isBinding = request['subResource'] === 'binding' && request['name'] === 'web-0';
  const nodeName = objectIn(object?.['spec'])?.['nodeName'];
  const isPod = isUnset(request['subResource']) && typeof nodeName === 'string' && nodeName !== '';
  const spec = objectIn(objectIn(isBinding ? bound : isPod ? object : undefined)?.['spec']);
  const volumes: readonly unknown[] = Array.isArray(spec?.['volumes']) ? spec['volumes'] : [];
  return volumes.some(
    (each) => objectIn(objectIn(each)?.['persistentVolumeClaim'])?.['claimName'] === 'going',
  );
}

/** Returns what is wrong with the patch of a claim that is created; undefined if nothing is. */
function wrongPatch(
  request: Readonly<Record<string, unknown>> | undefined,
  { patch }: Readonly<Record<string, unknown>>,
): string | undefined {
  const held = objectIn(objectIn(request?.['object'])?.['metadata'])?.['finalizers'];
  const present: readonly unknown[] = Array.isArray(held) ? held : [];
  if (patch === undefined) {
    const isCreated =
      request?.['operation'] === 'CREATE' &&
      objectIn(objectIn(request['object'])?.['metadata']) !== undefined;
    return isCreated && (Array.isArray(held) || isUnset(held)) && !present.includes(finalizer)
      ? 'a claim was created without the finalizer'
      : undefined;
  }
  const operations = parsed(Buffer.from(typeof patch === 'string' ? patch : '', 'base64').toString());
  const [operation, ...more] = (Array.isArray(operations) ? operations : []) as unknown[];
  const { op, path, value } = objectIn(operation) ?? {};
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const isRight =
    more.length === 0 &&
    op === 'add' &&
    path === '/metadata/finalizers' &&
    (Array.isArray(held) || isUnset(held)) &&
    JSON.stringify(list) === JSON.stringify([...present, finalizer]);
  return isRight
    ? undefined
    : `a patch that changes something else: ${JSON.stringify(operations).slice(0, 200)}`;
}

function bodyIn(answer: string): string {
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (!/^transfer-encoding: chunked$/im.test(head)) {
    return body;
  }
  let whole = '';
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n', at);
    const size = parseInt(bytes.toString('latin1', at, end), 16);
    if (end < 0 || !(size > 0)) {
      break;
    }
    whole += bytes.toString('utf8', end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return whole;
}

/** Undefined if it is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
