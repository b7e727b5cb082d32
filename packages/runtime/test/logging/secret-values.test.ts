import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSecretValues } from '../../src/logging/secret-values.ts';

const secret = 'Sesame+open/"the=door\\';

function redact(text: string, ...secrets: readonly string[]): string {
  const values = createSecretValues();
  for (const each of secrets) {
    values.add(each);
  }
  return values.redact(text);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('redact', () => {
  test.each<{ form: string; text: string; becomes: string }>([
    { form: 'as it is', text: `a ${secret} b ${secret}`, becomes: 'a [redacted] b [redacted]' },
    { form: 'in JSON', text: JSON.stringify({ a: secret }), becomes: '{"a":"[redacted]"}' },
    {
      form: 'in JSON within JSON',
      text: JSON.stringify(JSON.stringify({ a: secret })),
      becomes: '"{\\"a\\":\\"[redacted]\\"}"',
    },
    { form: 'in a URL', text: `?token=${encodeURIComponent(secret)}&b`, becomes: '?token=[redacted]&b' },
    { form: 'the beginning of it', text: `cut: ${secret.slice(0, 18)}`, becomes: 'cut: [redacted]' },
    { form: 'another text that begins alike', text: `${secret.slice(0, 15)}!`, becomes: 'Sesame+open/"th!' },
    { form: 'nothing of it', text: 'Sesame street', becomes: 'Sesame street' },
  ])('$form -> $becomes', ({ text, becomes }) => {
    expect(redact(text, secret)).toBe(becomes);
  });

  test('in base64, anything before and after it -> not to be had from it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.boolean(), (before, after, isUrlSafe) => {
        const text = Buffer.from(`${before}${secret}${after}`).toString(isUrlSafe ? 'base64url' : 'base64');
        const left = redact(text, secret);
        expect(left).toContain('[redacted]');
        // At most a character at each of its ends, whose bits are partly those of its neighbours.
        expect(left.length).toBeLessThanOrEqual(
          text.length - Math.floor((secret.length * 8) / 6) + 1 + '[redacted]'.length,
        );
      }),
    );
  });

  test('any secret in any text -> the text without it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (value, before, after) => {
        fc.pre(value.trim().length >= 6 && !'[redacted]'.includes(value.trim()));
        const around = `${before}\n${after}`;
        fc.pre(!`${before}[redacted]${after}`.includes(value.trim()) && !around.includes(value.trim()));
        expect(redact(`${before}${value}${after}`, value)).not.toContain(value.trim());
      }),
    );
  });

  test('tokens of one issuer, which begin alike, one after the other -> each replaced to its end', () => {
    const begin = 'eyJhbGciOiJSUzI1NiIsImtpZCI6I';
    const tokens = ['a', 'ab', 'abc'].map((rest) => `${begin}${rest}`);
    expect(redact(tokens.join(' '), ...tokens)).toBe('[redacted] [redacted] [redacted]');
    expect(redact(tokens.join(''), ...tokens)).toBe('[redacted]'.repeat(3));
    expect(redact(`${begin}b`, ...tokens)).toBe('[redacted]b');
  });

  test('as short as a word -> left as it is', () => {
    expect(redact('user admin', 'admin')).toBe('user admin');
  });

  test('newline at the end of its file -> found without it', () => {
    expect(redact(`a ${secret} b`, `${secret}\n`)).toBe('a [redacted] b');
  });

  test('tokens that begin alike -> nothing of either is left, whichever was added first', () => {
    const [one, other] = ['eyJhbGciOiJSUzI1NiJ9.one.one', 'eyJhbGciOiJSUzI1NiJ9.other.other'];
    for (const tokens of [
      [one, other],
      [other, one],
    ]) {
      expect(redact(`${one} ${other} ${base64(other)}`, ...tokens)).toMatch(
        /^\[redacted\] \[redacted\] \[redacted\].{0,4}$/,
      );
    }
  });

  test('a key of several lines -> found in one line of JSON, and as base64', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n';
    const text = `${JSON.stringify({ key })} ${base64(key)}`;
    expect(redact(text, key)).toMatch(/^\{"key":"\[redacted\]\\n"\} \[redacted\].{0,6}$/);
  });
});

describe('what is remembered', () => {
  test('more than the limit -> the one added longest ago is forgotten', () => {
    const values = createSecretValues(2);
    for (const each of ['first-secret', 'second-secret', 'first-secret', 'third-secret']) {
      values.add(each);
    }
    expect(values.redact('first-secret second-secret third-secret')).toBe(
      '[redacted] second-secret [redacted]',
    );
  });

  test('added again -> still found', () => {
    const values = createSecretValues(1);
    values.add('first-secret');
    expect(values.redact('first-secret')).toBe('[redacted]');
    values.add('first-secret');
    expect(values.redact('first-secret')).toBe('[redacted]');
    values.add('second-secret');
    expect(values.redact('first-secret second-secret')).toBe('first-secret [redacted]');
  });
});
