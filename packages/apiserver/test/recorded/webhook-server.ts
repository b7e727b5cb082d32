import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { generate } from 'selfsigned';

/** As much of an admission.k8s.io/v1 AdmissionReview as the answers need. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly object: { readonly metadata: Metadata } | null;
  } & Record<string, unknown>;
}

interface Metadata {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Received {
  /** The path that was asked for, with its query. */
  readonly path: string;
  readonly review: Review;
}

export interface WebhookServer {
  /** `https://127.0.0.1:<port>`; the first part of a path names the behaviour, the rest distinguishes hooks. */
  readonly url: string;
  readonly port: number;
  /** PEM, for `caBundle`; good for 127.0.0.1, localhost and hooks.recorded.svc. */
  readonly certificate: string;
  /** What was asked since the last call. */
  take(): readonly Received[];
  stop(): Promise<void>;
}

/**
 * An admission webhook of many behaviours, the same for the server that is recorded and the one that is tried.
 *
 * @param onSilence called when it was asked what it never answers
 */
export async function startWebhookServer(
  subject = 'hooks',
  onSilence: () => void = () => undefined,
): Promise<WebhookServer> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: subject }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'hooks.recorded.svc' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  let received: Received[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const see = (review: Review): unknown => received.push({ path: request.url ?? '', review });
    void answer(request, response, see, onSilence);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    certificate: cert,
    take() {
      const taken = received;
      received = [];
      return taken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer =
  | { readonly kind: 'response'; readonly response: object }
  | { readonly kind: 'raw'; readonly code: number; readonly text: string }
  | { readonly kind: 'cut' | 'never' };

const denied = (status?: object): Answer => ({
  kind: 'response',
  response: { allowed: false, ...(status === undefined ? undefined : { status }) },
});
const patched = (operations: unknown, patchType?: string): Answer => ({
  kind: 'response',
  response: {
    allowed: true,
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
    ...(patchType === undefined ? undefined : { patchType }),
  },
});
const allowed = (more: object = {}): Answer => ({ kind: 'response', response: { allowed: true, ...more } });

/** Adds a label of its name, and counts how often it was there. */
function labelled(review: Review, label: string): Answer {
  const labels = review.request.object?.metadata.labels;
  if (labels === undefined) {
    return patched([{ op: 'add', path: '/metadata/labels', value: { [label]: '1' } }], 'JSONPatch');
  }
  const value = String(Number(labels[label] ?? 0) + 1);
  return patched([{ op: 'add', path: `/metadata/labels/${label}`, value }], 'JSONPatch');
}

const behaviours: Readonly<Record<string, (review: Review, detail: string) => Answer>> = {
  allow: () => allowed(),
  deny: () => denied({ message: 'no such luck' }),
  'deny-bare': () => denied(),
  'deny-reason': () => denied({ reason: 'Forbidden' }),
  'deny-code': () =>
    denied({ code: 422, reason: 'Invalid', message: 'odd', details: { causes: [{ field: 'a' }] } }),
  'deny-success': () => denied({ status: 'Success', code: 200 }),
  warn: () => allowed({ warnings: ['first "one"', 'second'] }),
  'warn-deny': () => ({
    kind: 'response',
    response: { allowed: false, warnings: ['mind this'], status: { message: 'no' } },
  }),
  label: labelled,
  once: (review, detail) =>
    review.request.object?.metadata.labels?.[detail] === undefined ? labelled(review, detail) : allowed(),
  'label-name': () => patched([{ op: 'replace', path: '/metadata/name', value: 'other' }], 'JSONPatch'),
  invalidate: () => patched([{ op: 'add', path: '/metadata/labels', value: { 'a b': 'c' } }], 'JSONPatch'),
  'bad-test': () => patched([{ op: 'test', path: '/metadata/name', value: 'x' }], 'JSONPatch'),
  'bad-type': () => patched([{ op: 'add', path: '/metadata/labels', value: 5 }], 'JSONPatch'),
  'bad-patch': () => patched({ a: 1 }, 'JSONPatch'),
  'no-change': () => patched([], 'JSONPatch'),
  'no-type': () => patched([{ op: 'add', path: '/data', value: { a: 'b' } }]),
  'other-type': () => patched([{ op: 'add', path: '/data', value: { a: 'b' } }], 'MergePatch'),
  'type-alone': () => allowed({ patchType: 'JSONPatch' }),
  absent: () => ({
    kind: 'raw',
    code: 200,
    text: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}',
  }),
  'other-uid': () => ({
    kind: 'raw',
    code: 200,
    text: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x","allowed":true}}',
  }),
  'other-kind': () => ({
    kind: 'raw',
    code: 200,
    text: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{"allowed":true}}',
  }),
  garbage: () => ({ kind: 'raw', code: 200, text: 'not json' }),
  'error-500': () => ({ kind: 'raw', code: 500, text: 'broken inside' }),
  'error-404': () => ({ kind: 'raw', code: 404, text: '404 page not found' }),
  cut: () => ({ kind: 'cut' }),
  never: () => ({ kind: 'never' }),
};

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  see: (review: Review) => void,
  onSilence: () => void,
): Promise<void> {
  const review = (await json(request)) as Review;
  see(review);
  const [, name = '', detail = ''] = new URL(request.url ?? '', 'https://hook').pathname.split('/');
  const behaviour = behaviours[name];
  if (behaviour === undefined) {
    throw new Error(`the webhook server has no behaviour named "${name}"`);
  }
  const chosen = behaviour(review, detail);
  switch (chosen.kind) {
    case 'response': {
      response.setHeader('content-type', 'application/json');
      const { apiVersion, kind } = review;
      const { uid } = review.request;
      response.end(JSON.stringify({ apiVersion, kind, response: { uid, ...chosen.response } }));
      return;
    }
    case 'raw':
      response.writeHead(chosen.code, { 'content-type': 'text/plain' }).end(chosen.text);
      return;
    case 'cut':
      request.socket.destroy();
      return;
    case 'never':
      onSilence();
      return;
  }
}
