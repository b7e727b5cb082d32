import { expect, jest } from '@jest/globals';
import {
  configMaps,
  namespaces,
  persistentVolumes,
  type ConfigMap,
  type KubernetesObject,
  type OwnerReference,
} from '@holdfast/core';
import type { Draft } from '../../src/controllers/api-client.ts';
import { garbageCollector } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { onEveryStage, type Stage } from './stages.ts';

jest.setTimeout(60_000);

const held = 'example.com/held';

onEveryStage(
  'garbage collector',
  {
    controllers: ['garbage-collector-controller'],
    // Volumes are owners here, which are to go when they are deleted.
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    standIns: () => [garbageCollector],
  },
  (stage, scenario) => {
    scenario('owner deleted in the background -> its dependents and theirs go, others stay', async () => {
      const world = await newWorld(stage());
      const owner = await world.create('owner');
      const child = await world.create('child', [refTo(owner)]);
      await world.create('grandchild', [refTo(child)]);
      await world.create('bystander');
      await world.delete('owner', 'Background');
      await world.settles({ bystander: {} });
    });

    scenario('owner deleted in the foreground, blocked by a held dependent -> it waits for it', async () => {
      const world = await newWorld(stage());
      const owner = await world.create('owner');
      await world.create('blocking', [{ ...refTo(owner), blockOwnerDeletion: true }], [held]);
      await world.create('free', [refTo(owner)]);
      await world.delete('owner', 'Foreground');
      const terminating = { isTerminating: true };
      await world.settles({
        owner: { ...terminating, finalizers: ['foregroundDeletion'] },
        blocking: { ...terminating, owners: ['owner'], finalizers: [held] },
      });
      await world.release('blocking');
      await world.settles({});
    });

    scenario(
      'owner deleted in the foreground, a held dependent does not block -> the owner goes at once',
      async () => {
        const world = await newWorld(stage());
        const owner = await world.create('owner');
        await world.create('held', [{ ...refTo(owner), blockOwnerDeletion: false }], [held]);
        await world.delete('owner', 'Foreground');
        await world.settles({ held: { isTerminating: true, owners: ['owner'], finalizers: [held] } });
        await world.release('held');
        await world.settles({});
      },
    );

    scenario('foreground deletion of a chain -> each link waits for the next', async () => {
      const world = await newWorld(stage());
      const owner = await world.create('owner');
      const child = await world.create('child', [{ ...refTo(owner), blockOwnerDeletion: true }]);
      await world.create('grandchild', [{ ...refTo(child), blockOwnerDeletion: true }], [held]);
      await world.delete('owner', 'Foreground');
      const waiting = { isTerminating: true, finalizers: ['foregroundDeletion'] };
      await world.settles({
        owner: waiting,
        child: { ...waiting, owners: ['owner'] },
        grandchild: { isTerminating: true, owners: ['child'], finalizers: [held] },
      });
      await world.release('grandchild');
      await world.settles({});
    });

    scenario('circle of owners deleted in the foreground -> nothing deadlocks', async () => {
      const world = await newWorld(stage());
      const one = await world.create('one');
      const other = await world.create('other', [{ ...refTo(one), blockOwnerDeletion: true }]);
      await world.setOwners('one', [{ ...refTo(other), blockOwnerDeletion: true }]);
      await world.delete('one', 'Foreground');
      await world.settles({});
    });

    scenario(
      'owner deleted as an orphaning one -> dependents lose the reference to it and no other',
      async () => {
        const world = await newWorld(stage());
        const owner = await world.create('owner');
        const second = await world.create('second');
        await world.create('only', [refTo(owner)]);
        await world.create('shared', [refTo(owner), refTo(second)]);
        await world.delete('owner', 'Orphan');
        await world.settles({ second: {}, only: {}, shared: { owners: ['second'] } });
      },
    );

    scenario('two owners, one deleted -> the object stays without the dangling reference', async () => {
      const world = await newWorld(stage());
      const gone = await world.create('gone');
      const solid = await world.create('solid');
      await world.create('child', [refTo(gone), refTo(solid)]);
      await world.delete('gone', 'Background');
      await world.settles({ solid: {}, child: { owners: ['solid'] } });
    });

    scenario('two owners, one in foreground deletion -> the object stays and does not block', async () => {
      const world = await newWorld(stage());
      const gone = await world.create('gone');
      const solid = await world.create('solid');
      await world.create('child', [{ ...refTo(gone), blockOwnerDeletion: true }, refTo(solid)]);
      await world.delete('gone', 'Foreground');
      await world.settles({ solid: {}, child: { owners: ['solid'] } });
    });

    scenario('two owners, both deleted -> the object goes', async () => {
      const world = await newWorld(stage());
      const one = await world.create('one');
      const other = await world.create('other');
      await world.create('child', [refTo(one), refTo(other)]);
      await world.delete('one', 'Background');
      await world.delete('other', 'Background');
      await world.settles({});
    });

    scenario('created with an owner that never was -> deleted', async () => {
      const world = await newWorld(stage());
      await world.create('child', [refTo({ name: 'never', uid: crypto.randomUUID() })]);
      await world.settles({});
    });

    scenario('owner of the name has another UID -> absent', async () => {
      const world = await newWorld(stage());
      await world.create('owner');
      await world.create('child', [refTo({ name: 'owner', uid: crypto.randomUUID() })]);
      await world.settles({ owner: {} });
    });

    scenario('owner of the UID has another name -> absent', async () => {
      const world = await newWorld(stage());
      const { uid } = await world.create('owner');
      await world.create('child', [refTo({ name: 'alias', uid })]);
      await world.settles({ owner: {} });
    });

    scenario('namespaced owner in another namespace -> absent', async () => {
      const elsewhere = await newWorld(stage());
      const owner = await elsewhere.create('owner');
      const world = await newWorld(stage());
      await world.create('child', [refTo(owner)]);
      await world.settles({});
      await elsewhere.settles({ owner: {} });
    });

    scenario(
      'cluster-scoped owner -> counts in every namespace, and takes its dependents along',
      async () => {
        const world = await newWorld(stage());
        const { client } = stage();
        const name = `owner-${crypto.randomUUID()}`;
        const { metadata } = await client.create(persistentVolumes, volume(name));
        const reference = { apiVersion: 'v1', kind: 'PersistentVolume', name, uid: metadata.uid };
        await world.create('child', [reference]);
        await world.settles({ child: { owners: [name] } });
        await client.delete(persistentVolumes, { name });
        await world.settles({});
      },
    );

    scenario('cluster-scoped object with a namespaced owner that is absent -> left alone', async () => {
      const world = await newWorld(stage());
      const { client } = stage();
      const name = `child-${crypto.randomUUID()}`;
      const ownerReferences = [refTo({ name: 'never', uid: crypto.randomUUID() })];
      await client.create(persistentVolumes, volume(name, ownerReferences));
      await world.create('sentinel', ownerReferences);
      await world.settles({});
      const left = await client.get(persistentVolumes, { name });
      expect(left?.metadata.ownerReferences).toHaveLength(1);
      await client.delete(persistentVolumes, { name });
    });

    scenario(
      'owner held by a finalizer after a background deletion -> dependents stay until it is gone',
      async () => {
        const world = await newWorld(stage());
        const owner = await world.create('owner', [], [held]);
        await world.create('child', [refTo(owner)]);
        await world.delete('owner', 'Background');
        await world.settles({
          owner: { isTerminating: true, finalizers: [held] },
          child: { owners: ['owner'] },
        });
        await world.release('owner');
        await world.settles({});
      },
    );

    scenario(
      'collected object has the orphan finalizer itself -> its own dependents are orphaned',
      async () => {
        const world = await newWorld(stage());
        const owner = await world.create('owner');
        const child = await world.create('child', [refTo(owner)], ['orphan']);
        await world.create('grandchild', [refTo(child)]);
        await world.delete('owner', 'Background');
        await world.settles({ grandchild: {} });
      },
    );

    scenario('reference to a living object taken over by an absent one -> deleted', async () => {
      const world = await newWorld(stage());
      const owner = await world.create('owner');
      await world.create('child', [refTo(owner)]);
      await world.settles({ owner: {}, child: { owners: ['owner'] } });
      await world.setOwners('child', [refTo({ name: 'never', uid: crypto.randomUUID() })]);
      await world.settles({ owner: {} });
    });
  },
);

