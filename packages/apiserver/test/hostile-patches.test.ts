import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { configMaps } from './client.ts';

// Codes, reasons and messages are those of kube-apiserver 1.36.3.
describe('JSON patches that nobody should send', () => {
  let server: ApiServer;
  const path = `${configMaps}/patched`;
  beforeAll(async () => {
    server = await startApiServer({ tls: false });
    const metadata = { name: 'patched', labels: { a: 'b' } };
    await server.handle('POST', configMaps, JSON.stringify({ metadata, data: { a: 'b' } }));
  });
  afterAll(() => server.stop());

  const patch = (operations: readonly object[]): ReturnType<ApiServer['handle']> =>
    server.handle('PATCH', `${path}?dryRun=All`, JSON.stringify(operations), 'application/json-patch+json');

  const places = ['', '/metadata', '/metadata/labels'];
  test.each(
    places.flatMap((place) => ['add', 'replace', 'remove', 'test'].map((op) => [op, place] as const)),
  )('%s below %s/__proto__ -> refused, and no object of the process has the field', async (op, place) => {
    try {
      const { code } = await patch([{ op, path: `${place}/__proto__/patchedIn`, value: 'x' }]);
      expect(Reflect.get({}, 'patchedIn')).toBeUndefined();
      expect(code).toBe(422);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'patchedIn');
    }
  });

  test.each(['remove', 'test'])('%s of a label toString that is not there -> refused', async (op) => {
    expect((await patch([{ op, path: '/metadata/labels/toString', value: 'x' }])).code).toBe(422);
  });

  test('label toString added, tested, and copied -> there as any other', async () => {
    const { code, body } = await patch([
      { op: 'add', path: '/metadata/labels/toString', value: 'x' },
      { op: 'test', path: '/metadata/labels/toString', value: 'x' },
      { op: 'copy', from: '/metadata/labels/toString', path: '/data/constructor' },
    ]);
    expect(code).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      metadata: { labels: { a: 'b', toString: 'x' } },
      data: { a: 'b', constructor: 'x' },
    });
  });

  const added = { op: 'add', path: '/data/a', value: 'q' };

  test('10,000 operations -> taken', async () => {
    expect((await patch(Array.from({ length: 10_000 }, () => added))).code).toBe(200);
  });

  test('10,001 operations -> refused before any is done', async () => {
    const { code, body } = await patch(Array.from({ length: 10_001 }, () => added));
    expect(code).toBe(413);
    expect(JSON.parse(body)).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  test('copies that double what was copied -> refused above 3 MiB', async () => {
    const twice = [
      { op: 'copy', from: '/x', path: '/y' },
      { op: 'copy', from: '/y', path: '/x/-' },
    ];
    const doublings = Array.from({ length: 18 }, () => twice).flat();
    expect((await patch([{ op: 'add', path: '/x', value: ['x', 'y'] }, ...doublings])).code).toBe(422);
  });
});
