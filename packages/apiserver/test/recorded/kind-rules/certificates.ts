import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* Requests for certificates, and what becomes of them. */

const ed25519 =
  'MIGXMEsCAQAwGDEKMAgGA1UECgwBbzEKMAgGA1UEAwwBYTAqMAUGAytlcAMhANf71kMsBS17sR2xkTnpgKxg03873jCeSt2Ry3w9a/45oAAwBQYDK2VwA0EA05KI+5MXeX/m72UDYKwbj+vcym2Kby4C6k2g2BPpTZ8vaYeZaviBITkR+XLNKPHsQF4bnh59452F2anX1n50Bg==';
const rsa =
  'MIIBVzCBwQIBADAYMQowCAYDVQQKDAFvMQowCAYDVQQDDAFhMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDbXGTHotYM9wOqJSMUU9v7dKuM0F0CIaPIHsr/5fqZvTkdhzWlHQ57WQrp5gYpbSzDKnj+5OE9eXevCdpqvmPSReA2eDNpCW/zTUCaPoqMJyAbAGp/lrSTtnpD+hAxmCtK0LAgaFZmQMU8OT65gjPwIp6hA4uiloyGQfp0muVeHwIDAQABoAAwDQYJKoZIhvcNAQELBQADgYEApBRT6K45Jl3NS0qBpbnb5pE9AF5J9TqBj/f7uWllHcTJZ1tkhtFF4fxwcG4j+49lizaOxL7mDqZsuB+I13X6QSChEum+CNRZHaFWe8L7Em+rOFzSMCooUkbCv5OjnqRQdai2AaNUhx5Hdj0J9qYBeilimGrRF+zB76GZziybQ3w=';
const ecdsa =
  'MIHGMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABB/Hn4S4p40s3hj/3vBe8xjUPFJ4lmf6mu9zJMm5UG+Ik+VIIO/bQqAIGdwZjbuPNicMfxU/0oXRPL035QIVsbagADAKBggqhkjOPQQDAgNIADBFAiANYKW9ks5egkl14O4V9r6LycRF6OX+RhpwPccqdHpMUAIhAJP0EeC44abgSMQ1WBThVmLPOZbXEPTSNv7KGe1nqKqE';
const certificate =
  'MIIBbDCCAROgAwIBAgIUMHyzRJHYUhp2YGAZV/U42JO5OhQwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAeFw0yNjExMjYxOTMyMjRaFw0zNjExMjMxOTMyMjRaMAwxCjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQfx5+EuKeNLN4Y/97wXvMY1DxSeJZn+prvcyTJuVBviJPlSCDv20KgCBncGY27jzYnDH8VP9KF0Ty9N+UCFbG2o1MwUTAdBgNVHQ4EFgQUe62sWU4mg3mGSn8f+tmUeZcaucIwHwYDVR0jBBgwFoAUe62sWU4mg3mGSn8f+tmUeZcaucIwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiArvBgSVMszyr+2aNxf7VgE2RdlpVCbQgx11ORjXoVP8gIgL3W5k63hxTNy0piB6PHHCqwN2p9ZpU7LFb36K7ZHPTE=';

const pem = (base64: string, type = 'CERTIFICATE REQUEST', headers = ''): string =>
  `-----BEGIN ${type}-----\n${headers}${base64}\n-----END ${type}-----\n`;
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const request = (text: string): Fields => spec({ request: encoded(text) });
/** The signed bytes, changed at a place. */
const changed = (base64: string, at: number, value: number): string => {
  const bytes = Buffer.from(base64, 'base64');
  bytes[at < 0 ? bytes.length + at : at] = value;
  return bytes.toString('base64');
};
const cut = (base64: string, length: number): string =>
  Buffer.from(base64, 'base64').subarray(0, length).toString('base64');

const spec = (fields: Fields): Fields => ({ spec: fields });
const issued = (text: string): Fields => ({ status: { certificate: encoded(text) } });
const conditions = (...list: readonly Fields[]): Fields => ({ status: { conditions: list } });
const approved = { type: 'Approved', status: 'True', reason: 'a' };
const denied = { type: 'Denied', status: 'True', reason: 'd' };
const failed = { type: 'Failed', status: 'True', reason: 'f' };
const label = 'a'.repeat(64);
const domain = Array.from({ length: 5 }, () => 'a'.repeat(60)).join('.');

