import { namespaces, persistentVolumeClaims, statefulSets } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { StoryFailed, type Narrator } from './narrator.ts';
import { isGone, until } from './until.ts';

const namespace = 'retention';
const ref = { namespace, name: 'web' };
const claims = ['data-web-0', 'data-web-1'];

/**
 * KEP-1847: if whenScaled and whenDeleted are both Delete, the claim of a replica that is scaled away is
 * deleted, and the others are deleted with the set. Needs a StatefulSet controller, a kubelet and a garbage
 * collector.
 *
 * @throws StoryFailed if a step does not hold within half a minute
 */
export async function playStatefulSetRetention(
  client: ApiClient,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  const claim = (name: string) => client.get(persistentVolumeClaims, { namespace, name });
  const labels = { app: 'web' };

  await narrator.step('a StatefulSet of two: its claims are to go on scale-down and with it', async () => {
    await client.create(namespaces, undefined, { metadata: { name: namespace } });
    await client.create(statefulSets, namespace, {
      metadata: { name: ref.name },
      spec: {
        replicas: 2,
        serviceName: ref.name,
        selector: { matchLabels: labels },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
  });
  await narrator.step('the controller makes the set the owner of both claims', async () => {
    for (const name of claims) {
      await until(`${name} is owned by the set`, signal, async () => {
        if (await isGone(() => claim(name))) {
          return false;
        }
        const owners = (await claim(name)).metadata.ownerReferences ?? [];
        return owners.some(({ kind }) => kind === 'StatefulSet');
      });
    }
  });
  await narrator.step('the set is scaled to one: the second claim goes, the first stays', async () => {
    await client.patch(statefulSets, ref, [{ op: 'replace', path: '/spec/replicas', value: 1 }]);
    await until('data-web-1 is gone', signal, () => isGone(() => claim('data-web-1')));
    if ((await claim('data-web-0')).metadata.deletionTimestamp !== undefined) {
      throw new StoryFailed('the claim of the replica that is still wanted should stay, but is terminating');
    }
  });
  await narrator.step('the set is deleted: its last claim goes with it', async () => {
    await client.delete(statefulSets, ref, { propagationPolicy: 'Background' });
    await until('data-web-0 is gone', signal, () => isGone(() => claim('data-web-0')));
  });
}
