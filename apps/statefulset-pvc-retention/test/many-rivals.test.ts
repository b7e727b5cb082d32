import { describe, expect, test } from '@jest/globals';
import {
  openLook,
  UnreadableObject,
  type ApiClient,
  type List,
  type ListOptions,
  type Projection,
} from '@holdfast/runtime';
import { lookForRivals } from '../src/rivals.ts';
import type { Workload } from '../src/workload.ts';
import { claim } from './snapshots.ts';

const statefulSets = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

test('64 claims, a rival of a thousand templates -> each template is read a few times', async () => {
  let reads = 0;
  const template = {
    get metadata() {
      reads += 1;
      return { name: 'data' };
    },
  };
  const rival: Workload = {
    metadata: { name: 'web', namespace: 'ns', uid: 'uid-of-rival', resourceVersion: '1' },
    spec: { volumeClaimTemplates: Array.from({ length: 1_000 }, () => template) },
  };
  const client = {
    list: () => Promise.resolve({ metadata: { resourceVersion: '1' }, items: [rival] } as List<Workload>),
  } as unknown as ApiClient;
  const kinds = [{ resource: statefulSets, isFollowing: () => true }];
  const projectionOf = (): Projection<Workload> => ({ fromJson: (workload) => workload });
  const claims = Array.from({ length: 64 }, () => claim());

  const rivals = await lookForRivals({ client, kinds, projectionOf }, claims, [], {
    signal: new AbortController().signal,
    look: openLook(),
  });

  expect(claims.map((each) => rivals.of(each, 'uid-of-web'))).toEqual(claims.map(() => 'there'));
  expect(claims.map((each) => rivals.of(each, 'uid-of-rival'))).toEqual(claims.map(() => 'none'));
  expect(reads).toBeLessThan(5_000);
});

test('a kind can be read again while the others are listed -> it was not listed, and is unseen', async () => {
  let isServed = false;
  const cloneSets = { ...statefulSets, group: 'apps.kruise.io', version: 'v1beta1' };
  const client = {
    list: () => {
      isServed = true;
      return Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] });
    },
  } as unknown as ApiClient;
  const kinds = [
    { resource: statefulSets, isFollowing: () => true },
    { resource: cloneSets, isFollowing: () => isServed },
  ];
  const projectionOf = (): Projection<Workload> => ({ fromJson: (workload) => workload });

  const rivals = await lookForRivals({ client, kinds, projectionOf }, [claim()], [], {
    signal: new AbortController().signal,
    look: openLook(),
  });

  expect(rivals.of(claim(), undefined)).toBe('unseen');
});

describe('name of 120 dashes', () => {
  const name = `data-${Array.from({ length: 120 }, () => 'x').join('-')}-0`;
  const dashed = { ...claim(), metadata: { ...claim().metadata, name } };
  const set = (setName: string, template: string): Workload => ({
    metadata: { name: setName, namespace: 'ns', uid: `uid-of-${setName}`, resourceVersion: '1' },
    spec: { volumeClaimTemplates: [{ metadata: { name: template } }] },
  });

  /** What a look finds in a namespace of these sets, and the requests that it sends. */
  async function look(sets: readonly Workload[], unreadable: readonly UnreadableObject[] = []) {
    const requests: Pick<ListOptions, 'namespace' | 'fieldSelector'>[] = [];
    const client = {
      list: (_resource: unknown, { namespace = '', fieldSelector = '' }: ListOptions) => {
        requests.push({ namespace, fieldSelector });
        return Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] });
      },
      listPages: async function* (_resource: unknown, { namespace = '', onUnreadable }: ListOptions) {
        requests.push({ namespace });
        unreadable.forEach((problem) => onUnreadable?.(problem));
        yield await Promise.resolve({ metadata: { resourceVersion: '1' }, items: sets });
      },
    } as unknown as ApiClient;
    const rivals = await lookForRivals(
      {
        client,
        kinds: [{ resource: statefulSets, isFollowing: () => true }],
        projectionOf: () => ({ fromJson: (workload) => workload }),
      },
      [dashed],
      [],
      { signal: new AbortController().signal, look: openLook() },
    );
    return { requests, rivals };
  }

  test('one list of the namespace shows whether a set makes such a claim', async () => {
    const { requests, rivals } = await look([set('x-x', `data${'-x'.repeat(118)}`), set('y', 'data')]);
    expect(requests).toEqual([{ namespace: 'ns' }]);
    expect(rivals.of(dashed, undefined)).toBe('there');
    expect(rivals.of(dashed, 'uid-of-x-x')).toBe('none');
    expect(rivals.found.map(({ workload }) => workload.metadata.name)).toEqual(['x-x']);
  });

  const odd = (setName: string): UnreadableObject =>
    new UnreadableObject({ namespace: 'ns', name: setName, resourceVersion: '1' }, new Error('odd'));

  test('a set of such a name cannot be read -> the look fails', async () => {
    await expect(look([], [odd('x-x')])).rejects.toThrow('odd');
  });

  test('a set of another name cannot be read -> it does not matter', async () => {
    expect((await look([], [odd('y')])).rivals.of(dashed, undefined)).toBe('none');
  });
});
