import { expect, test } from '@jest/globals';
import type { Volume } from '@holdfast/core';
import { claimKeysOf, claimsNamedBy } from '../src/decide/pod-claims.ts';
import { pod } from './objects.ts';

test('pod names two claims by a thousand volumes each -> two keys, in the order of the volumes', () => {
  const volumes = Array.from({ length: 2_000 }, (_, index) => ({
    name: `v${String(index)}`,
    persistentVolumeClaim: { claimName: index % 2 === 0 ? 'b' : 'a' },
  }));
  expect(claimKeysOf(pod({ volumes }))).toEqual(['ns/b', 'ns/a']);
});

test('claims of generic ephemeral volumes -> named after pod and volume', () => {
  expect(claimKeysOf(pod({ volumes: [{ name: 'scratch', ephemeral: {} }] }))).toEqual(['ns/web-scratch']);
});

const direct = (claimName: string): Volume => ({ name: 'v', persistentVolumeClaim: { claimName } });
const ephemeral: Volume = { name: 'scratch', ephemeral: {} };

test.each([
  { name: 'by a volume', volumes: [direct('web-scratch')], naming: { direct: true, ephemeral: false } },
  { name: 'by an ephemeral volume', volumes: [ephemeral], naming: { direct: false, ephemeral: true } },
  {
    name: 'by a volume, then by an ephemeral one',
    volumes: [direct('web-scratch'), ephemeral],
    naming: { direct: true, ephemeral: true },
  },
  {
    name: 'by an ephemeral volume, then by another',
    volumes: [ephemeral, direct('web-scratch')],
    naming: { direct: true, ephemeral: true },
  },
  {
    name: 'by two volumes',
    volumes: [direct('web-scratch'), direct('web-scratch')],
    naming: { direct: true, ephemeral: false },
  },
  {
    name: 'by two ephemeral volumes',
    volumes: [ephemeral, ephemeral],
    naming: { direct: false, ephemeral: true },
  },
])('pod names a claim $name -> $naming', ({ volumes, naming }) => {
  expect([...claimsNamedBy(pod({ volumes }))]).toEqual([['web-scratch', naming]]);
});

test('pod of 17 volumes -> what it names is read once; of 16 -> not remembered', () => {
  const of = (count: number) => pod({ volumes: Array.from({ length: count }, () => direct('data')) });
  const [many, few] = [of(17), of(16)];
  expect(claimsNamedBy(many)).toBe(claimsNamedBy(many));
  expect(claimsNamedBy(few)).not.toBe(claimsNamedBy(few));
  expect(claimsNamedBy(few)).toEqual(claimsNamedBy(many));
});

test('pod without a spec -> names nothing', () => {
  const { metadata } = pod();
  expect(claimsNamedBy({ metadata }).size).toBe(0);
});
