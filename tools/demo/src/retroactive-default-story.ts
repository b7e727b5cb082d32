import { eventsV1, namespaces, persistentVolumeClaims, storageClasses } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { StoryFailed, type Narrator } from './narrator.ts';
import { until } from './until.ts';

const namespace = 'default-class';
const isDefaultClass = 'storageclass.kubernetes.io/is-default-class';

/**
 * Stories 2 and 1 of KEP-3333: a claim is created before there is a default class, and the default moves to
 * another class.
 *
 * @throws StoryFailed if a step does not hold within half a minute
 */
export async function playRetroactiveDefault(
  client: ApiClient,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  const createClaim = async (name: string): Promise<void> => {
    await client.create(persistentVolumeClaims, namespace, {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  };
  const createDefaultClass = async (name: string): Promise<void> => {
    await client.create(storageClasses, undefined, {
      metadata: { name, annotations: { [isDefaultClass]: 'true' } },
      provisioner: 'example.com/disk',
    });
  };
  const classOf = async (name: string): Promise<string | undefined> =>
    (await client.get(persistentVolumeClaims, { namespace, name })).spec?.storageClassName;
  const isTold = async (name: string): Promise<boolean> =>
    (await client.list(eventsV1, { namespace })).items.some(
      ({ reason, regarding }) => reason === 'StorageClassAssigned' && regarding?.name === name,
    );

  await narrator.step(
    'an installer makes claim registry: there is no default class, it gets none',
    async () => {
      await client.create(namespaces, undefined, { metadata: { name: namespace } });
      await createClaim('registry');
      if ((await classOf('registry')) !== undefined) {
        throw new StoryFailed('the claim should have no storage class, but has one');
      }
    },
  );
  await narrator.step('later it makes the default class, gold', () => createDefaultClass('gold'));
  await narrator.step('the controller gives the claim class gold', () =>
    until('claim registry has class gold', signal, async () => (await classOf('registry')) === 'gold'),
  );
  await narrator.step('an Event on the claim says so', () =>
    until('there is an Event', signal, () => isTold('registry')),
  );
  await narrator.step(
    'the administrator unmarks gold; claim late is made while there is no default',
    async () => {
      await client.patch(storageClasses, { name: 'gold' }, [
        { op: 'replace', path: `/metadata/annotations/${isDefaultClass.replace('/', '~1')}`, value: 'false' },
      ]);
      await until('a claim is made without a class', signal, async () => {
        // The API server's own plugin might still assign the class gold for a moment.
        await createClaim('late');
        const isWithout = (await classOf('late')) === undefined;
        if (!isWithout) {
          await client.delete(persistentVolumeClaims, { namespace, name: 'late' });
        }
        return isWithout;
      });
    },
  );
  await narrator.step('the default class is silver now', () => createDefaultClass('silver'));
  await narrator.step('the controller gives claim late class silver; registry keeps gold', async () => {
    await until('claim late has class silver', signal, async () => (await classOf('late')) === 'silver');
    if ((await classOf('registry')) !== 'gold') {
      throw new StoryFailed('claim registry should keep class gold, but has not');
    }
  });
}
