import { describe, expect, test } from '@jest/globals';
import { statefulSets, storageClasses } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { expectNoWrite, useLeaders } from './frozen-leader.ts';

/* More of frozen-leader.test.ts: who leads is the runtime's matter, and the same for all four. */

const { client, placeOf, hold, lead } = useLeaders();

describe('leader that was frozen beyond its lease', () => {
  test.concurrent(
    'pvc-protection: a write is answered meanwhile, and another waits for its turn -> the other is not sent',
    async () => {
      const { namespace, createClaim, finalizersOf } = await placeOf();
      const first = hold({ verb: 'patch', namespace, name: 'first' });
      await using leader = await lead('pvc-protection', namespace, '--concurrent-syncs=1');
      await createClaim('first');
      await eventually('the first write is under way', () => first.held() > 0);
      await createClaim('second');
      await eventually('it knows of the second', async () => (await finalizersOf('second')).length === 0);
      await leader.freeze();
      first.release();
      await eventually('the first write is done', async () => (await finalizersOf('first')).length > 0);
      const code = await leader.thaw();
      // Sent before it was frozen.
      expect(leader.writes()).toEqual(['patch persistentvolumeclaims/first']);
      expect(code).toBe(1);
    },
    60_000,
  );

  test.concurrent(
    'statefulset-pvc-retention: a set begins to delete its claims meanwhile -> not tied by it',
    async () => {
      const { namespace, createClaim } = await placeOf();
      await createClaim('data-web-0');
      const policy = (whenDeleted: string) => ({ whenDeleted, whenScaled: 'Retain' });
      await client().create(statefulSets, namespace, {
        metadata: { name: 'web' },
        spec: {
          replicas: 1,
          serviceName: 'web',
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
          },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
          persistentVolumeClaimRetentionPolicy: policy('Retain'),
        },
      });
      await using leader = await lead(
        'statefulset-pvc-retention',
        namespace,
        '--yield-to-stock-controller=false',
      );
      await leader.freeze();
      await client().patch(statefulSets, { namespace, name: 'web' }, [
        { op: 'replace', path: '/spec/persistentVolumeClaimRetentionPolicy', value: policy('Delete') },
      ]);
      await expectNoWrite(leader);
    },
    60_000,
  );

  test.concurrent(
    'retroactive-default-sc: the look at the default class is answered meanwhile -> no class is given by it',
    async () => {
      const { namespace, createClaim } = await placeOf();
      await createClaim('data');
      await using leader = await lead('retroactive-default-sc', namespace);
      const look = hold({ verb: 'list', resource: 'storageclasses', userAgent: /^retroactive-default-sc/ });
      await client().create(storageClasses, undefined, {
        metadata: {
          name: 'standard',
          annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
        },
        provisioner: 'example.com/none',
      });
      await eventually('the look is under way', () => look.held() > 0);
      await leader.freeze();
      look.release();
      await expectNoWrite(leader);
      await client().delete(storageClasses, { name: 'standard' });
    },
    60_000,
  );
});
