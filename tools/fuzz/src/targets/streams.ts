import { pods, objectKey } from '@holdfast/core';
import {
  createApiClient,
  createClientMetrics,
  createInformer,
  createInformerMetrics,
  createProjection,
  serializeError,
} from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { serveBytes, type Answer } from '../bytes-server.ts';
import type { Target } from '../target.ts';
import { field, wireForms, type Named, type WireForm } from '../wire-forms.ts';

/**
 * What happens to bytes on their way. Each kind of damage can be detected by the client; only TLS can prevent
 * others.
 */
type Damage =
  /** Other bytes replace all of them. */
  | { readonly kind: 'replaced'; readonly hex: string }
  /** Only this many bytes arrive. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** After this many events comes a frame or line that the server did not write. */
  | { readonly kind: 'inserted'; readonly after: number; readonly hex: string }
  | { readonly kind: 'repeated'; readonly event: number }
  | { readonly kind: 'backwards' }
  | { readonly kind: 'typed'; readonly contentType: string }
  | { readonly kind: 'status'; readonly code: number; readonly hex: string };

interface StreamInput {
  readonly form: keyof typeof wireForms;
  /** The damage to the first lists, one after the other; later ones arrive complete. */
  readonly lists: readonly Damage[];
  /** The same for streamed lists. Undefined if the server does not support them. */
  readonly streamed?: readonly Damage[];
  /** The same for watches. */
  readonly watches: readonly Damage[];
  /** The size of a chunk, in bytes. */
  readonly chunk: number;
}

const pod = (name: string, version: number, node = 'node-1'): Named => ({
  name,
  uid: `uid-${name}`,
  version: String(version),
  node,
});

/** The objects at the beginning, and the changes since then. */
const first: readonly Named[] = [pod('a', 8), pod('b', 9), pod('c', 10)];
const history: readonly { readonly type: string; readonly object: Named }[] = [
  { type: 'ADDED', object: pod('d', 11) },
  { type: 'MODIFIED', object: pod('b', 12, 'node-2') },
  { type: 'DELETED', object: pod('c', 13) },
  { type: 'MODIFIED', object: pod('d', 14, 'node-3') },
];
const newest = 14;
const truth = ['shop/a node-1', 'shop/b node-2', 'shop/d node-3'];

/** Lines that are no events, or odd ones. None of them names an existing object. */
const lines: readonly string[] = [
  'null',
  '{}',
  '[]',
  '7',
  '"ADDED"',
  '{"type":"ADDED"}',
  '{"type":"ADDED","object":null}',
  '{"type":"ADDED","object":[]}',
  '{"type":"ADDED","object":{"metadata":{}}}',
  '{"type":"ADDED","object":{"metadata":{"name":7}}}',
  '{"type":"DELETED","object":{"metadata":{"name":"odd","resourceVersion":7}}}',
  '{"type":"DELETED","object":{"metadata":{"name":"odd","namespace":"shop","uid":"u","resourceVersion":"3"}}}',
  '{"type":"MODIFIED","object":{"metadata":{"name":"odd","namespace":"shop","uid":"u","resourceVersion":"11"},"spec":7}}',
  '{"type":"MODIFIED","object":{"metadata":{"name":"odd","namespace":"shop","uid":"u","resourceVersion":"odd"}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"odd"}}}',
  '{"type":"BOOKMARK"}',
  '{"type":"BOOKMARK","object":null}',
  '{"type":"BOOKMARK","object":{"metadata":{}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":""}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":99}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":{}}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"","annotations":{"k8s.io/initial-events-end":"true"}}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":14,"annotations":{"k8s.io/initial-events-end":"true"}}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10","annotations":{"k8s.io/initial-events-end":true}}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10","annotations":["k8s.io/initial-events-end"]}}}',
  '{"type":"ERROR"}',
  '{"type":"ERROR","object":null}',
  '{"type":"ERROR","object":"gone"}',
  '{"type":"ERROR","object":{"code":"410","reason":7,"message":{}}}',
  '{"type":"ERROR","object":{"code":410,"reason":"Expired"}}',
  '{"type":"ERROR","object":{"reason":"Expired","details":{"causes":"x"}}}',
  '{"type":"ERROR","object":{"code":1e400,"message":null,"details":[]}}',
  '{"type":"","object":{}}',
  '{"type":7,"object":{}}',
  '{"type":"CONSTRUCTOR","object":{}}',
  '{"type":"__proto__","object":{}}',
  '{"type":"ADDED","object":{"metadata":{"name":"odd"',
  '{"type":"ADDED","object":{}}{"type":"ADDED","object":{}}',
  '\ufeff{"type":"ADDED","object":{}}',
  '\u0000',
  '<html>502 Bad Gateway</html>',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
];

