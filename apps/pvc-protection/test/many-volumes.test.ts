import { expect, test } from '@jest/globals';
import { claimKeysOf } from '../src/decide/pod-claims.ts';
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
