import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { createFaultPlan, startApiServer } from '../src/index.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

test('request sent ahead of the answer to another -> served after it', async () => {
  const faults = createFaultPlan(1).on(
    { verb: 'create' },
    // By the end of a request on another connection, whatever had come with this one would have been served.
    { kind: 'call', run: () => fetch(`${server.url}/healthz`).then(() => undefined) },
  );
  const server = await startApiServer({ tls: false, token: 'token', faults });
  const request = (line: string, body: string): string =>
    `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(
    request(`POST ${configMaps}`, '{"metadata":{"name":"a"}}') + request(`GET ${configMaps}/a`, ''),
  );
  try {
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      text += chunk as string;
      if (/HTTP\/1\.1 \d+ [^]*HTTP\/1\.1 \d+ /.test(text)) {
        break;
      }
    }
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
  } finally {
    await server.stop();
  }
});
