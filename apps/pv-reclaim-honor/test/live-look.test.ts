import { expect, test } from '@jest/globals';
import type { ObjectKey, PersistentVolumeClaim } from '@holdfast/core';
import { UnreadableObject, type ApiClient, type List, type Scope } from '@holdfast/runtime';
import { createLiveLook } from '../src/observe/live-look.ts';
import { noClaims, volume } from './objects.ts';

/* Claims by a list, as a look at many volumes takes them: a claim that the list does not have must be gone. */

const request = { signal: new AbortController().signal };

const claim = (namespace: string): PersistentVolumeClaim => ({
  metadata: { name: 'data', namespace, uid: `uid-in-${namespace}`, resourceVersion: '5' },
});
const inNamespace = (namespace: string) => ({
  ...volume(),
  spec: { claimRef: { namespace, name: 'data', uid: 'u' } },
});

/**
 * A cluster with the claim `data` in `shop` and in `bank`, and volume `pv`.
 *
 * @param unread claims that no list can read; undefined among them: one without a name.
 */
async function look(
  volumes: number,
  {
    listed = [undefined],
    unread = [],
    claims = noClaims,
  }: {
    readonly listed?: readonly Scope[];
    readonly unread?: readonly (ObjectKey | undefined)[];
    readonly claims?: Parameters<typeof createLiveLook>[1];
  } = {},
) {
  const requests: string[] = [];
  const client = {
    get: (
      { plural }: { readonly plural: string },
      ref: { readonly name: string; readonly namespace?: string },
    ) => {
      requests.push(`get ${plural} ${ref.namespace ?? ''}`.trim());
      return Promise.resolve(plural === 'persistentvolumes' ? volume() : claim(ref.namespace ?? ''));
    },
    listPages: async function* (
      { plural }: { readonly plural: string },
      options: Parameters<ApiClient['listPages']>[1],
    ): AsyncGenerator<List<unknown>> {
      await Promise.resolve();
      const scope = 'namespace' in options ? `in ${options.namespace}` : 'of all';
      requests.push(`list ${plural} ${scope}`);
      if (plural === 'persistentvolumes') {
        yield { metadata: { resourceVersion: '9' }, items: [volume()] };
        return;
      }
      for (const key of unread) {
        const [namespace, name] = key?.split('/') ?? [];
        options.onUnreadable?.(new UnreadableObject({ namespace, name }, new Error('torn')));
      }
      const items = ['shop', 'bank'].filter(
        (each) => (options.namespace ?? each) === each && !unread.includes(`${each}/data`),
      );
      yield { metadata: { resourceVersion: '9' }, items: items.map(claim) };
    },
  } as unknown as Pick<ApiClient, 'get' | 'listPages'>;
  const looked = await createLiveLook(client, claims, () => listed)(volumes);
  return {
    requests,
    volume: looked.volume('pv', request),
    claimOf: async (namespace: string) => {
      requests.length = 0;
      return (await looked.claim(inNamespace(namespace), request))?.metadata.uid;
    },
    claimOfNone: () => looked.claim({ ...volume(), spec: {} }, request),
  };
}

test('31 volumes -> each asked for by itself; 32 -> two lists', async () => {
  const few = await look(31);
  expect((await few.volume)?.metadata.name).toBe('pv');
  expect(few.requests).toEqual(['get persistentvolumes']);
  const many = await look(32);
  expect((await many.volume)?.metadata.name).toBe('pv');
  expect(many.requests).toEqual(['list persistentvolumes of all', 'list persistentvolumeclaims of all']);
});

test('all claims are listed -> a claim is there if the list has it, and nothing more is asked for', async () => {
  const { requests, claimOf, claimOfNone } = await look(32);
  expect(await claimOf('shop')).toBe('uid-in-shop');
  expect(await claimOf('elsewhere')).toBeUndefined();
  expect(await claimOfNone()).toBeUndefined();
  expect(requests).toStrictEqual([]);
});

test('claims of two namespaces are listed -> one elsewhere is asked for by itself', async () => {
  const { requests, claimOf, claimOfNone } = await look(32, { listed: ['shop', 'empty'] });
  expect(requests.slice(1)).toEqual([
    'list persistentvolumeclaims in shop',
    'list persistentvolumeclaims in empty',
  ]);
  expect(await claimOf('shop')).toBe('uid-in-shop');
  expect(await claimOf('empty')).toBeUndefined();
  expect(requests).toStrictEqual([]);
  expect(await claimOfNone()).toBeUndefined();
  expect(await claimOf('bank')).toBe('uid-in-bank');
  expect(requests).toEqual(['get persistentvolumeclaims bank']);
});

test('a claim that the list can not read -> it alone is asked for by itself, and not taken for gone', async () => {
  const { requests, claimOf } = await look(32, { unread: ['shop/data'] });
  expect(await claimOf('shop')).toBe('uid-in-shop');
  expect(requests).toEqual(['get persistentvolumeclaims shop']);
  expect(await claimOf('bank')).toBe('uid-in-bank');
  expect(requests).toStrictEqual([]);
});

test('a claim of which the list can not even read the name -> each is asked for by itself', async () => {
  const { requests, claimOf } = await look(32, { unread: [undefined] });
  expect(await claimOf('elsewhere')).toBe('uid-in-elsewhere');
  expect(requests).toEqual(['get persistentvolumeclaims elsewhere']);
});

test('the cache has the claim elsewhere -> it is asked for there', async () => {
  const claims = {
    byIndex: (_: string, uid: string) =>
      uid === 'u' ? [{ ...claim('bank'), metadata: { ...claim('bank').metadata, uid } }] : [],
  };
  const { requests, claimOf } = await look(32, { claims });
  expect(await claimOf('shop')).toBe('uid-in-shop');
  expect(requests).toEqual(['get persistentvolumeclaims bank', 'get persistentvolumeclaims shop']);
});
