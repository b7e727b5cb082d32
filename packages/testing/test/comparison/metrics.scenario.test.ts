import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';

/* /metrics on whatever control plane is chosen. The requests are of a kind that nobody else asks for. */

const suffix = randomBytes(4).toString('hex');
const namespace = '/api/v1/namespaces/default';
const templates = `${namespace}/podtemplates`;
const name = `counted-${suffix}`;
const podTemplate = {
  metadata: { name },
  template: { spec: { containers: [{ name: 'main', image: 'main:1' }] } },
};
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
}, 90_000);
afterAll(() => plane.stop());

type Headers = Readonly<Record<string, string>>;

function open(method: string, path: string, headers: Headers = {}, body?: unknown): Promise<IncomingMessage> {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  const all = {
    authorization: `Bearer ${users[0].user.token}`,
    'content-type': 'application/json',
    ...headers,
  };
  return new Promise((resolve, reject) => {
    // The certificate is one that nobody signed, on the loopback interface.
    const sent = httpsRequest(plane.url + path, { method, headers: all, rejectUnauthorized: false }, resolve);
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function send(
  method: string,
  path: string,
  headers?: Headers,
  body?: unknown,
): Promise<{ readonly code: number; readonly type: string | undefined; readonly answer: string }> {
  const response = await open(method, path, headers, body);
  const answer = await text(response);
  return { code: response.statusCode ?? 0, type: response.headers['content-type'], answer };
}

/** By the metric's name with its labels in the order of their names. */
async function scrape(): Promise<ReadonlyMap<string, number>> {
  const { answer } = await send('GET', '/metrics');
  return new Map(
    [...answer.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, metric = '', labels = '', value = '']) => [
        `${metric}{${labels
          .split(/,(?=[a-z_]+=)/)
          .sort()
          .join(',')}}`,
        Number(value),
      ],
    ),
  );
}

/** Of pod templates, as the sum of what there is. */
async function countsOfTemplates(): Promise<ReadonlyMap<string, number>> {
  const all = [...(await scrape())].filter(
    ([key]) => key.startsWith('apiserver_request_total{') && key.includes('resource="podtemplates"'),
  );
  return new Map(all);
}

interface Labels {
  readonly code: number;
  readonly verb: string;
  readonly scope: string;
  readonly subresource?: string;
  readonly dryRun?: string;
}

const keyOf = ({ code, verb, scope, subresource = '', dryRun = '' }: Labels): string =>
  `apiserver_request_total{code="${code}",component="apiserver",dry_run="${dryRun}",group="",resource="podtemplates",scope="${scope}",subresource="${subresource}",verb="${verb}",version="v1"}`;

/** Asks until the answer is the one that is looked for: the real server counts some moments after it has answered. */
async function eventually<Result>(
  ask: () => Promise<Result>,
  isIt: (result: Result) => boolean,
): Promise<Result> {
  const until = performance.now() + 20_000;
  for (;;) {
    const result = await ask();
    if (isIt(result) || performance.now() > until) {
      return result;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('requests are counted', () => {
  test.each<[string, string, Headers, unknown, Labels]>([
    [
      'POST',
      `${templates}?dryRun=All`,
      {},
      podTemplate,
      { code: 201, verb: 'POST', scope: 'resource', dryRun: 'All' },
    ],
    ['POST', templates, {}, podTemplate, { code: 201, verb: 'POST', scope: 'resource' }],
    ['POST', templates, {}, podTemplate, { code: 409, verb: 'POST', scope: 'resource' }],
    ['GET', `${templates}/${name}`, {}, undefined, { code: 200, verb: 'GET', scope: 'resource' }],
    ['GET', `${templates}/none`, {}, undefined, { code: 404, verb: 'GET', scope: 'resource' }],
    ['GET', templates, {}, undefined, { code: 200, verb: 'LIST', scope: 'namespace' }],
    ['GET', '/api/v1/podtemplates', {}, undefined, { code: 200, verb: 'LIST', scope: 'cluster' }],
    ['PATCH', `${templates}/${name}`, mergePatch, {}, { code: 200, verb: 'PATCH', scope: 'resource' }],
    [
      'PATCH',
      `${templates}/${name}?fieldManager=x`,
      apply,
      { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name } },
      { code: 200, verb: 'APPLY', scope: 'resource' },
    ],
    ['PUT', `${templates}/none`, {}, {}, { code: 400, verb: 'PUT', scope: 'resource' }],
    ['DELETE', `${templates}/${name}`, {}, undefined, { code: 200, verb: 'DELETE', scope: 'resource' }],
    [
      'DELETE',
      `${templates}?labelSelector=none%3Dnone`,
      {},
      undefined,
      { code: 200, verb: 'DELETE', scope: 'namespace' },
    ],
  ])(
    '%s %s -> one more of its labels, one duration more, and nothing else',
    async (method, path, headers, body, labels) => {
      const before = await countsOfTemplates();
      await send(method, path, headers, body);
      const key = keyOf(labels);
      const expected = (before.get(key) ?? 0) + 1;
      const after = await eventually(countsOfTemplates, (counts) => counts.get(key) === expected);
      expect(Object.fromEntries(after)).toEqual({ ...Object.fromEntries(before), [key]: expected });
      const all = await scrape();
      const durations = key.replace('_total', '_duration_seconds_count').replace(/code="\d+",/, '');
      const alike = [...after].filter(
        ([other]) => other.replace(/code="\d+",/, '') === key.replace(/code="\d+",/, ''),
      );
      expect(all.get(durations)).toBe(alike.reduce((sum, [, count]) => sum + count, 0));
      expect(
        all.get(durations.replace('_count{', '_bucket{').replace(',resource=', ',le="+Inf",resource=')),
      ).toBe(all.get(durations));
    },
  );

  test.each<[string, string, string, Headers]>([
    ['nobody knows who', 'GET', templates, { authorization: 'Bearer wrong' }],
    ['not allowed', 'GET', templates, { 'impersonate-user': 'nobody' }],
    ['subresource that there is not', 'GET', `${templates}/${name}/status`, {}],
    ['version that there is not', 'GET', '/api/v9/podtemplates', {}],
    ['form that there is not', 'GET', templates, { accept: 'text/css' }],
    ['method that there is not', 'HEAD', templates, {}],
  ])('%s -> not counted', async (_title, method, path, headers) => {
    const before = await countsOfTemplates();
    const { code } = await send(method, path, headers);
    expect(code).toBeGreaterThanOrEqual(400);
    expect(await countsOfTemplates()).toEqual(before);
  });

  test('resource that there is not -> no label has its name', async () => {
    await send('GET', `/api/v1/nothings-${suffix}`);
    expect((await send('GET', '/metrics')).answer).not.toContain(`nothings-${suffix}`);
  });

  test.each(['/healthz', '/livez', '/openapi/v3'])('%s -> counted by its path', async (path) => {
    const part = path.startsWith('/openapi') ? path.slice(1) : path;
    const key = `apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="${part}",verb="GET",version=""}`;
    const before = (await scrape()).get(key) ?? 0;
    await send('GET', path);
    await eventually(scrape, (all) => (all.get(key) ?? 0) > before);
    expect((await scrape()).get(key)).toBeGreaterThan(before);
  });

  test('watch -> long-running while it is open, counted when it is over', async () => {
    const labels = `component="apiserver",group="",resource="podtemplates",scope="namespace",subresource="",verb="WATCH",version="v1"`;
    const watching = `apiserver_longrunning_requests{${labels}}`;
    const counted = keyOf({ code: 200, verb: 'WATCH', scope: 'namespace' });
    const response = await open('GET', `${templates}?watch=true`);
    const during = await eventually(scrape, (all) => all.get(watching) === 1);
    expect([during.get(watching), during.get(counted)]).toEqual([1, undefined]);
    response.destroy();
    const after = await eventually(scrape, (all) => all.get(watching) === 0 && all.get(counted) === 1);
    expect([after.get(watching), after.get(counted)]).toEqual([0, 1]);
  });
});

describe('/metrics', () => {
  test('admin -> text for Prometheus', async () => {
    const { code, type } = await send('GET', '/metrics');
    expect({ code, type }).toEqual({
      code: 200,
      type: expect.stringMatching(/^text\/plain; version=0\.0\.4; charset=utf-8/),
    });
  });

  test('somebody whom no role allows it -> 403', async () => {
    expect((await send('GET', '/metrics', { 'impersonate-user': 'nobody' })).code).toBe(403);
  });

  test('who monitors -> allowed', async () => {
    const headers = { 'impersonate-user': 'monitor', 'impersonate-group': 'system:monitoring' };
    expect((await send('GET', '/metrics', headers)).code).toBe(200);
  });

  test('process, requests in flight and stored objects -> there', async () => {
    const names = new Set([...(await scrape()).keys()].map((key) => key.replace(/\{\}$/, '')));
    const expected = [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'apiserver_current_inflight_requests{request_kind="mutating"}',
      'apiserver_current_inflight_requests{request_kind="readOnly"}',
      'apiserver_storage_objects{resource="podtemplates"}',
      'apiserver_storage_objects{resource="statefulsets.apps"}',
    ];
    expect(expected.filter((key) => !names.has(key))).toStrictEqual([]);
  });

  test('priority levels -> the seats that their shares come to, of 600', async () => {
    const seats = (level: string): string =>
      `apiserver_flowcontrol_nominal_limit_seats{priority_level="${level}"}`;
    const before = await eventually(scrape, (all) => all.has(seats('workload-low')));
    expect([before.get(seats('exempt')), before.get(seats('workload-low'))]).toEqual([0, 245]);
    const levels = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
    await send(
      'POST',
      levels,
      {},
      {
        metadata: { name },
        spec: {
          type: 'Limited',
          limited: { nominalConcurrencyShares: 55, limitResponse: { type: 'Reject' } },
        },
      },
    );
    const after = await eventually(scrape, (all) => all.has(seats(name)));
    expect([after.get(seats(name)), after.get(seats('workload-low'))]).toEqual([110, 200]);
    await send('DELETE', `${levels}/${name}`);
  });
});
