import { describe, expect, test } from '@jest/globals';
import { claimRefs } from '../src/benchmarks/claims.ts';

describe('claimRefs', () => {
  test.each([
    { claims: 5, namespaces: 1, sizes: [5] },
    { claims: 5, namespaces: 2, sizes: [3, 2] },
    { claims: 5_000, namespaces: 10, sizes: Array.from({ length: 10 }, () => 500) },
  ])('$claims claims, $namespaces namespaces -> $sizes', ({ claims, namespaces, sizes }) => {
    const refs = claimRefs(claims, namespaces);
    const perNamespace = new Map<string, number>();
    for (const { namespace } of refs) {
      perNamespace.set(namespace, (perNamespace.get(namespace) ?? 0) + 1);
    }
    expect([...perNamespace.values()]).toEqual(sizes);
    expect(new Set(refs.map(({ name }) => name)).size).toBe(claims);
  });
});
