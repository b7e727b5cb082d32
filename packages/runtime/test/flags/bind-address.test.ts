import { expect, test } from '@jest/globals';
import { parseBindAddress, type BindAddress } from '../../src/flags/bind-address.ts';

test.each<{ text: string; address: BindAddress }>([
  { text: '0', address: { kind: 'off' } },
  { text: ':8080', address: { kind: 'listen', host: undefined, port: 8080 } },
  { text: ':0', address: { kind: 'listen', host: undefined, port: 0 } },
  { text: '127.0.0.1:0', address: { kind: 'listen', host: '127.0.0.1', port: 0 } },
  { text: '0.0.0.0:65535', address: { kind: 'listen', host: '0.0.0.0', port: 65535 } },
  { text: 'localhost:8081', address: { kind: 'listen', host: 'localhost', port: 8081 } },
  { text: '[::1]:8080', address: { kind: 'listen', host: '::1', port: 8080 } },
  { text: '[::]:1', address: { kind: 'listen', host: '::', port: 1 } },
])('$text -> $address', ({ text, address }) => {
  expect(parseBindAddress(text)).toEqual(address);
});

test.each([
  '',
  '8080',
  '1',
  ':',
  ':65536',
  ':99999',
  ':-1',
  ':http',
  '127.0.0.1',
  '::1:8080',
  '[::1]',
  'http://x:1',
  ' :1',
  'a b:1',
])('"%s" -> none', (text) => {
  expect(parseBindAddress(text)).toBeUndefined();
});
