import { expect, test } from '@jest/globals';
import { persistentVolumeClaims, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import type { ApiClient } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { find } from '../../src/client/find.ts';
import { UnreadableObject } from '../../src/wire/unreadable-object.ts';
import { claim } from '../claim.ts';

const ref = { namespace: 'shop', name: 'data' };

/** Answers every read alike, and keeps what was asked. */
function reader(answer: () => unknown): {
  readonly client: Pick<ApiClient, 'get'>;
  readonly asked: readonly (readonly [string, ObjectRef, unknown])[];
} {
  const asked: [string, ObjectRef, unknown][] = [];
  return {
    asked,
    client: {
      get: async <T extends KubernetesObject>(
        resource: { readonly plural: string },
        of: ObjectRef,
        options?: unknown,
      ) => {
        asked.push([resource.plural, of, options]);
        await Promise.resolve();
        return answer() as T;
      },
    },
  };
}

test('object is there -> the object, read with the options given', async () => {
  const data = claim('data', 7);
  const { client, asked } = reader(() => data);
  const options = { signal: new AbortController().signal };
  expect(await find(client, persistentVolumeClaims, ref, options)).toBe(data);
  expect(asked).toEqual([['persistentvolumeclaims', ref, options]]);
});

test.each([
  { what: 'answered 404', error: new ApiError('GET /data', 404, { reason: 'NotFound' }), found: undefined },
  {
    what: 'answered 404 by the page of a proxy',
    error: new ApiError('GET /data', 404, { message: 'default backend - 404' }),
  },
  {
    what: 'answered 404 for a group that is not served',
    error: new ApiError('GET /data', 404, { message: '404 page not found' }),
  },
  { what: 'answered 403', error: new ApiError('GET /data', 403, { reason: 'Forbidden' }) },
  { what: 'answered 410', error: new ApiError('GET /data', 410, { reason: 'Expired' }) },
  { what: 'not answered', error: new Error('socket hang up') },
])(
  '$what -> nothing found on 404 of reason NotFound alone, anything else thrown',
  async ({ error, ...expected }) => {
    const { client } = reader(() => {
      throw error;
    });
    const answer = find(client, persistentVolumeClaims, ref);
    if ('found' in expected) {
      expect(await answer).toBe(expected.found);
    } else {
      await expect(answer).rejects.toBe(error);
    }
  },
);

const { metadata } = claim('data', 7);
test.each([
  { what: 'nothing', answer: null, version: undefined },
  { what: 'an object without metadata', answer: {}, version: undefined },
  { what: 'an object without a UID', answer: { metadata: { ...metadata, uid: '' } }, version: '7' },
  { what: 'an object without a name', answer: { metadata: { ...metadata, name: null } }, version: '7' },
  { what: 'an object of another name', answer: { metadata: { ...metadata, name: 'other' } }, version: '7' },
])(
  'answered with $what -> thrown as unreadable, by the name that was asked for',
  async ({ answer, version }) => {
    const { client } = reader(() => answer);
    const error: unknown = await find(client, persistentVolumeClaims, ref).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadableObject);
    expect(error).toMatchObject({ key: 'shop/data', resourceVersion: version });
  },
);