/** The same for protobuf, without the length in front. */
const frames: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from([0]),
  Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
  field(1, 'ADDED'),
  field(1, 'BOOKMARK'),
  field(1, 'ERROR'),
  field(1, 'odd'),
  Buffer.concat([field(1, 'ADDED'), field(2, '')]),
  Buffer.concat([field(1, 'ADDED'), field(2, field(1, 'k8s\0'))]),
  Buffer.concat([field(1, 'BOOKMARK'), field(2, field(1, 'k8s\0'))]),
  Buffer.concat([field(1, 'ERROR'), field(2, field(1, 'k8s\0'))]),
  Buffer.concat([field(1, 'DELETED'), field(2, field(1, 'json'))]),
  // A name as a number, and a number as a name.
  Buffer.concat([
    field(1, 'ADDED'),
    field(2, field(1, Buffer.concat([Buffer.from('k8s\0'), field(2, field(1, Buffer.from([0x08, 0x01])))]))),
  ]),
];

const bodies: readonly string[] = [
  '',
  'null',
  '7',
  '[]',
  '""',
  '{}',
  '{"items":[]}',
  '{"metadata":{},"items":[]}',
  '{"metadata":{"resourceVersion":""},"items":[]}',
  '{"metadata":{"resourceVersion":7},"items":[]}',
  '{"metadata":{"resourceVersion":"14"},"items":""}',
  '{"metadata":{"resourceVersion":"14"},"items":{}}',
  '{"metadata":{"resourceVersion":"14"},"items":{"length":0}}',
  '{"metadata":{"resourceVersion":"14"},"items":7}',
  '{"metadata":null,"items":null}',
  '{"kind":"Status","metadata":{},"status":"Success"}',
  '{"kind":"Status","metadata":{"resourceVersion":"14"},"status":"Success"}',
  '{"kind":"Table","metadata":{"resourceVersion":"14"},"rows":[]}',
  '{"kind":"PodList","metadata":{"resourceVersion":"14","continue":7},"items":[]}',
  '<html>200</html>',
  '\u001f\u008b\u0008\u0000',
];

const protobufBodies: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from('k8s\0'),
  Buffer.from('k8s\0\x12'),
  Buffer.concat([Buffer.from('k8s\0'), field(2, '')]),
  Buffer.concat([Buffer.from('k8s\0'), field(2, field(1, ''))]),
  Buffer.concat([Buffer.from('k8s\0'), field(2, Buffer.from([0x08, 0x01]))]),
  Buffer.from([0x1f, 0x8b, 8, 0]),
];

const hexOf = (values: readonly (string | Buffer)[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...values).map((value) => Buffer.from(value).toString('hex')),
    fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  );

function damages(form: keyof typeof wireForms, isWatch: boolean): fc.Arbitrary<Damage> {
  const inserts = form === 'json' ? lines : frames;
  const replaced = form === 'json' ? bodies : protobufBodies;
  const all: fc.Arbitrary<Damage>[] = [
    hexOf(replaced).map((hex) => ({ kind: 'replaced', hex })),
    fc.nat(400).map((bytes) => ({ kind: 'cut', bytes })),
    fc
      .constantFrom(
        '',
        'text/html',
        'application/json;stream=watch',
        'application/vnd.kubernetes.protobuf;stream=watch',
        'application/octet-stream',
        'APPLICATION/JSON',
      )
      .map((contentType) => ({ kind: 'typed', contentType })),
    fc
      .tuple(
        fc.constantFrom(201, 204, 301, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503),
        hexOf(replaced),
      )
      .map(([code, hex]) => ({ kind: 'status', code, hex })),
  ];
  return isWatch
    ? fc.oneof(
        ...all,
        fc.tuple(fc.nat(4), hexOf(inserts)).map(([after, hex]): Damage => ({ kind: 'inserted', after, hex })),
        fc.constantFrom(...inserts).map((each): Damage => ({
          kind: 'replaced',
          hex: wireForms[form].frame(Buffer.from(each)).toString('hex'),
        })),
        fc.nat(3).map((event): Damage => ({ kind: 'repeated', event })),
        fc.constant<Damage>({ kind: 'backwards' }),
      )
    : fc.oneof(...all);
}

