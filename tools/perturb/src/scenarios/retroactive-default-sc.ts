import {
  namespaces,
  persistentVolumeClaims,
  storageClasses,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import type { Cluster, Invariant, Scenario, Step } from '@holdfast/testing/perturbation';

const namespace = 'shop';
const isDefault = 'storageclass.kubernetes.io/is-default-class';

/** The API server assigns no class by itself, so the controller has to. */
const plane = { disableAdmissionPlugins: ['DefaultStorageClass', 'StorageObjectInUseProtection'] };

const classOf = (claim: unknown): string | undefined =>
  (claim as PersistentVolumeClaim | undefined)?.spec?.storageClassName;

const neverChanged: Invariant = {
  name: 'the class of a claim is never changed',
  breach: ({ kind, object, previous }) =>
    kind === 'PersistentVolumeClaim' &&
    classOf(previous) !== undefined &&
    classOf(previous) !== classOf(object)
      ? `claim ${object.metadata.name} had ${String(classOf(previous))}, and has ${String(classOf(object))}`
      : undefined,
};

/** No step of these scenarios changes the default between the controller's read and its write. */
const onlyTheDefault: Invariant = {
  name: 'a claim is given no class but the default',
  breach: ({ type, kind, object, previous }, state) => {
    const given = classOf(object);
    if (
      type !== 'MODIFIED' ||
      kind !== 'PersistentVolumeClaim' ||
      given === undefined ||
      classOf(previous) !== undefined
    ) {
      return undefined;
    }
    const defaults = (state.all('StorageClass') as readonly StorageClass[])
      .filter(({ metadata }) => metadata.annotations?.[isDefault] === 'true')
      .map(({ metadata }) => metadata.name);
    return defaults.includes(given)
      ? undefined
      : `claim ${object.metadata.name} is given ${given}, and the default is ${defaults.join() || 'none'}`;
  },
};

const common = { plane, invariants: [neverChanged, onlyTheDefault] };

const createClaim = (name: string, storageClassName?: string) => async (cluster: Cluster) => {
  await cluster.create(
    persistentVolumeClaims,
    {
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...(storageClassName === undefined ? {} : { storageClassName }),
      },
    },
    namespace,
  );
};

const createClass = (name: string, value: 'true' | 'false') => async (cluster: Cluster) => {
  await cluster.create(storageClasses, {
    metadata: { name, annotations: { [isDefault]: value } },
    provisioner: 'example.com/disk',
  });
};

const mark = (name: string, value: 'true' | 'false') => (cluster: Cluster) =>
  cluster.merge(storageClasses, { name }, { metadata: { annotations: { [isDefault]: value } } });

const together =
  (...acts: readonly ((cluster: Cluster) => Promise<void>)[]): Step['act'] =>
  async (cluster) => {
    for (const act of acts) {
      await act(cluster);
    }
  };

const createNamespace = async (cluster: Cluster): Promise<void> => {
  await cluster.create(namespaces, { metadata: { name: namespace } });
};

/** The stories of the KEP. */
export const scenarios: readonly Scenario[] = [
  {
    ...common,
    name: 'class-comes-later',
    description:
      'Claims without a class wait, and get the default one when there is one; another was chosen, and stays.',
    prepare: together(createNamespace, createClaim('early')),
    steps: [
      { name: 'create claims', act: together(createClaim('late'), createClaim('chosen', 'other')) },
      { name: 'create the default class', act: createClass('standard', 'true') },
    ],
  },
  {
    ...common,
    name: 'default-moves',
    description: 'The default moves from one class to another: each claim keeps what it was given.',
    prepare: together(createNamespace, createClass('old', 'true'), createClass('new', 'false')),
    steps: [
      { name: 'create a claim', act: createClaim('first') },
      {
        name: 'no class is the default, and create another claim',
        act: together(mark('old', 'false'), createClaim('second')),
      },
      { name: 'the new class is the default', act: mark('new', 'true') },
    ],
  },
  {
    ...common,
    name: 'default-deleted',
    description: 'The default class is deleted, and one of its name is made anew when a claim waits.',
    prepare: together(createNamespace, createClass('standard', 'true')),
    steps: [
      {
        name: 'delete the default class, and create a claim',
        act: together((cluster) => cluster.delete(storageClasses, { name: 'standard' }), createClaim('data')),
      },
      { name: 'create the class anew', act: createClass('standard', 'true') },
    ],
  },
];
