import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalQuantity, compareQuantities, isFractional } from '../src/schema/quantity.ts';

describe('quantities', () => {
  // As kube-apiserver 1.36.3 shows them after they were stored.
  test.each([
    ['1024Mi', '1Gi'],
    ['1000m', '1'],
    ['1.5Gi', '1536Mi'],
    ['0.1Gi', '107374182400m'],
    ['1500M', '1500M'],
    ['1e3', '1e3'],
    ['1000Ki', '1000Ki'],
    ['1000', '1k'],
    ['512', '512'],
    ['0', '0'],
    ['-1', '-1'],
    ['1e20', '100e18'],
    ['-1e20', '-100e18'],
    ['1e300', '1e300'],
    ['10E', '10E'],
  ])('%s -> %s', (given, canonical) => {
    expect(canonicalQuantity(given)).toBe(canonical);
  });

  test.each(['', 'x', '1Gib', '1 Gi', '--1', '1.2.3', '.'])('%j -> no quantity', (given) => {
    expect(canonicalQuantity(given)).toBeUndefined();
  });

  // The first is refused by kube-apiserver too, which is busy with the others for longer than a client waits.
  test.each(['1e9223372036854775808', '1e2147483647', '1e-2147483648'])(
    '%s -> no quantity, at once',
    (given) => {
      expect(canonicalQuantity(given)).toBeUndefined();
    },
  );

  test('more digits than any amount has -> no quantity, and the limit is one', () => {
    expect(canonicalQuantity('9'.repeat(1000))).toBe('9'.repeat(1000));
    expect(canonicalQuantity('9'.repeat(1001))).toBeUndefined();
    expect(canonicalQuantity(`0.${'9'.repeat(1000)}`)).toBeUndefined();
  });

  // As apimachinery's MilliValue()%1000 != 0 has them: of more than 64 bits of thousandths the upper ones are lost.
  test.each([
    ['1500m', true],
    ['1', false],
    ['100u', true],
    ['0.5Ki', false],
    ['0.3Gi', true],
    ['-1500m', true],
    ['8Pi', false],
    ['10Pi', true],
    ['7Ei', true],
    ['10P', false],
    ['9223372036854775', false],
    ['9223372036854776', true],
    ['1e18', false],
  ])('%s has a fraction -> %p', (given, expected) => {
    expect(isFractional(given)).toBe(expected);
  });

  test('canonical form -> same value, and canonical again', () => {
    const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti', 'e3');
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), suffix, (number, unit) => {
        const text = `${number}${unit}`;
        const canonical = canonicalQuantity(text) ?? '';
        expect(compareQuantities(text, canonical)).toBe(0);
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
      { seed: 3 },
    );
  });
});
