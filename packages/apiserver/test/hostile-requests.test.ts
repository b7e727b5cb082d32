import { connect } from 'node:net';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { clientOf, configMaps } from './client.ts';

const mebibyte = 1024 * 1024;
const json = 'application/json';

// Codes, reasons and messages are those of kube-apiserver 1.36.3.
describe('requests that nobody should send', () => {
  let server: ApiServer;
  let token = '';
  beforeAll(async () => {
    server = await startApiServer({ tls: false });
    const { users } = JSON.parse(server.kubeconfig) as { users: [{ user: { token: string } }] };
    token = users[0].user.token;
  });
  afterAll(() => server.stop());

  function send(method: string, path: string, type: string, body: string): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const sent = request(
        server.url + path,
        { method, headers, agent: false },
        (response: IncomingMessage) => {
          text(response).then((answer) => resolve(JSON.parse(answer) as Record<string, unknown>), reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
  // Each name stands for ten times what the one before it stands for.
  const bomb = 'bcdefghij'
    .split('')
    .reduce(
      (text, name, index) =>
        `${text}\n${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[index]}`).join()}]`,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\na: &a [x,x,x,x,x,x,x,x,x,x]',
    );
  const configMap = (data: object): string => JSON.stringify({ metadata: { name: 'x' }, data });

  test.each<[string, string, string, string, string, number, string, string]>([
    ['JSON cut short', 'POST', '', json, '{"metadata":', 400, 'BadRequest', 'json parse error'],
    ['no media type of ours', 'POST', '', 'text/plain', '{}', 415, 'UnsupportedMediaType', 'unknown format'],
    ['broken YAML', 'POST', '', 'application/yaml', 'a: {', 400, 'BadRequest', "couldn't get version/kind"],
    [
      'YAML of ten billion values',
      'POST',
      '',
      'application/yaml',
      bomb,
      400,
      'BadRequest',
      'yaml: document contains excessive aliasing',
    ],
    [
      'apply of ten billion values',
      'PATCH',
      '/bomb?fieldManager=a',
      'application/apply-patch+yaml',
      bomb,
      400,
      'BadRequest',
      'error converting YAML to JSON: yaml: document contains excessive aliasing',
    ],
    [
      'alias to itself',
      'POST',
      '',
      'application/yaml',
      'metadata: {name: a}\ndata: &a {a: *a}',
      400,
      'BadRequest',
      'yaml: ',
    ],
    [
      '2 MiB of data',
      'POST',
      '',
      json,
      configMap({ a: 'x'.repeat(2 * mebibyte) }),
      422,
      'Invalid',
      'Too long: may not be more than 1048576 bytes',
    ],
    [
      '4 MiB',
      'POST',
      '',
      json,
      configMap({ a: 'x'.repeat(4 * mebibyte) }),
      413,
      'RequestEntityTooLarge',
      'limit is 3145728',
    ],
    [
      'unknown field, strict',
      'POST',
      '?fieldValidation=Strict',
      json,
      '{"metadata":{"name":"x"},"foo":1}',
      400,
      'BadRequest',
      'strict decoding error: unknown field "foo"',
    ],
    [
      'bad label selector',
      'GET',
      '?labelSelector=a%20b',
      json,
      '',
      400,
      'BadRequest',
      'unable to parse requirement',
    ],
    ['bad field selector', 'GET', '?fieldSelector=foo', json, '', 400, 'BadRequest', 'invalid selector'],
    ['bad continue token', 'GET', '?continue=zzz', json, '', 400, 'BadRequest', 'continue key is not valid'],
    [
      'method for nobody',
      'PATCH',
      '',
      'application/merge-patch+json',
      '{}',
      405,
      'MethodNotAllowed',
      'does not allow this method',
    ],
  ])(
    '%s: %s%s -> its Status, and the server goes on',
    async (_, method, query, type, body, code, reason, message) => {
      const answer = await send(method, configMaps + query, type, body);
      expect(answer).toMatchObject({ kind: 'Status', status: 'Failure', code, reason });
      expect(answer['message']).toContain(message);
      expect((await clientOf(server).send('GET', configMaps)).code).toBe(200);
    },
  );

  test('body in YAML -> created', async () => {
    const answer = await send(
      'POST',
      configMaps,
      'application/yaml',
      'metadata: {name: yaml}\ndata: {at: 2026-01-01}\n',
    );
    expect(answer).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'yaml' } });
    expect(answer['data']).toEqual({ at: '2026-01-01' });
  });

  test('connections left half open or broken off mid-request -> others are served, stop does not wait for them', async () => {
    const other = await startApiServer({ tls: false });
    const { port, hostname } = new URL(other.url);
    const silent = connect(Number(port), hostname);
    const partial = connect(Number(port), hostname);
    const broken = connect(Number(port), hostname);
    const errors: unknown[] = [];
    for (const socket of [silent, partial, broken]) {
      socket.on('error', (error) => errors.push(error));
    }
    partial.write(
      'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"meta',
    );
    broken.write('GET /api/v1/name');
    broken.destroy();
    expect((await clientOf(other).send('GET', configMaps)).code).toBe(200);
    await other.stop();
    for (const socket of [silent, partial]) {
      socket.destroy();
    }
  });
});