export const signingRequests: RuleStory = {
  collection: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  name: '$NS',
  right: spec({ signerName: 'example.com/s', usages: ['client auth'], request: encoded(pem(ed25519)) }),
  creates: [
    spec({ request: null }),
    spec({ request: '' }),
    spec({ request: 'YQ==' }),
    request(pem(rsa)),
    request(pem(ecdsa)),
    request(`text before\n${pem(ed25519)}text behind`),
    request(pem(ed25519).replaceAll('\n', '\r\n')),
    request(pem(ed25519, 'CERTIFICATE REQUEST', 'Proc-Type: a\n\n')),
    request(pem(ed25519) + pem('YQ==')),
    request(pem('YQ==', 'OTHER') + pem(ed25519)),
    request(pem(ed25519, 'NEW CERTIFICATE REQUEST')),
    request(pem(certificate, 'CERTIFICATE')),
    request(pem('')),
    request(pem('YQ==')),
    request(pem('MAA=')),
    request(pem(cut(ed25519, 100))),
    request(pem(`${ed25519.replace(/=+$/, '')}AA==`)),
    request(pem(cut(`${ed25519.replace(/=+$/, '')}AAAA`, 155))),
    request(pem(changed(ed25519, -1, 0))),
    request(pem(changed(rsa, -1, 0))),
    request(pem(changed(ecdsa, -1, 0))),
    request(pem(changed(ed25519, 60, 0))),
    ...[
      { usages: [] },
      { usages: ['nothing'] },
      { usages: ['any', 'any'] },
      { usages: ['server auth', 's/mime', 'ipsec user'] },
      { signerName: '' },
      { signerName: 'a' },
      { signerName: 'a/b' },
      { signerName: 'example.com/' },
      { signerName: '/b' },
      { signerName: 'example.com/a/b' },
      { signerName: 'Example.com/a' },
      { signerName: 'example..com/a' },
      { signerName: 'example.com/A_b.c' },
      { signerName: 'example.com/a.b-c' },
      { signerName: `${label}.com/${label}` },
      { signerName: `${domain}/a` },
      { signerName: `${domain}/${domain}.${domain}` },
      { signerName: 'kubernetes.io/legacy-unknown' },
      { signerName: 'kubernetes.io/kube-apiserver-client' },
      { expirationSeconds: 599 },
      { expirationSeconds: 600 },
      { expirationSeconds: -1 },
      { username: 'u', uid: 'i', groups: ['g'], extra: { a: ['b'] } },
    ].map(spec),
    conditions(approved),
    issued('a'),
    { metadata: { name: 'A b' } },
    { metadata: { name: 'a/b' } },
    { metadata: { finalizers: ['f'] } },
  ],
  parts: [
    ['approval', conditions({})],
    ['approval', conditions({ type: 'T', status: '' })],
    ['approval', conditions({ type: 'T', status: 'Sometimes' })],
    ['approval', conditions({ ...approved, status: 'False' })],
    ['approval', conditions({ ...denied, status: null })],
    ['approval', conditions(approved, denied)],
    ['approval', conditions(denied, approved)],
    ['approval', conditions(approved, approved)],
    ['approval', conditions({ type: 'T', status: 'Unknown' })],
    ['status', conditions(approved)],
    ['status', conditions({ type: 'T', status: 'False' }, denied)],
    ['approval', { ...conditions(approved), ...spec({ signerName: 'example.com/t' }) }],
    ['approval', issued(pem(certificate, 'CERTIFICATE'))],
    ['approval', conditions()],
    ['approval', conditions(approved, denied)],
    ['approval', conditions({ ...approved, reason: 'b' })],
    ['status', conditions({ ...approved, reason: 'c', message: 'm' }, failed)],
    ['status', conditions(approved)],
    ['status', conditions(approved, { ...failed, status: 'False' })],
  ],
  statuses: [
    conditions(),
    issued('a'),
    issued(pem(certificate)),
    issued(pem(certificate, 'CERTIFICATE', 'A: b\n\n')),
    issued(pem('', 'CERTIFICATE')),
    issued(pem('YQ==', 'CERTIFICATE')),
    issued(pem(certificate, 'CERTIFICATE') + pem(ed25519)),
    issued(`x\n${pem(certificate, 'CERTIFICATE')}${pem(certificate, 'CERTIFICATE')}y`),
    issued(pem(certificate, 'CERTIFICATE')),
    { status: { certificate: null } },
    { metadata: { labels: { from: 'status' } }, ...spec({ usages: ['any'] }) },
  ],
  updates: [
    spec({ signerName: '', request: 'YQ==' }),
    conditions(),
    { status: null },
    { metadata: { labels: { a: 'b' } } },
  ],
};