interface Named {
  readonly name: string;
  readonly uid: string;
}

function refTo({ name, uid }: Named): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
}

function volume(name: string, ownerReferences: readonly OwnerReference[] = []): Draft {
  return {
    metadata: { name, ownerReferences },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/nowhere' },
    },
  };
}

/** A namespace of its own with config maps that own each other. */
interface World {
  create(
    name: string,
    owners?: readonly OwnerReference[],
    finalizers?: readonly string[],
  ): Promise<KubernetesObject['metadata']>;
  delete(name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void>;
  setOwners(name: string, owners: readonly OwnerReference[]): Promise<void>;
  /** Takes `held` off. */
  release(name: string): Promise<void>;
  settles(expected: Readonly<Record<string, Summary>>): Promise<void>;
}

interface Summary {
  readonly owners?: readonly string[];
  readonly finalizers?: readonly string[];
  readonly isTerminating?: boolean;
}

async function newWorld(stage: Stage): Promise<World> {
  const { client } = stage;
  const namespace = `gc-${crypto.randomUUID()}`;
  await client.create(namespaces, { metadata: { name: namespace } });
  const read = async (name: string): Promise<ConfigMap> => {
    const found = await client.get(configMaps, { namespace, name });
    if (found === undefined) {
      throw new Error(`config map ${name} is gone`);
    }
    return found;
  };
  return {
    async create(name, ownerReferences = [], finalizers = []) {
      return (await client.create(configMaps, { metadata: { namespace, name, ownerReferences, finalizers } }))
        .metadata;
    },
    async delete(name, propagationPolicy) {
      await client.delete(configMaps, { namespace, name }, { propagationPolicy });
    },
    async setOwners(name, ownerReferences) {
      const found = await read(name);
      await client.update(configMaps, { ...found, metadata: { ...found.metadata, ownerReferences } });
    },
    async release(name) {
      const path = '/metadata/finalizers';
      const { finalizers = [] } = (await read(name)).metadata;
      const value = finalizers.filter((finalizer) => finalizer !== held);
      await client.patch(configMaps, { namespace, name }, [{ op: 'replace', path, value }]);
    },
    settles: (expected) =>
      stage.settles(async () => {
        const { items } = await client.list(configMaps, namespace);
        return Object.fromEntries(items.map((item) => [item.metadata.name, summary(item)]));
      }, expected),
  };
}

function summary({ metadata }: KubernetesObject): Summary {
  const { ownerReferences = [], finalizers = [], deletionTimestamp } = metadata;
  return {
    ...(ownerReferences.length === 0 ? {} : { owners: ownerReferences.map(({ name }) => name) }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(deletionTimestamp === undefined ? {} : { isTerminating: true }),
  };
}
