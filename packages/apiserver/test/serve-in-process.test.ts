import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FaultPlan, createFaultPlan } from '../src/http/faults.ts';
import type { InProcessAnswer } from '../src/index.ts';
import { type ApiServer, startApiServer } from '../src/server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

let faults: FaultPlan;
let server: ApiServer;
let authorization: string;

beforeEach(async () => {
  faults = createFaultPlan(1);
  server = await startApiServer({ tls: false, faults });
  const { users } = JSON.parse(server.kubeconfig) as { users: [{ user: { token: string } }] };
  authorization = `Bearer ${users[0].user.token}`;
});

afterEach(() => server.stop());

function create(name: string): Promise<InProcessAnswer> {
  const body = JSON.stringify({ metadata: { name } });
  const headers = { authorization, 'user-agent': 'test', 'content-type': 'application/json' };
  return server.serve({ method: 'POST', path: configMaps, headers, body });
}

function get(path: string): Promise<InProcessAnswer> {
  return server.serve({ method: 'GET', path, headers: { authorization } });
}

/** A watch, with the names that it has shown. */
function watch(signal?: AbortSignal): { readonly names: string[]; readonly over: Promise<InProcessAnswer> } {
  const names: string[] = [];
  const path = `${configMaps}?watch=1&resourceVersion=${server.storage.revision}`;
  const over = server.serve({ method: 'GET', path, headers: { authorization }, signal }, (text) => {
    for (const line of text.trim().split('\n')) {
      names.push((JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name);
    }
  });
  return { names, over };
}

describe('request within the process', () => {
  test('object -> created, and logged with user and user agent', async () => {
    const { code, body } = await create('a');
    expect(code).toBe(201);
    expect(JSON.parse(body)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' } });
    expect(server.requests.count({ verb: 'create', userAgent: 'test', code: 201 })).toBe(1);
  });

  test('token that nobody has -> 401', async () => {
    authorization = 'Bearer wrong';
    const { code, body } = await get(configMaps);
    expect(code).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ reason: 'Unauthorized' });
  });

  test('body of more than 3 MiB -> 413', async () => {
    expect((await create('a'.repeat(3 * 1024 * 1024))).code).toBe(413);
  });

  test('faults -> met, as over the network', async () => {
    faults.on({ verb: 'create' }, { kind: 'status', code: 503, reason: 'ServiceUnavailable' }, { nth: 1 });
    faults.on({ verb: 'create' }, { kind: 'reset', when: 'before' }, { nth: 2 });
    faults.on({ verb: 'create' }, { kind: 'reset', when: 'after' }, { nth: 3 });
    expect((await create('a')).code).toBe(503);
    await expect(create('b')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(create('c')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await get(`${configMaps}/b`)).code).toBe(404);
    expect((await get(`${configMaps}/c`)).code).toBe(200);
  });

  test('watch -> each event as it comes; connections cut -> what was sent before arrives, then the reset', async () => {
    const { names, over } = watch();
    await create('a');
    await create('b');
    expect(names).toEqual(['a', 'b']);
    void create('c').finally(() => server.cutWatches());
    await expect(over).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(names).toEqual(['a', 'b', 'c']);
  });

  test('watch given up -> rejects with the reason; the server goes on without it', async () => {
    const giveUp = new AbortController();
    const { names, over } = watch(giveUp.signal);
    await create('a');
    giveUp.abort(new Error('enough'));
    await expect(over).rejects.toThrow('enough');
    await create('b');
    expect(names).toEqual(['a']);
    expect((await get('/metrics')).body).toMatch(
      /^apiserver_longrunning_requests\{.*resource="configmaps".*\} 0$/m,
    );
  });

  test('given up before it is sent -> rejects with the reason, and nothing is done', async () => {
    await expect(watch(AbortSignal.abort(new Error('never mind'))).over).rejects.toThrow('never mind');
    expect(server.requests.count({ verb: 'watch' })).toBe(0);
  });

  test('taker of the events throws -> the watch ends with its error', async () => {
    const path = `${configMaps}?watch=1&resourceVersion=${server.storage.revision}`;
    const over = server.serve({ method: 'GET', path, headers: { authorization } }, () => {
      throw new Error('not for me');
    });
    const ended = expect(over).rejects.toThrow('not for me');
    await create('a');
    await ended;
  });

  test('watch of an unknown kind -> the answer is in the body', async () => {
    const parts: string[] = [];
    const path = '/api/v1/nothings?watch=1';
    const { code, body } = await server.serve({ method: 'GET', path, headers: { authorization } }, (text) =>
      parts.push(text),
    );
    expect({ code, parts }).toEqual({ code: 404, parts: [] });
    expect(body).not.toBe('');
  });

  test('server stops -> what is open is reset, and later requests are refused', async () => {
    const { over } = watch();
    await create('a');
    const reset = expect(over).rejects.toMatchObject({ code: 'ECONNRESET' });
    await server.stop();
    await reset;
    await expect(create('b')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