const input: fc.Arbitrary<StreamInput> = fc
  .tuple(fc.constantFrom('json' as const, 'protobuf' as const), fc.boolean())
  .chain(([form, isStreamed]) =>
    fc.record({
      form: fc.constant(form),
      lists: fc.array(damages(form, false), { maxLength: 2 }),
      ...(isStreamed ? { streamed: fc.array(damages(form, true), { maxLength: 3 }) } : {}),
      watches: fc.array(damages(form, true), { maxLength: 3 }),
      chunk: fc.constantFrom(1, 7, 64, 65_536),
    }),
  );

const slimPod = createProjection(pods, { spec: { nodeName: true } });

/**
 * A cache that follows a server over a connection that damages the data. The server answers truthfully every
 * time, so the cache must be right in the end. It must never have reported an object as deleted that existed
 * all the time.
 */
export const streams: Target<StreamInput> = {
  name: 'streams',
  input,
  play: async ({ form: formName, lists, streamed, watches, chunk }) => {
    const form = wireForms[formName];
    const clock = createFakeClock();
    const wrongs: string[] = [];
    const [leftLists, leftStreamed, leftWatches] = [[...lists], [...(streamed ?? [])], [...watches]];
    let hasListed = false;
    let requests = 0;
    const serve = (path: string): Answer => {
      requests += 1;
      const { searchParams } = new URL(path, 'http://odd');
      const [version, items] = hasListed ? [newest, stateAt(newest)] : [10, first];
      if (searchParams.has('sendInitialEvents')) {
        if (streamed === undefined) {
          return refusal;
        }
        hasListed = true;
        const events = [
          ...items.map((object) => form.event('ADDED', object)),
          form.listEnd(String(version)),
          ...eventsSince(form, version),
        ];
        return streamAnswer(form, events, leftStreamed.shift(), chunk);
      }
      if (searchParams.has('watch')) {
        return watchAnswer(form, searchParams.get('resourceVersion'), leftWatches.shift(), chunk);
      }
      const damage = searchParams.get('limit') === '1' ? undefined : leftLists.shift();
      hasListed = true;
      return listAnswer(form, form.list(String(version), items), damage);
    };
    const registry = new Registry();
    let logged = 0;
    const informer = createInformer({
      client: createApiClient({
        transport: serveBytes(({ path }) => serve(path)),
        credentials: {
          fresh: () => ({ headers: {}, tls: {} }),
          get: () => Promise.resolve({ headers: {}, tls: {} }),
          renew: () => undefined,
        },
        metrics: createClientMetrics(registry, 'odd'),
        clock,
        userAgent: 'fuzz',
      }),
      resource: pods,
      projection: slimPod,
      clock,
      logger: pino(
        { base: null, serializers: { err: serializeError } },
        {
          write: (line: string) => {
            logged += line.length;
          },
        },
      ),
      metrics: createInformerMetrics(registry),
    });
    informer.addHandler({
      deleted: (last) => {
        const key = objectKey(last);
        if (!['shop/c', 'shop/odd', 'odd'].includes(key)) {
          wrongs.push(`${key} was taken for deleted`);
        }
      },
    });
    const stop = new AbortController();
    const died = (error: unknown): void => void wrongs.push(`the process would have ended: ${String(error)}`);
    process.on('unhandledRejection', died);
    process.on('uncaughtException', died);
    const running = informer.run(stop.signal);
    // Longer than all back-offs for the most failures in a row that are possible.
    for (let minute = 0; minute < 8; minute++) {
      await clock.advance(60_000);
    }
    stop.abort(new Error('the server ends'));
    await clock.advance(60_000);
    await running;
    process.off('unhandledRejection', died);
    process.off('uncaughtException', died);
    const has = [...informer.store.values()]
      .map((object) => `${objectKey(object)} ${String(object.spec?.nodeName)}`)
      .filter((each) => !/^(shop\/)?odd /.test(each))
      .toSorted();
    if (has.join() !== truth.join()) {
      wrongs.push(`the cache has ${has.join(', ') || 'nothing'} in the end`);
    }
    if (requests > 200 || logged > 256 * 1024) {
      wrongs.push(`${String(requests)} requests, ${String(logged)} characters logged`);
    }
    if (wrongs.length > 0) {
      throw new Error([...new Set(wrongs)].join('\n'));
    }
  },
};

