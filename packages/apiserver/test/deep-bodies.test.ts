import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { configMaps, mergePatch } from './client.ts';

// Codes and messages are those of kube-apiserver 1.36.3.
let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  await server.handle('POST', configMaps, '{"metadata":{"name":"present"}}');
});
afterAll(() => server.stop());

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

test.each([10_001, 1_000_000])('object with lists %d deep -> refused with 400', async (depth) => {
  const { code, body } = await server.handle(
    'POST',
    configMaps,
    `{"metadata":{"name":"d1"},"x":${lists(depth)}}`,
  );
  expect(code).toBe(400);
  expect(JSON.parse(body)).toMatchObject({
    message:
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: invalid character \'[\' exceeded max depth ({"metadata":{"name":"d1"},"x": ...)',
  });
});

test.each([10_001, 400_000])('patch with objects %d deep -> refused with 400', async (depth) => {
  const { code, body } = await server.handle(
    'PATCH',
    `${configMaps}/present`,
    `{"x":${objects(depth)}}`,
    mergePatch,
  );
  expect(code).toBe(400);
  expect(JSON.parse(body)).toMatchObject({
    message: "error decoding patch: invalid character '{' exceeded max depth",
  });
});

test('brackets in strings, and beside each other -> taken', async () => {
  const data = { a: '[{"\\'.repeat(20_000), b: '\\"' };
  const { code } = await server.handle(
    'POST',
    `${configMaps}?dryRun=All`,
    `{"metadata":{"name":"flat"},"data":${JSON.stringify(data)},"x":[${Array(20_000).fill('[]').join()}]}`,
  );
  expect(code).toBe(201);
});

test('unknown field as deep as may be -> taken', async () => {
  const { code } = await server.handle(
    'POST',
    `${configMaps}?dryRun=All`,
    `{"metadata":{"name":"deep"},"x":${objects(9_990)}}`,
  );
  expect(code).toBe(201);
});
