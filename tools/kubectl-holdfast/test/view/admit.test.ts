import { expect, test } from '@jest/globals';
import { admit, type Asked } from '../../src/view/admit.ts';

const token = 'the-only-token-of-this-table';
const right: Asked = {
  ...{ method: 'GET', host: '127.0.0.1:8090', origin: undefined },
  target: `/${token}/explain?kind=pvc&name=a%2Fb`,
};

test('GET with host and token -> admitted, path and query apart', () => {
  const admission = admit(right, 8090, token);
  expect(admission).toMatchObject({ kind: 'admitted', path: 'explain' });
  expect(admission.kind === 'admitted' && [...admission.query]).toEqual([
    ['kind', 'pvc'],
    ['name', 'a/b'],
  ]);
});

test.each([
  ['localhost', { host: 'localhost:8090' }, 'admitted'],
  ['LOCALHOST', { host: 'LOCALHOST:8090' }, 'admitted'],
  ['our own origin', { origin: 'http://127.0.0.1:8090' }, 'admitted'],
  ['HEAD', { method: 'HEAD' }, 'admitted'],
  ['no slash at the end', { target: `/${token}` }, 'moved'],
])('%s -> %s', (_, more, kind) => {
  expect(admit({ ...right, ...more }, 8090, token).kind).toBe(kind);
});

test.each([
  ['a name that points here', { host: 'attacker.example:8090' }, 403],
  ['our name with another after it', { host: '127.0.0.1:8090.attacker.example' }, 403],
  ['another port', { host: '127.0.0.1:8091' }, 403],
  ['no port', { host: '127.0.0.1' }, 403],
  ['no host', { host: undefined }, 403],
  ['POST', { method: 'POST' }, 405],
  ['OPTIONS', { method: 'OPTIONS' }, 405],
  ['another origin', { origin: 'http://attacker.example' }, 403],
  ['the origin of a file', { origin: 'null' }, 403],
  ['localhost asked by 127.0.0.1', { host: 'localhost:8090', origin: 'http://127.0.0.1:8090' }, 403],
  ['no token', { target: '/' }, 403],
  ['no target', { target: undefined }, 403],
  ['another token', { target: '/another-token/' }, 403],
  ['the token and more', { target: `/${token}x/` }, 403],
  ['a part of the token', { target: `/${token.slice(0, -1)}/` }, 403],
  ['the token in the query', { target: `/?${token}` }, 403],
  ['the token as a second part', { target: `//${token}/` }, 403],
  ['the address of a proxy', { target: `http://127.0.0.1:8090/${token}/` }, 403],
])('%s -> %d', (_, more, status) => {
  expect(admit({ ...right, ...more }, 8090, token)).toMatchObject({ kind: 'refused', status });
});
