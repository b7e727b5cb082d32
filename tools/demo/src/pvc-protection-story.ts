import { namespaces, persistentVolumeClaims, pods } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { StoryFailed, type Narrator } from './narrator.ts';
import { isGone, until } from './until.ts';

const finalizer = 'kubernetes.io/pvc-protection';
const namespace = 'protection';
const ref = { namespace, name: 'data' };

/**
 * The use case of the design: a claim that is deleted while a pod uses it stays until the pod is gone, and
 * then goes.
 *
 * @throws StoryFailed if a step does not hold within half a minute
 */
export async function playPvcProtection(
  client: ApiClient,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  const claim = () => client.get(persistentVolumeClaims, ref);

  await narrator.step('a claim is made: namespace protection, claim data', async () => {
    await client.create(namespaces, undefined, { metadata: { name: namespace } });
    await client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  });
  await narrator.step(`the controller puts ${finalizer} on it`, () =>
    until(
      'the claim has the finalizer',
      signal,
      async () => (await claim()).metadata.finalizers?.includes(finalizer) === true,
    ),
  );
  await narrator.step('pod web, on a node, uses the claim', async () => {
    await client.create(pods, namespace, {
      metadata: { name: 'web' },
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'web', image: 'nginx' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
  });
  await narrator.step('somebody deletes the claim: it is terminating, but stays', async () => {
    await client.delete(persistentVolumeClaims, ref);
    // The controller handles a second claim after the first, so everything it does to the first has happened
    // by then.
    await passThrough(client, signal);
    const { metadata } = await claim();
    if (metadata.deletionTimestamp === undefined || metadata.finalizers?.includes(finalizer) !== true) {
      throw new StoryFailed('the deleted claim should be terminating with its finalizer, but is not');
    }
  });
  await narrator.step('the pod ends', async () => {
    await client.delete(pods, { namespace, name: 'web' }, { gracePeriodSeconds: 0 });
  });
  await narrator.step('the controller lets the claim go, and it is gone', () =>
    until('the claim is gone', signal, () => isGone(claim)),
  );
}

async function passThrough(client: ApiClient, signal: AbortSignal): Promise<void> {
  const other = { namespace, name: 'bystander' };
  await client.create(persistentVolumeClaims, namespace, {
    metadata: { name: other.name, finalizers: [finalizer] },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await client.delete(persistentVolumeClaims, other);
  await until('an unused claim is released', signal, () =>
    isGone(() => client.get(persistentVolumeClaims, other)),
  );
}
