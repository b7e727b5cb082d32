import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generatedName } from '../src/rest/generated-name.ts';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { clientOf, configMaps } from './client.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  await clientOf(server).send('POST', configMaps, { metadata: { name: 'taken' } });
});
afterAll(() => server.stop());

test('first seven suffixes are taken -> the eighth', () => {
  const asked: string[] = [];
  const name = generatedName('web-', (each) => asked.push(each) < 8);
  expect(asked).toHaveLength(8);
  expect(name).toBe(asked[7]);
  expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('all suffixes are taken -> the eighth all the same', () => {
  let tries = 0;
  expect(generatedName('web-', () => ++tries > 0)).toMatch(/^web-.{5}$/);
  expect(tries).toBe(8);
});

test('long base -> cut, so that the name has 63 characters', () => {
  expect(generatedName('x'.repeat(80), () => false)).toHaveLength(63);
});

// Recorded on kube-apiserver 1.36.
test.each([
  { base: undefined, more: '', retryAfterSeconds: undefined },
  {
    base: 'x-',
    more: ', the server was not able to generate a unique name for the object',
    retryAfterSeconds: 1,
  },
])('name that exists, generateName $base -> 409, try again after: $retryAfterSeconds', async (each) => {
  const { base: generateName, more, retryAfterSeconds } = each;
  const metadata = { name: 'taken', generateName };
  for (const query of ['', '?dryRun=All']) {
    const { code, body } = await clientOf(server).send('POST', `${configMaps}${query}`, { metadata });
    expect({ code, message: body.message, reason: body.reason }).toEqual({
      code: 409,
      message: `configmaps "taken" already exists${more}`,
      reason: 'AlreadyExists',
    });
    expect(body.details).toEqual({
      name: 'taken',
      kind: 'configmaps',
      ...(retryAfterSeconds && { retryAfterSeconds }),
    });
  }
});
