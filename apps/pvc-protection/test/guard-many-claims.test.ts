import { expect, test } from '@jest/globals';
import type { KubernetesObject, Pod } from '@holdfast/core';
import { ApiError, UnreadableObject, type AdmissionRequest, type ApiClient } from '@holdfast/runtime';
import { createBindingGuard } from '../src/admission/guard-binding.ts';
import { claim, pod } from './objects.ts';

/** A pod on a node, which names `count` claims: claim-0, claim-1, and so on. */
const podOf = (count: number): Pod =>
  pod({
    node: 'node-1',
    volumes: Array.from({ length: count }, (_, index) => ({
      name: `v${String(index)}`,
      persistentVolumeClaim: { claimName: `claim-${String(index)}` },
    })),
  });

const creating = (object: Pod): AdmissionRequest =>
  ({
    uid: 'request',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace: 'ns',
    operation: 'CREATE',
    object,
    oldObject: null,
  }) as unknown as AdmissionRequest;

/** An API server with these claims in namespace ns; `sent` counts the requests. */
function serverWith(claims: readonly KubernetesObject[], unreadable: readonly UnreadableObject[] = []) {
  const sent = { gets: 0, pages: 0 };
  const client = {
    get: (_resource: unknown, { name }: { readonly name: string }) => {
      sent.gets += 1;
      const found = claims.find(({ metadata }) => metadata.name === name);
      return found === undefined
        ? Promise.reject(new ApiError('GET', 404, { reason: 'NotFound' }))
        : Promise.resolve(found);
    },
    listPages: async function* (
      _resource: unknown,
      { namespace, onUnreadable }: { namespace?: string; onUnreadable?: (problem: UnreadableObject) => void },
    ) {
      expect(namespace).toBe('ns');
      sent.pages += 1;
      unreadable.forEach((problem) => onUnreadable?.(problem));
      yield await Promise.resolve({ items: claims, metadata: { resourceVersion: '1' } });
    },
  } as unknown as ApiClient;
  const judge = async (object: Pod): Promise<string> => {
    const answer = await createBindingGuard(client)(creating(object), new AbortController().signal);
    return answer.kind === 'denied' ? answer.message : answer.kind;
  };
  return { sent, judge };
}

test('pod names two claims -> each is read on its own', async () => {
  const { sent, judge } = serverWith([claim({ name: 'claim-1', deleted: true })]);
  expect(await judge(podOf(2))).toBe('PVC (claim-1) is in scheduled for deletion state');
  expect(sent).toEqual({ gets: 2, pages: 0 });
});

test('pod names ten thousand claims, one of them terminating -> refused after one list of the namespace', async () => {
  const { sent, judge } = serverWith([
    claim({ name: 'elsewhere', deleted: true }),
    claim({ name: 'claim-0' }),
    claim({ name: 'claim-9999', deleted: true }),
  ]);
  expect(await judge(podOf(10_000))).toBe('PVC (claim-9999) is in scheduled for deletion state');
  expect(sent).toEqual({ gets: 0, pages: 1 });
});

test('pod names many claims, and only others are terminating -> allowed', async () => {
  const { judge } = serverWith([claim({ name: 'elsewhere', deleted: true }), claim({ name: 'claim-0' })]);
  expect(await judge(podOf(100))).toBe('allowed');
});

const oddClaim = (name: string): UnreadableObject =>
  new UnreadableObject({ namespace: 'ns', name, resourceVersion: '1' }, new Error('odd'));

test('one of many claims cannot be read -> the review fails, so that the failurePolicy decides', async () => {
  await expect(serverWith([], [oddClaim('claim-7')]).judge(podOf(100))).rejects.toThrow('odd');
});

test('a claim that cannot be read is not one of the many -> allowed', async () => {
  expect(await serverWith([], [oddClaim('elsewhere')]).judge(podOf(100))).toBe('allowed');
});
