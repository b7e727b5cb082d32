import { expect, test } from '@jest/globals';
import type { KubeObject } from '../src/meta/kube-object.ts';
import { validateObjectMetaUpdate } from '../src/meta/object-meta.ts';

test('terminating object with many finalizers updated -> each of the old ones is read a few times', () => {
  const count = 1_000;
  const finalizers = Array.from({ length: count }, (_, index) => `e.com/f${String(index)}`);
  let reads = 0;
  const counted = new Proxy(finalizers, {
    get: (target, key, receiver) => {
      reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const metadata = { name: 'a', resourceVersion: '1', deletionTimestamp: '2030-01-01T00:00:00Z' };
  const object = (own: string[]): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, finalizers: own },
  });
  const errors = validateObjectMetaUpdate(object([...finalizers, 'e.com/new']), object(counted));
  expect(errors).toMatchObject([{ field: 'metadata.finalizers' }]);
  expect(reads).toBeLessThan(count * 10);
});
