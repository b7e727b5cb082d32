import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, pods } from '@holdfast/core';
import type { ServerResponse } from 'node:http';
import type { ApiClient } from '../../src/client/api-client.ts';
import { createLineSplitter } from '../../src/client/line-splitter.ts';
import { createTransport } from '../../src/client/transport.ts';
import { createFrameSplitter } from '../../src/wire/frame-splitter.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { createLocalClient } from './local-client.ts';
import { startLocalServer, type LocalServer } from './local-server.ts';

const mebi = 1024 * 1024;
const chunk = Buffer.alloc(mebi, 'x');

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

/**
 * A server that answers with a head and then sends for ever, and a client of it; `sent` counts the bytes that the
 * server wrote.
 */
async function startEndless(
  status: number,
  contentType: string,
  first: Buffer = Buffer.alloc(0),
): Promise<{ client: ApiClient; server: LocalServer; sent(): number }> {
  let sent = 0;
  const pour = (response: ServerResponse): void => {
    while (!response.destroyed && response.write(chunk)) {
      sent += chunk.length;
    }
  };
  const server = await startLocalServer((response) => {
    response.writeHead(status, { 'content-type': contentType });
    response.write(first);
    response.on('drain', () => pour(response));
    pour(response);
  });
  const client = createLocalClient(server, {
    transport: createTransport({ origin: server.origin, largestBody: 2 * mebi }),
  });
  opened.push(server, client);
  return { client, server, sent: () => sent };
}

const slimPod = createProjection(pods, { spec: { nodeName: true } });

function watch(client: ApiClient): Promise<void> {
  const request = { timeoutSeconds: 60, silenceLimit: 60_000, signal: new AbortController().signal };
  return client.watch(pods, { ...request, projection: slimPod }, () => undefined);
}

describe('H8: server that never ends its answer', () => {
  test('line of a watch -> the watch fails', async () => {
    const { client } = await startEndless(200, 'application/json');
    await expect(watch(client)).rejects.toThrow('an event has more than 16777216 bytes');
  });

  test('frame of a watch announced with 4 GiB -> the watch fails before they come', async () => {
    const { client, sent } = await startEndless(
      200,
      'application/vnd.kubernetes.protobuf;stream=watch',
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
    );
    await expect(watch(client)).rejects.toThrow('an event has more than 16777216 bytes');
    expect(sent()).toBeLessThan(256 * mebi);
  });

  test.each([201, 202, 206])('%d to a watch -> the watch fails at once', async (status) => {
    const { client } = await startEndless(status, 'application/json');
    await expect(watch(client)).rejects.toThrow(`a watch was answered with ${status}`);
  });

  test('body of a success -> the request fails at the limit', async () => {
    const { client } = await startEndless(200, 'application/json');
    await expect(client.list(persistentVolumeClaims)).rejects.toThrow(
      'the answer has more than 2097152 bytes',
    );
  });

  test.each([404, 500])('body of a %d -> the request fails at 1 MiB', async (status) => {
    const { client } = await startEndless(status, 'text/plain');
    await expect(client.list(persistentVolumeClaims)).rejects.toThrow(
      'the answer has more than 1048576 bytes',
    );
  });

  test('body of a 403 to a watch -> the watch fails at 1 MiB', async () => {
    const { client } = await startEndless(403, 'text/plain');
    await expect(watch(client)).rejects.toThrow('the answer has more than 1048576 bytes');
  });
});

describe('event of the largest size', () => {
  const largest = 16 * mebi;

  test('line -> passed on; one byte more -> thrown', () => {
    const lines: string[] = [];
    const splitter = createLineSplitter((line) => lines.push(line));
    splitter.push(Buffer.alloc(largest, 'x'));
    splitter.push(Buffer.from('\n'));
    expect(lines.map(({ length }) => length)).toEqual([largest]);
    expect(() => splitter.push(Buffer.alloc(largest + 1, 'x'))).toThrow('16777216');
  });

  test('frame -> passed on; one byte more -> thrown', () => {
    const head = (length: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(length);
      return bytes;
    };
    const lengths: number[] = [];
    const splitter = createFrameSplitter((frame) => lengths.push(frame.length));
    splitter.push(head(largest));
    splitter.push(Buffer.alloc(largest));
    expect(lengths).toEqual([largest]);
    expect(() => splitter.push(head(largest + 1))).toThrow('16777216');
  });
});
