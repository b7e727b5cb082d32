import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { configMaps } from './client.ts';

/*
 * kube-apiserver compares the values of a `test` as they are written, with the object as Go writes it. The codes are
 * those that 1.36.3 answered.
 */

let server: ApiServer;
const path = `${configMaps}/written`;

beforeAll(async () => {
  server = await startApiServer({ tls: false });
  const annotations = {
    html: '<a&b>',
    plain: 'plain',
    separator: '\u2028',
    control: '\b\f',
    beyond: '\x7fé',
  };
  await server.handle('POST', configMaps, JSON.stringify({ metadata: { name: 'written', annotations } }));
});
afterAll(() => server.stop());

const patch = async (operation: string): Promise<number> =>
  (await server.handle('PATCH', path, `[${operation}]`, 'application/json-patch+json')).code;

test.each([
  { of: 'html', written: '"<a&b>"', code: 422 },
  { of: 'html', written: String.raw`"\u003ca\u0026b\u003e"`, code: 200 },
  { of: 'html', written: String.raw`"\u003Ca\u0026b\u003E"`, code: 422 },
  { of: 'plain', written: '"plain"', code: 200 },
  { of: 'plain', written: String.raw`"\u0070lain"`, code: 422 },
  { of: 'separator', written: String.raw`"\u2028"`, code: 200 },
  { of: 'separator', written: '"\u2028"', code: 422 },
  { of: 'control', written: String.raw`"\b\f"`, code: 200 },
  { of: 'control', written: String.raw`"\u0008\u000c"`, code: 422 },
  { of: 'beyond', written: '"\x7fé"', code: 200 },
  { of: 'beyond', written: String.raw`"\u007f\u00e9"`, code: 422 },
])('a test of annotation $of, written $written -> $code', async ({ of, written, code }) => {
  expect(await patch(`{"op":"test","path":"/metadata/annotations/${of}","value":${written}}`)).toBe(code);
});

test('a test of all annotations, one of them written otherwise -> 422', async () => {
  const all = String.raw`{"html":"\u003ca\u0026b\u003e","plain":"plain","separator":"\u2028","control":"\b\f","beyond":"${'\x7fé'}"}`;
  const whole = (value: string) => patch(`{"op":"test","path":"/metadata/annotations","value":${value}}`);
  expect(await whole(all)).toBe(200);
  expect(await whole(all.replace(':"plain"', String.raw`:"\u0070lain"`))).toBe(422);
});

test('an annotation added with characters of HTML -> stored as it is meant', async () => {
  expect(await patch('{"op":"add","path":"/metadata/annotations/added","value":"<&>"}')).toBe(200);
  const { body } = await server.handle('GET', path);
  expect(JSON.parse(body)).toMatchObject({ metadata: { annotations: { added: '<&>' } } });
});
