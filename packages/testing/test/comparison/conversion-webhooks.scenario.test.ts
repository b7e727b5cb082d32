import { randomBytes } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';
import {
  type ConversionServer,
  type Misbehaviour,
  definitionOf,
  startConversionServer,
  summary,
  v1,
  v2,
} from '../../../apiserver/test/conversion-server.ts';
import { replay } from '../../../apiserver/test/recorded/replay.ts';

/*
 * A kind whose versions a webhook converts, on whatever control plane is chosen: what the webhook is asked, what its
 * answers may change, and what is answered while it fails. What is expected was seen of kube-apiserver 1.36.
 */

const group = `${randomBytes(4).toString('hex')}.example.com`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const namespace = `links-${randomBytes(4).toString('hex')}`;
const links = (version: string, name = ''): string =>
  `/apis/${group}/${version}/namespaces/${namespace}/links${name === '' ? '' : `/${name}`}`;
const link = (version: string, name: string, spec: object): object => ({
  apiVersion: `${group}/${version}`,
  kind: 'Link',
  metadata: { name },
  spec,
});

interface Answered {
  readonly message?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
  readonly items?: readonly Answered[];
  readonly rows?: readonly { readonly cells: unknown }[];
  readonly metadata: {
    readonly name?: string;
    readonly labels?: unknown;
    readonly annotations?: unknown;
    readonly finalizers?: unknown;
    readonly generation?: number;
    readonly resourceVersion: string;
    readonly managedFields?: readonly {
      manager: string;
      apiVersion: string;
      fieldsV1: { 'f:spec'?: object };
    }[];
  };
  readonly details?: {
    readonly causes?: readonly {
      readonly message: string;
      readonly field: string;
      readonly reason: string;
    }[];
  };
}

interface Answer {
  readonly code: number;
  readonly body: Answered;
}

let plane: ControlPlane;
let hook: ConversionServer;
beforeAll(async () => {
  [plane, hook] = await Promise.all([startControlPlane(), startConversionServer()]);
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await send('POST', definitions, definitionOf(group, 'links', byUrl()));
  await eventually(
    () => send('GET', `/apis/${group}/v1`),
    ({ code }) => code === 200,
  );
  await eventually(
    () => send('GET', links('v1')),
    ({ code }) => code === 200,
  );
}, 90_000);
afterAll(() => Promise.all([plane.stop(), hook.stop()]));
afterEach(() => hook.behave(undefined));

const byUrl = (): object => ({
  strategy: 'Webhook',
  webhook: {
    clientConfig: { url: `${hook.url}/convert`, caBundle: hook.caBundle },
    conversionReviewVersions: ['v1', 'v1beta1'],
  },
});

function endpoint(): { url: string; token: string } {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  return { url: plane.url, token: users[0].user.token };
}

/** `METHOD[:patch type or form]` as replay.ts has it. */
async function send(verb: string, path: string, body?: unknown): Promise<Answer> {
  let text = '';
  const line = [verb, path, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' ');
  const { code } = await replay(line, endpoint(), namespace, (read) => (text = read));
  // A path that is not served yet is answered in prose.
  return { code, body: JSON.parse(text.startsWith('{') ? text : '{"metadata":{}}') as Answered };
}

/** Asks until the answer is one that is looked for. */
async function eventually(ask: () => Promise<Answer>, isIt: (answer: Answer) => boolean): Promise<Answer> {
  const until = performance.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (isIt(answer) || performance.now() > until) {
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The events of a watch, as they come. */
function watch(path: string): { next(): Promise<{ type: string; object: Answered }>; stop(): void } {
  const events: { type: string; object: Answered }[] = [];
  const waiting: ((event: { type: string; object: Answered }) => void)[] = [];
  const { url, token } = endpoint();
  const open = url.startsWith('https') ? httpsRequest : httpRequest;
  const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false, agent: false };
  const sent = open(url + path, options, (response) => {
    let rest = '';
    response.setEncoding('utf8');
    response.on('error', () => undefined);
    response.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        const event = JSON.parse(text) as { type: string; object: Answered };
        const waiter = waiting.shift();
        if (waiter === undefined) {
          events.push(event);
        } else {
          waiter(event);
        }
      }
    });
  });
  sent.on('error', () => undefined);
  sent.end();
  return {
    next() {
      const event = events.shift();
      return event === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(event);
    },
    stop: () => sent.destroy(),
  };
}