const refusal: Answer = {
  status: 422,
  body: JSON.stringify({ kind: 'Status', reason: 'Invalid', message: 'sendInitialEvents is forbidden' }),
};

function stateAt(version: number): readonly Named[] {
  const state = new Map(first.map((each) => [each.name, each]));
  for (const { type, object } of history) {
    if (Number(object.version) <= version) {
      if (type === 'DELETED') {
        state.delete(object.name);
      } else {
        state.set(object.name, object);
      }
    }
  }
  return [...state.values()];
}

function listAnswer(form: WireForm, whole: Buffer, damage: Damage | undefined): Answer {
  const { contentType } = form;
  switch (damage?.kind) {
    case 'replaced':
      return { contentType, body: Buffer.from(damage.hex, 'hex') };
    case 'cut':
      return damage.bytes >= whole.length
        ? { contentType, body: whole }
        : { contentType, body: whole.subarray(0, damage.bytes) };
    case 'typed':
      return { contentType: damage.contentType, body: whole };
    case 'status':
      return { status: damage.code, contentType, body: Buffer.from(damage.hex, 'hex') };
    default:
      return { contentType, body: whole };
  }
}

function watchAnswer(form: WireForm, from: string | null, damage: Damage | undefined, chunk: number): Answer {
  // As in kube-apiserver, a watch without a version begins with everything that exists, and never reports
  // what is gone.
  const since = from === null || from === '' ? undefined : Number(from);
  if (since !== undefined && !/^\d+$/.test(from ?? '')) {
    return {
      status: 400,
      body: JSON.stringify({ kind: 'Status', reason: 'BadRequest', message: 'bad version' }),
    };
  }
  const events =
    since === undefined
      ? stateAt(newest).map((object) => form.event('ADDED', object))
      : eventsSince(form, since);
  return streamAnswer(form, events, damage, chunk);
}

function eventsSince(form: WireForm, since: number): readonly Buffer[] {
  return history.flatMap(({ type, object }) =>
    Number(object.version) > since ? [form.event(type, object)] : [],
  );
}

function streamAnswer(
  form: WireForm,
  whole: readonly Buffer[],
  damage: Damage | undefined,
  chunk: number,
): Answer {
  const { contentType } = form;
  let events = whole;
  switch (damage?.kind) {
    case 'status':
    case 'typed':
      if (damage.kind === 'status' && damage.code !== 200) {
        return { status: damage.code, contentType, body: Buffer.from(damage.hex, 'hex') };
      }
      break;
    case 'inserted':
      events = events.toSpliced(damage.after, 0, form.frame(Buffer.from(damage.hex, 'hex')));
      break;
    case 'repeated':
      events = events.flatMap((event, index) => (index === damage.event ? [event, event] : [event]));
      break;
    case 'backwards':
      events = [...events, ...events.toReversed()];
      break;
    default:
      break;
  }
  let bytes = Buffer.concat(events);
  if (damage?.kind === 'replaced') {
    bytes = Buffer.from(damage.hex, 'hex');
  } else if (damage?.kind === 'cut') {
    bytes = bytes.subarray(0, damage.bytes);
  }
  return {
    contentType: damage?.kind === 'typed' ? damage.contentType : contentType,
    stream: (send, end) => {
      for (let at = 0; at < bytes.length; at += chunk) {
        send(bytes.subarray(at, at + chunk));
      }
      // A damaged watch breaks off; an undamaged one stays open without events.
      if (damage !== undefined) {
        end();
      }
    },
  };
}
