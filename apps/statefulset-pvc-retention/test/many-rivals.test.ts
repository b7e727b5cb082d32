import { expect, test } from '@jest/globals';
import { openLook, type ApiClient, type List, type Projection } from '@holdfast/runtime';
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