describe('definition', () => {
  const config = { url: 'https://127.0.0.1/convert' };
  const required = 'spec.conversion.conversionReviewVersions: Required value';
  const forbiddenConfig =
    'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook';
  const forbiddenVersions =
    'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook';
  const oneOf =
    'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required';
  test.each<[string, object, readonly string[]]>([
    [
      'no webhook',
      { strategy: 'Webhook' },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        required,
      ],
    ],
    [
      'neither url nor service',
      { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } },
      [oneOf],
    ],
    [
      'url and service',
      {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { ...config, service: { namespace: 'a', name: 'b' } },
          conversionReviewVersions: ['v1'],
        },
      },
      [oneOf],
    ],
    [
      'url without TLS, no versions',
      {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'http://x' }, conversionReviewVersions: null },
      },
      [
        `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
        required,
      ],
    ],
    [
      'no known version',
      { strategy: 'Webhook', webhook: { clientConfig: config, conversionReviewVersions: ['v7', 'v7'] } },
      [
        'spec.conversion.conversionReviewVersions[1]: Invalid value: "v7": duplicate version',
        'spec.conversion.conversionReviewVersions: Invalid value: ["v7","v7"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'strategy None with a webhook',
      { strategy: 'None', webhook: { clientConfig: config, conversionReviewVersions: ['v1'] } },
      [forbiddenConfig, forbiddenVersions],
    ],
    ['no strategy', { strategy: '' }, ['spec.conversion.strategy: Required value']],
    [
      'other strategy',
      { strategy: 'Odd' },
      ['spec.conversion.strategy: Unsupported value: "Odd": supported values: "None", "Webhook"'],
    ],
  ])('%s -> refused', async (_, conversion, findings) => {
    const { code, body } = await send(
      'POST',
      `${definitions}?dryRun=All`,
      definitionOf(group, 'others', conversion),
    );
    expect(code).toBe(422);
    expect(body.details?.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual(findings);
  });

  test.each<[string, object, object]>([
    [
      'service without a port',
      {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { namespace: 'a', name: 'b' } },
          conversionReviewVersions: ['v2', 'v1beta1'],
        },
      },
      {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { namespace: 'a', name: 'b', port: 443 } },
          conversionReviewVersions: ['v2', 'v1beta1'],
        },
      },
    ],
    ['strategy None with an empty webhook', { strategy: 'None', webhook: {} }, { strategy: 'None' }],
    [
      'new, with a bundle of nothing',
      {
        strategy: 'Webhook',
        webhook: { clientConfig: { ...config, caBundle: 'eA==' }, conversionReviewVersions: ['v1'] },
      },
      {
        strategy: 'Webhook',
        webhook: { clientConfig: { ...config, caBundle: 'eA==' }, conversionReviewVersions: ['v1'] },
      },
    ],
  ])('%s -> taken, as it is completed', async (_, conversion, completed) => {
    const { code, body } = await send(
      'POST',
      `${definitions}?dryRun=All`,
      definitionOf(group, 'others', conversion),
    );
    expect([code, body.spec?.['conversion']]).toEqual([201, completed]);
  });

  test('established, gets a bundle of nothing -> refused', async () => {
    const conversion = { webhook: { clientConfig: { caBundle: 'eA==' } } };
    const { body } = await send('PATCH:merge', `${definitions}/links.${group}?dryRun=All`, {
      spec: { conversion },
    });
    expect(body.details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message:
          'Invalid value: "eA==": unable to load root certificates: unable to parse bytes as PEM block',
        field: 'spec.conversion.webhookClientConfig.caBundle',
      },
    ]);
  });
});

describe('object', () => {
  test('written in v1, stored in v2 -> webhook is sent what is stored, both versions are read', async () => {
    hook.take();
    const made = await send('POST', `${links('v1')}?fieldManager=m`, link('v1', 'a', { hostPort: 'h:1' }));
    expect([made.code, made.body.spec]).toEqual([201, { hostPort: 'h:1' }]);
    const [first] = hook.take();
    const { kind, apiVersion, request } = first?.review ?? {};
    expect([first?.path, kind, apiVersion]).toEqual([
      '/convert?timeout=30s',
      'ConversionReview',
      'apiextensions.k8s.io/v1',
    ]);
    expect(request).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      desiredAPIVersion: `${group}/v2`,
      objects: [
        {
          apiVersion: `${group}/v1`,
          kind: 'Link',
          metadata: {
            name: 'a',
            namespace,
            uid: expect.any(String) as unknown,
            generation: 1,
            creationTimestamp: expect.any(String) as unknown,
            managedFields: [expect.objectContaining({ manager: 'm', apiVersion: `${group}/v1` })],
          },
          spec: { hostPort: 'h:1' },
        },
      ],
    });
    expect((await send('GET', links('v2', 'a'))).body.spec).toEqual({ host: 'h', port: '1' });
    expect((await send('GET', links('v1', 'a'))).body.spec).toEqual({ hostPort: 'h:1' });
  });

  test('stored in v2, read and written in v2 -> webhook is asked for no write', async () => {
    await send('POST', links('v2'), link('v2', 'same', { host: 'h' }));
    hook.behave({ result: { status: 'Failure' } });
    const read = await send('GET', links('v2', 'same'));
    const patched = await send('PATCH:merge', links('v2', 'same'), { spec: { host: 'i' } });
    expect([read, patched].map(({ code, body }) => [code, body.spec])).toEqual([
      [200, { host: 'h', port: '80' }],
      [200, { host: 'i', port: '80' }],
    ]);
    hook.behave(undefined);
    await send('DELETE', links('v2', 'same'));
  });

  test('dry run in v1 -> as it would be read', async () => {
    const path = `${links('v1')}?dryRun=All`;
    expect((await send('POST', path, link('v1', 'dry', { hostPort: 'h' }))).body.spec).toEqual({
      hostPort: 'h:80',
    });
    expect((await send('GET', links('v1', 'dry'))).code).toBe(404);
  });

  test('changed in either version, by its status and its scale -> other version follows', async () => {
    await send('POST', links('v1'), link('v1', 'b', { hostPort: 'h:1', replicas: 1 }));
    await send('PATCH:merge', links('v2', 'b'), { spec: { port: '2' } });
    await send('PATCH:merge', links('v1', 'b/status'), { status: { phase: 'up' } });
    const scaled = await send('PATCH:merge', links('v1', 'b/scale'), { spec: { replicas: 3 } });
    expect(scaled.body.spec).toEqual({ replicas: 3 });
    expect((await send('GET', links('v1', 'b/scale'))).body.spec).toEqual({ replicas: 3 });
    const { body: old } = await send('GET', links('v1', 'b'));
    expect([old.spec, old.status]).toEqual([{ hostPort: 'h:2', replicas: 3 }, { phase: 'up' }]);
    const put = await send('PUT', links('v1', 'b'), { ...old, spec: { hostPort: 'i:3' } });
    expect([put.code, put.body.spec, put.body.metadata.generation]).toEqual([200, { hostPort: 'i:3' }, 4]);
    expect((await send('GET', links('v2', 'b'))).body.spec).toEqual({ host: 'i', port: '3' });
  });

  test('put as it is -> not written', async () => {
    const before = await send('GET', links('v1', 'b'));
    const { code, body } = await send('PUT', links('v1', 'b'), before.body);
    expect([code, body.metadata.resourceVersion]).toEqual([200, before.body.metadata.resourceVersion]);
  });

  test('listed in v1 -> items, cells and field selectors are those of v1', async () => {
    const { body } = await send('GET', links('v1'));
    expect(body.items?.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      ['a', { hostPort: 'h:1' }],
      ['b', { hostPort: 'i:3' }],
    ]);
    const { body: table } = await send('GET:table', links('v1'));
    expect(table.rows?.map(({ cells }) => cells)).toEqual([
      ['a', 'h:1'],
      ['b', 'i:3'],
    ]);
    const { body: row } = await send('GET:table', links('v1', 'b'));
    expect(row.rows?.map(({ cells }) => cells)).toEqual([['b', 'i:3']]);
    const selected = await send('GET', `${links('v1')}?fieldSelector=spec.hostPort%3Di:3`);
    expect(selected.body.items?.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  test('deleted in v1 -> gone', async () => {
    await send('POST', links('v1'), link('v1', 'gone', { hostPort: 'h:1' }));
    expect((await send('DELETE', links('v1', 'gone'))).code).toBe(200);
    expect((await send('GET', links('v2', 'gone'))).code).toBe(404);
  });

  test('held by a finalizer, deleted in v1 and released -> terminating, then gone', async () => {
    const held = link('v1', 'held', { hostPort: 'h:1' });
    await send('POST', links('v1'), { ...held, metadata: { name: 'held', finalizers: ['example.com/x'] } });
    const { body } = await send('DELETE', links('v1', 'held'));
    expect([body.spec, body.metadata]).toMatchObject([
      { hostPort: 'h:1' },
      { deletionTimestamp: expect.any(String) as unknown },
    ]);
    await send('PATCH:merge', links('v1', 'held'), { metadata: { finalizers: null } });
    expect((await send('GET', links('v1', 'held'))).code).toBe(404);
  });
});

describe('owner in another version', () => {
  const ownersOf = ({ body }: Answer): unknown =>
    Object.fromEntries(
      (body.metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => [
        `${manager} ${apiVersion.slice(apiVersion.indexOf('/') + 1)}`,
        Object.keys(fieldsV1['f:spec'] ?? {}),
      ]),
    );
  const patch = (version: string, manager: string, spec: object): Promise<Answer> =>
    send('PATCH:merge', `${links(version, 'owned')}?fieldManager=${manager}`, { spec });
  const apply = (version: string, manager: string, spec: object): Promise<Answer> =>
    send(
      'PATCH:apply',
      `${links(version, 'applied')}?fieldManager=${manager}`,
      link(version, 'applied', spec),
    );

  test('of a field that an update changes in its version -> owner no longer', async () => {
    const made = await send(
      'POST',
      `${links('v1')}?fieldManager=c`,
      link('v1', 'owned', { hostPort: 'h:1', replicas: 1 }),
    );
    expect(ownersOf(made)).toEqual({ 'c v1': ['.', 'f:hostPort', 'f:replicas'] });
    await patch('v1', 'p', { hostPort: 'h:2' });
    expect(ownersOf(await patch('v2', 'q', { port: '3' }))).toEqual({
      'c v1': ['.', 'f:replicas'],
      'q v2': ['f:port'],
    });
    expect(ownersOf(await patch('v1', 'p', { hostPort: 'h:4' }))).toEqual({
      'c v1': ['.', 'f:replicas'],
      'p v1': ['f:hostPort'],
    });
  });

  test('webhook fails, written in the storage version -> nobody owns anything', async () => {
    hook.behave({ result: { status: 'Failure' } });
    expect(ownersOf(await patch('v2', 'q', { port: '5' }))).toEqual({});
    hook.behave(undefined);
    await send('DELETE', links('v2', 'owned'));
  });

  test('of a field that is applied otherwise -> conflict in its version', async () => {
    await apply('v1', 'm', { hostPort: 'x:1', replicas: 3 });
    expect((await apply('v2', 'n', { host: 'x', port: '2' })).body.message).toBe(
      'Apply failed with 1 conflict: conflict with "m": .spec.hostPort',
    );
    expect(ownersOf(await apply('v2', 'n', { host: 'x', port: '1' }))).toEqual({
      'n v2': ['f:host', 'f:port'],
      'm v1': ['f:hostPort', 'f:replicas'],
    });
    hook.behave({ result: { status: 'Failure', message: 'no way' } });
    const { code, body } = await apply('v2', 'n', { host: 'x', port: '1' });
    expect([code, body.message]).toEqual([
      500,
      `conversion webhook for ${group}/v2, Kind=Link failed: no way`,
    ]);
  });

  test('applies in another version than before, without a field -> field goes', async () => {
    const { body } = await apply('v2', 'm', { host: 'x' });
    expect([body.spec, ownersOf({ code: 0, body })]).toEqual([
      { host: 'x', port: '1' },
      { 'm v2': ['f:host'], 'n v2': ['f:host', 'f:port'] },
    ]);
    await send('DELETE', links('v2', 'applied'));
  });
});

describe('webhook', () => {
  test('changes metadata and fields that the version has not -> labels and annotations alone are taken', async () => {
    hook.behave({
      object(converted) {
        Object.assign(converted, { unknown: true });
        Object.assign(converted.metadata as object, {
          labels: { from: 'webhook' },
          annotations: { also: 'this' },
          finalizers: ['example.com/x'],
          generation: 77,
        });
      },
    });
    const { body } = await send('GET', links('v1', 'a'));
    expect(body).not.toHaveProperty('unknown');
    expect(body.metadata).toMatchObject({
      labels: { from: 'webhook' },
      annotations: { also: 'this' },
      generation: 1,
    });
    expect(body.metadata).not.toHaveProperty('finalizers');
  });

  const failed = (problem: string): string => `conversion webhook for ${group}/v2, Kind=Link ${problem}`;
  const metadataOf = (object: { metadata?: unknown }): Record<string, unknown> =>
    object.metadata as Record<string, unknown>;
  test.each<[string, Misbehaviour, string | RegExp]>([
    ['fails with a message', { result: { status: 'Failure', message: 'no way' } }, failed('failed: no way')],
    [
      'fails without one',
      { result: { status: 'Failure' } },
      failed("failed: response.result.status was 'Failure', not 'Success'"),
    ],
    [
      'answers another uid',
      { uid: 'x' },
      /^conversion webhook .* failed: expected response\.uid="[^"]+", got "x"$/,
    ],
    ['answers too few', { objects: () => [] }, failed('returned 0 objects, expected 1')],
    [
      'answers another version',
      { object: (object) => (object.apiVersion = 'other/v1') },
      failed(
        `returned invalid object at index 0: invalid groupVersion (expected ${group}/v1, received other/v1)`,
      ),
    ],
    [
      'answers another kind',
      { object: (object) => (object.kind = 'Other') },
      failed('returned invalid object at index 0: invalid kind (expected Link, received Other)'),
    ],
    [
      'answers another name',
      { object: (object) => (metadataOf(object)['name'] = 'x') },
      failed('returned invalid object: must have the same name: a != x'),
    ],
    [
      'answers another namespace',
      { object: (object) => (metadataOf(object)['namespace'] = 'x') },
      failed(`returned invalid object: must have the same namespace: ${namespace} != x`),
    ],
    [
      'answers another UID',
      { object: (object) => (metadataOf(object)['uid'] = 'x') },
      /returned invalid object: must have the same UID: [0-9a-f-]{36} != x$/,
    ],
    [
      'answers no metadata',
      { object: (object) => delete object.metadata },
      failed('returned invalid object: must have the same name: a != '),
    ],
    [
      'answers a label that is none',
      { object: (object) => (metadataOf(object)['labels'] = { a: 5 }) },
      failed(
        'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
      ),
    ],
    [
      'answers labels that are none',
      { object: (object) => (metadataOf(object)['labels'] = 'x') },
      failed('returned invalid metadata: invalid metadata.labels of type string in converted object'),
    ],
    [
      'answers a wrong label',
      { object: (object) => (metadataOf(object)['labels'] = { 'a b': '' }) },
      /returned invalid metadata: metadata\.labels: Invalid value: "a b": name part must consist of /,
    ],
    [
      'answers a wrong annotation',
      { object: (object) => (metadataOf(object)['annotations'] = { 'a b': '' }) },
      /returned invalid metadata: metadata\.annotation: Invalid value: "a b": name part must consist of /,
    ],
    [
      'answers a text',
      { objects: () => ['x'] },
      'json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    ['answers null', { objects: () => [null] }, 'unexpected end of JSON input'],
    ['answers no kind', { object: (object) => delete object.kind }, /^Object 'Kind' is missing in '\{/],
    [
      'answers no response',
      { review: (review) => delete review.response },
      failed('failed: no response provided'),
    ],
    [
      'answers in another version of the review',
      { review: (review) => (review.apiVersion = 'apiextensions.k8s.io/v1beta1') },
      failed('failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion'),
    ],
    [
      'answers another review',
      { review: (review) => (review.kind = 'Other') },
      failed(
        'failed: no kind "Other" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
      ),
    ],
    [
      'answers a review that does not say what it is',
      { review: (review) => (review.kind = review.apiVersion = undefined) },
      failed(
        'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
      ),
    ],
    [
      'answers a number as uid',
      { uid: 5 },
      failed(
        'failed: json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID',
      ),
    ],
    [
      'answers prose',
      { raw: { code: 200, text: 'no json' } },
      /failed: couldn't get version\/kind; json parse error: json: cannot unmarshal string into Go value of type struct/,
    ],
    [
      'answers 500 in prose',
      { raw: { code: 500, text: 'broken', type: 'text/plain; charset=utf-8' } },
      failed('failed: an error on the server ("broken") has prevented the request from succeeding'),
    ],
    [
      'answers 500 with what it calls JSON',
      { raw: { code: 500, text: 'broken' } },
      failed('failed: an error on the server ("unknown") has prevented the request from succeeding'),
    ],
    [
      'answers 404',
      { raw: { code: 404, text: 'nope' } },
      failed('failed: the server could not find the requested resource'),
    ],
    [
      'answers with a Status',
      {
        raw: {
          code: 403,
          text: '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"I say no","code":403}',
        },
      },
      failed('failed: I say no'),
    ],
    ['hangs up', { isCut: true }, /failed: Post "https:\/\/127\.0\.0\.1:\d+\/convert\?timeout=30s": EOF$/],
  ])('%s -> 500 with its reason', async (_, misbehaviour, message) => {
    hook.behave(misbehaviour);
    const { code, body } = await send('GET', links('v1', 'a'));
    expect([code, body.message]).toEqual([
      500,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ]);
  });

  test('fails -> v1 is neither written nor deleted, v2 is', async () => {
    hook.behave({ result: { status: 'Failure', message: 'no way' } });
    const answers = [
      await send('POST', links('v1'), link('v1', 'new', { hostPort: 'h:1' })),
      await send('POST', `${links('v1')}?dryRun=All`, link('v1', 'new', { hostPort: 'h:1' })),
      await send('PATCH:merge', links('v1', 'a'), { spec: { hostPort: 'x:9' } }),
      await send('DELETE', links('v1', 'a')),
      await send('GET', links('v1', 'a/scale')),
      await send('PUT', links('v2', 'a'), (await send('GET', links('v2', 'a'))).body),
    ];
    expect(answers.map(({ code, body }) => [code, body.message])).toEqual([
      [500, `conversion webhook for ${group}/v1, Kind=Link failed: no way`],
      [500, `conversion webhook for ${group}/v1, Kind=Link failed: no way`],
      [500, `conversion webhook for ${group}/v1, Kind=Link failed: no way`],
      [500, failed('failed: no way')],
      [500, failed('failed: no way')],
      [200, undefined],
    ]);
  });

  test('fails for a while -> watch in v1 goes on where it was, nothing is lost', async () => {
    const watched = watch(`${links('v1')}?watch=1&fieldSelector=metadata.name%3Da`);
    expect(await watched.next()).toMatchObject({ type: 'ADDED', object: { spec: { hostPort: 'h:1' } } });
    hook.behave({ result: { status: 'Failure' } });
    hook.take();
    const asked = hook.asked();
    await send('PATCH:merge', links('v2', 'a'), { spec: { port: '5' } });
    await send('PATCH:merge', links('v2', 'a'), { spec: { port: '6' } });
    await asked;
    hook.behave(undefined);
    expect([await watched.next(), await watched.next()]).toMatchObject([
      { type: 'MODIFIED', object: { apiVersion: `${group}/v1`, spec: { hostPort: 'h:5' } } },
      { type: 'MODIFIED', object: { apiVersion: `${group}/v1`, spec: { hostPort: 'h:6' } } },
    ]);
    watched.stop();
  });

  test('watch list in v1 -> all, a bookmark, then changes', async () => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watched = watch(`${links('v1')}?${query}`);
    const initial = [await watched.next(), await watched.next(), await watched.next()];
    expect(initial.map(({ type, object }) => [type, object.metadata.name, object.spec])).toEqual([
      ['ADDED', 'a', { hostPort: 'h:6' }],
      ['ADDED', 'b', { hostPort: 'i:3' }],
      ['BOOKMARK', undefined, undefined],
    ]);
    await send('PATCH:merge', links('v2', 'b'), { spec: { port: '7' } });
    await send('DELETE', links('v2', 'b'));
    const later = [await watched.next(), await watched.next()].filter(({ type }) => type !== 'BOOKMARK');
    expect(later.map(({ type, object }) => [type, object.spec])).toEqual([
      ['MODIFIED', { hostPort: 'i:7' }],
      ['DELETED', { hostPort: 'i:7' }],
    ]);
    watched.stop();
  });
});

describe('admission', () => {
  const admission = '/apis/admissionregistration.k8s.io/v1';
  const rule = {
    apiGroups: [group],
    apiVersions: ['v2'],
    resources: ['links'],
    operations: ['CREATE', 'UPDATE'],
  };
  const name = `converted-${group}`;

  test('policy is for v2, object comes in v1 -> judged as it is in v2', async () => {
    const policies = `${admission}/validatingadmissionpolicies`;
    await send('POST', policies, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [
          {
            expression: "object.spec.host != 'bad'",
            messageExpression: "'host is ' + object.spec.host + ' of ' + object.apiVersion",
          },
        ],
      },
    });
    await send('POST', `${admission}/validatingadmissionpolicybindings`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    const make = (hostPort: string): Promise<Answer> =>
      send('POST', `${links('v1')}?dryRun=All`, link('v1', 'judged', { hostPort }));
    const { body } = await eventually(
      () => make('bad:1'),
      ({ code }) => code === 422,
    );
    const denied = `links.${group} "judged" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request`;
    expect(body.message).toBe(`${denied}: host is bad of ${group}/v2`);
    hook.behave({ result: { status: 'Failure', message: 'no way' } });
    expect((await make('good:1')).body.message).toBe(
      `${denied}: failed to configure binding: failed to convert object version: conversion webhook for ${group}/v1, Kind=Link failed: no way`,
    );
    hook.behave(undefined);
    expect((await make('good:1')).body.spec).toEqual({ hostPort: 'good:1' });
    await send('DELETE', `${policies}/${name}`);
  });

  test('policy is for v2, object changes in v1 -> both its states are judged as they are in v2', async () => {
    const policies = `${admission}/validatingadmissionpolicies`;
    const own = `moved-${group}`;
    await send('POST', links('v2'), link('v2', 'moved', { host: 'here' }));
    await send('POST', policies, {
      metadata: { name: own },
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, operations: ['UPDATE'] }] },
        matchConditions: [{ name: 'moved', expression: 'object.spec.host != oldObject.spec.host' }],
        validations: [
          { expression: 'false', messageExpression: "oldObject.spec.host + ' to ' + object.spec.host" },
        ],
      },
    });
    await send('POST', `${admission}/validatingadmissionpolicybindings`, {
      metadata: { name: own },
      spec: { policyName: own, validationActions: ['Deny'] },
    });
    const change = (version: string, spec: object): Promise<Answer> =>
      send('PATCH:merge', `${links(version, 'moved')}?dryRun=All`, { spec });
    const { body } = await eventually(
      () => change('v1', { hostPort: 'there:80' }),
      ({ code }) => code === 422,
    );
    const denied = `links.${group} "moved" is forbidden: ValidatingAdmissionPolicy '${own}' with binding '${own}' denied request`;
    expect(body.message).toBe(`${denied}: here to there`);
    expect((await change('v2', { host: 'there' })).body.message).toBe(`${denied}: here to there`);
    expect((await change('v1', { hostPort: 'here:81' })).body.spec).toEqual({ hostPort: 'here:81' });
    await send('DELETE', `${policies}/${own}`);
    await eventually(
      () => change('v1', { hostPort: 'there:80' }),
      ({ code }) => code === 200,
    );
    await send('DELETE', links('v2', 'moved'));
  });

  test('mutating policy is for v2, object comes in v1 -> changed as v2, and answered in v1', async () => {
    const policies = `${admission}/mutatingadmissionpolicies`;
    const own = `mutated-${group}`;
    await send('POST', links('v2'), link('v2', 'old', { host: 'before' }));
    const created = await send('POST', policies, {
      metadata: { name: own },
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [rule] },
        matchConditions: [
          { name: 'chosen', expression: "object.spec.host in ['sent', 'twice']" },
          { name: 'existing', expression: "oldObject == null || oldObject.spec.host == 'before'" },
        ],
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: {
              expression: "Object{spec: Object.spec{host: object.spec.host + '-applied'}}",
            },
          },
          {
            patchType: 'JSONPatch',
            jsonPatch: {
              expression:
                "[JSONPatch{op: 'replace', path: '/spec/port', value: (oldObject == null ? 'new' : oldObject.spec.port) + object.spec.port}]",
            },
          },
        ],
      },
    });
    expect(created.code).toBe(201);
    await send('POST', `${admission}/mutatingadmissionpolicybindings`, {
      metadata: { name: own },
      spec: { policyName: own },
    });
    const make = (hostPort: string): Promise<Answer> =>
      send('POST', `${links('v1')}?dryRun=All`, link('v1', 'made', { hostPort }));
    const { body } = await eventually(
      () => make('sent:1'),
      (answer) => answer.code === 201 && answer.body.spec?.['hostPort'] !== 'sent:1',
    );
    expect(body.spec).toEqual({ hostPort: 'sent-applied:new1' });
    const changed = await send('PATCH:merge', `${links('v1', 'old')}?dryRun=All`, {
      spec: { hostPort: 'twice:2' },
    });
    expect(changed.body.spec).toEqual({ hostPort: 'twice-applied:802' });

    hook.behave({ result: { status: 'Failure', message: 'no way' } });
    const unseen = await make('sent:1');
    expect(unseen.code).toBe(403);
    expect(unseen.body.message).toBe(
      `policy "${own}" denied request: failed to configure policy: conversion webhook for ${group}/v1, Kind=Link failed: no way`,
    );
    hook.behave({
      object(converted) {
        if (converted.apiVersion === `${group}/v1`) {
          converted.kind = 'Chain';
        }
      },
    });
    const lost = await make('sent:1');
    expect(lost.code).toBe(500);
    expect(lost.body.message).toBe(
      `Internal error occurred: failed to convert object: conversion webhook for ${group}/v2, Kind=Link returned invalid object at index 0: invalid kind (expected Link, received Chain)`,
    );
    hook.behave(undefined);
    await send('DELETE', `${policies}/${own}`);
    await eventually(
      () => make('sent:1'),
      (answer) => answer.body.spec?.['hostPort'] === 'sent:1',
    );
    await send('DELETE', links('v2', 'old'));
  });

  test('mutating webhook is for v2, object comes in v1 -> changed as v2, and answered in v1', async () => {
    const configurations = `${admission}/mutatingwebhookconfigurations`;
    await send('POST', configurations, {
      metadata: { name },
      webhooks: [
        {
          name: 'links.example.com',
          clientConfig: { url: `${hook.url}/admit`, caBundle: hook.caBundle },
          rules: [rule],
          failurePolicy: 'Ignore',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const make = (): Promise<Answer> =>
      send('POST', `${links('v1')}?dryRun=All`, link('v1', 'changed', { hostPort: 'sent:1' }));
    const { body } = await eventually(make, (answer) => answer.body.spec?.['hostPort'] !== 'sent:1');
    expect(body.spec).toEqual({ hostPort: 'admitted:1' });
    hook.behave({ result: { status: 'Failure', message: 'no way' } });
    expect((await make()).body.message).toBe(
      `Internal error occurred: Internal error occurred: conversion webhook for ${group}/v1, Kind=Link failed: no way`,
    );
    hook.behave(undefined);
    await send('DELETE', `${configurations}/${name}`);
    await eventually(make, (answer) => answer.body.spec?.['hostPort'] === 'sent:1');
  });
});

describe('storage version', () => {
  test('changed -> old objects are read in it, and written in it by a write that changes nothing', async () => {
    await send('PATCH:merge', `${definitions}/links.${group}`, {
      spec: {
        versions: [
          { ...v1, storage: true },
          { ...v2, storage: false },
        ],
      },
    });
    await eventually(
      async () => {
        hook.take();
        return send('POST', `${links('v1')}?dryRun=All`, link('v1', 'try', { hostPort: 'h:1' }));
      },
      () => !hook.take().some((call) => summary(call).startsWith('try')),
    );
    await send('POST', links('v1'), link('v1', 'new', { hostPort: 'n:1' }));
    const { body: list } = await send('GET', links('v1'));
    expect(list.items?.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      ['a', { hostPort: 'h:6' }],
      ['new', { hostPort: 'n:1' }],
    ]);
    const before = await send('GET', links('v1', 'a'));
    const empty = await send('PATCH:merge', links('v1', 'a'), {});
    const again = await send('PATCH:merge', links('v1', 'a'), {});
    expect(empty.body.metadata.resourceVersion).not.toBe(before.body.metadata.resourceVersion);
    expect(again.body.metadata.resourceVersion).toBe(empty.body.metadata.resourceVersion);
    hook.behave({ isCut: true });
    expect((await send('GET', links('v1', 'a'))).code).toBe(200);
  });

  test('definition deleted, webhook fails for an object of the version before -> both go when it is back', async () => {
    hook.behave({ object: (object) => (object.kind = 'Other') });
    await send('POST', links('v2'), link('v2', 'late', { host: 'h' }));
    await send('PATCH:merge', `${definitions}/links.${group}`, {
      spec: {
        versions: [
          { ...v1, storage: false },
          { ...v2, storage: true },
        ],
      },
    });
    await eventually(
      () => send('POST', `${links('v2')}?dryRun=All`, link('v2', 'try', { host: 'h' })),
      ({ code }) => code === 201,
    );
    await send('DELETE', `${definitions}/links.${group}`);
    const read = (): Promise<Answer> => send('GET', `${definitions}/links.${group}`);
    // Until its storage is ready the real server gives that as the reason, and tries again.
    const failing = await eventually(read, ({ body }) => JSON.stringify(body).includes('conversion webhook'));
    expect(failing.body.status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionFailed',
          // Before that, the real server says what it could not do.
          message: expect.stringContaining(
            `conversion webhook for ${group}/v1, Kind=Link returned invalid object at index 0: invalid kind (expected Link, received Other)`,
          ) as unknown,
        }),
      ]) as unknown,
    });
    hook.behave(undefined);
    expect((await eventually(read, ({ code }) => code === 404)).code).toBe(404);
  });
});
