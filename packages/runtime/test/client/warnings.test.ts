import { afterEach, describe, expect, test } from '@jest/globals';
import { configMaps } from '@holdfast/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino, type Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ConnectedClient } from '../../src/client/api-client.ts';
import { connect } from '../../src/client/connect.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';
import { createWarningLog } from '../../src/client/warning-log.ts';
import { warningsIn, type ApiWarning } from '../../src/client/warnings.ts';
import { processSecrets } from '../../src/logging/secret-values.ts';
import { answerJson, answerStatus, startLocalServer, type Answer } from './local-server.ts';

const header = (text: string): string => `299 - "${text.replace(/["\\]/g, '\\$&')}"`;

/** As Go writes it, and Node hands it over. */
const inBytes = (text: string): string => Buffer.from(text).toString('latin1');

describe('headers', () => {
  test.each<{ what: string; headers: string | readonly string[]; texts: readonly string[] }>([
    { what: 'one', headers: '299 - "v1 Endpoints is deprecated"', texts: ['v1 Endpoints is deprecated'] },
    { what: 'several of one name', headers: [header('a'), header('b')], texts: ['a', 'b'] },
    { what: 'several in one', headers: '299 - "a, b", 299 - "c"', texts: ['a, b', 'c'] },
    {
      what: 'with an agent and a date',
      headers: '299 api/1 "a" "Wed, 21 Oct 2026 07:28:00 GMT"',
      texts: ['a'],
    },
    { what: 'with quotes and backslashes', headers: header('a "b" \\ c'), texts: ['a "b" \\ c'] },
    { what: 'in UTF-8', headers: header(inBytes('a 漢字 🙂')), texts: ['a 漢字 🙂'] },
    { what: 'in Latin-1', headers: header('ünknown'), texts: ['ünknown'] },
    { what: 'of a cache', headers: '110 cache "Response is Stale", 299 - "a"', texts: ['a'] },
    { what: 'that is empty', headers: '299 - ""', texts: [] },
    { what: 'that is none', headers: 'oops', texts: [] },
    { what: 'that does not end', headers: '299 - "a', texts: [] },
    { what: 'that goes on as none', headers: '299 - "a", oops, 299 - "b"', texts: ['a'] },
  ])('$what -> $texts', ({ headers, texts }) => {
    expect(warningsIn(headers)).toEqual(texts);
  });

  test('any texts that a header can have -> as they were', () => {
    const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        expect(warningsIn(texts.map(header))).toEqual(texts);
        expect(warningsIn(texts.map(header).join(', '))).toEqual(texts);
      }),
    );
  });

  test('any header -> read in no time, to short texts', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('299', ' ', '-', '"', '\\', ',', 'a'), maxLength: 5_000 }),
        (text) => {
          expect(warningsIn(text).every(({ length }) => length <= 1_024)).toBe(true);
        },
      ),
    );
  });

  test('a long text -> its beginning', () => {
    expect(warningsIn(header('x'.repeat(5_000)))).toEqual([`${'x'.repeat(1_021)}...`]);
  });

  test('a secret of the process in it -> left out', () => {
    processSecrets.add('warned-of-b2c4f1');
    expect(warningsIn(header('token warned-of-b2c4f1 ends'))).toEqual(['token [redacted] ends']);
  });
});

function recording(): { readonly logger: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line) as Record<string, unknown>);
  return { logger: pino({ base: null, timestamp: false }, { write }), lines };
}

describe('log', () => {
  test('a text again and again -> one line', () => {
    const { logger, lines } = recording();
    const say = createWarningLog(logger);
    for (const text of ['a', 'b', 'a', 'a']) {
      say({ request: 'GET /api', text });
    }
    const line = { level: 40, request: 'GET /api', msg: 'API server warns' };
    expect(lines).toEqual([
      { ...line, warning: 'a' },
      { ...line, warning: 'b' },
    ]);
  });

  test('more texts than are remembered -> one line that says so, and none after it', () => {
    const { logger, lines } = recording();
    const say = createWarningLog(logger, 3);
    for (let n = 0; n < 10; n++) {
      say({ request: 'GET /api', text: String(n % 5) });
    }
    expect(lines.map(({ msg }) => msg)).toEqual([
      'API server warns',
      'API server warns',
      'API server warns',
      'API server warns of more than is logged',
    ]);
  });
});

describe('client', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) {
      await each.close();
    }
  });

  async function start(answer: Answer, onWarning?: (warning: ApiWarning) => void) {
    const server = await startLocalServer(answer);
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-warnings-'));
    const kubeconfig = join(folder, 'kubeconfig');
    const cluster = { name: 'c', cluster: { server: server.origin } };
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
        ...{ clusters: [cluster], contexts: [context], users: [{ name: 'u', user: {} }] },
      }),
    );
    const registry = new Registry();
    const { logger, lines } = recording();
    const client: ConnectedClient = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig, insecureHttp: true }),
      ...{ registry, logger, program: 'warned', version: '0' },
      ...(onWarning === undefined ? {} : { onWarning }),
    });
    opened.push({ close: () => rm(folder, { recursive: true }) }, server, client);
    const count = async (): Promise<number | undefined> =>
      (await registry.getSingleMetric('rest_client_warnings_total')?.get())?.values[0]?.value;
    return { client, lines, count };
  }

  const data = { kind: 'ConfigMap', metadata: { name: 'data', uid: 'u', resourceVersion: '1' } };
  const ref = { namespace: 'shop', name: 'data' };

  test('answers with the same warning -> logged once, counted and handed on each time', async () => {
    const seen: ApiWarning[] = [];
    const { client, lines, count } = await start(
      (response) =>
        answerJson(response, 200, data, { warning: [header('old'), header(inBytes('ünknown field'))] }),
      (warning) => seen.push(warning),
    );
    await client.get(configMaps, ref);
    await client.get(configMaps, ref);
    const request = 'GET /api/v1/namespaces/shop/configmaps/data';
    const [old, field] = [
      { request, text: 'old' },
      { request, text: 'ünknown field' },
    ];
    expect(seen).toEqual([old, field, old, field]);
    expect(lines.map(({ warning, msg }) => [msg, warning])).toEqual([
      ['API server warns', 'old'],
      ['API server warns', 'ünknown field'],
    ]);
    expect(await count()).toBe(4);
  });

  test('a request that is refused, and a watch, with a warning -> likewise', async () => {
    const { client, lines, count } = await start((response, { url }) =>
      url.includes('watch')
        ? response.writeHead(200, { warning: header('watched') }).end()
        : answerStatus(response, 422, 'Invalid', { warning: header('refused') }),
    );
    await expect(client.get(configMaps, ref)).rejects.toThrow('422');
    const { signal } = new AbortController();
    await client.watch(configMaps, { timeoutSeconds: 1, silenceLimit: 1_000, signal }, () => undefined);
    expect(lines.map(({ warning }) => warning)).toEqual(['refused', 'watched']);
    expect(await count()).toBe(2);
  });

  test('callback that throws -> logged, and the request is answered all the same', async () => {
    const { client, lines } = await start(
      (response) => answerJson(response, 200, data, { warning: header('old') }),
      () => {
        throw new Error('not my day');
      },
    );
    expect(await client.get(configMaps, ref)).toEqual(data);
    expect(lines.map(({ msg }) => msg)).toEqual(['API server warns', 'Callback for warnings failed']);
  });

  test('no warning -> nothing is logged, nor counted', async () => {
    const { client, lines, count } = await start((response) => answerJson(response, 200, data));
    await client.get(configMaps, ref);
    expect(lines).toStrictEqual([]);
    expect(await count()).toBeUndefined();
  });
});
