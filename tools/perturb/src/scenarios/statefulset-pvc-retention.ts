import {
  isTerminating,
  namespaces,
  persistentVolumeClaims,
  statefulSets,
  type StatefulSet,
} from '@holdfast/core';
import { garbageCollector, kubelet, statefulSetController, type Plane } from '@holdfast/testing';
import type { Cluster, Invariant, Scenario, Step, WorldState } from '@holdfast/testing/perturbation';
import { startStandIns, type StandIns } from './stand-ins.ts';

const namespace = 'shop';
const at = (name: string) => ({ namespace, name });

type Stock = StandIns<'sets' | 'kubelet' | 'garbage'>;

type Retention = 'Retain' | 'Delete';
interface Policy {
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
}

const onlyWhatMayGo = (
  mayGo: (claim: string, state: WorldState, isBlind: boolean) => boolean,
): Invariant => ({
  name: 'no claim goes against its policy',
  breach: ({ type, kind, object }, state, { isBlind }) => {
    const { name } = object.metadata;
    const goes = kind === 'PersistentVolumeClaim' && (type === 'DELETED' || isTerminating(object));
    return goes && !mayGo(name, state, isBlind) ? `claim ${name} is being deleted` : undefined;
  },
});

const oneController: Invariant = {
  name: 'a claim has one controller at the most',
  breach: ({ kind, object: { metadata } }) =>
    kind === 'PersistentVolumeClaim' &&
    (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).length > 1
      ? `claim ${metadata.name} has several`
      : undefined,
};

const setOf = (state: WorldState): StatefulSet | undefined => state.find('StatefulSet', namespace, 'web');

/** What a StatefulSet controller without retention, a kubelet and a garbage collector leave. */
const common = {
  // Nothing here releases protected claims, so a claim in use would wait forever.
  plane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
  furnish: (plane: Plane): Promise<Stock> =>
    startStandIns(plane, {
      sets: statefulSetController({ retention: false }),
      kubelet: kubelet(),
      garbage: garbageCollector,
    }),
};

/** The label of claims that a set made: its value is the set's position among those of the same name. */
const madeBy = 'made-by';

const createSet = (policy: Policy, replicas = 2, label = 'the-first'): Step<Stock> => ({
  name: label === 'the-first' ? 'create a set' : `create ${label.replace('-', ' ')} set of the name`,
  act: async (cluster) => {
    await cluster.create(
      statefulSets,
      {
        metadata: { name: 'web' },
        spec: {
          replicas,
          serviceName: 'web',
          podManagementPolicy: 'Parallel',
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'c', image: 'pause' }] },
          },
          persistentVolumeClaimRetentionPolicy: policy,
          volumeClaimTemplates: [
            {
              metadata: { name: 'data', labels: { [madeBy]: label } },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      },
      namespace,
    );
  },
});

const scale = (replicas: number): Step<Stock> => ({
  name: `scale to ${String(replicas)}`,
  act: (cluster) => cluster.merge(statefulSets, at('web'), { spec: { replicas } }),
});

/**
 * A pod that ends at once is gone before its claim can refer to it. Then only the controller's memory knows
 * of the pod, and after a crash the claim is kept, see its README.
 */
const scaleDownSlowly: Step<Stock> = {
  name: 'scale to 1, and the pod takes its time to end',
  act: async (cluster, furniture) => {
    await furniture.controllers.kubelet.pause();
    await scale(1).act(cluster, furniture);
  },
};

const podEnds: Step<Stock> = {
  name: 'the pod ends',
  act: (_cluster, furniture) => {
    furniture.controllers.kubelet.resume();
    return Promise.resolve();
  },
};

const deleteSet = (propagationPolicy: 'Background' | 'Orphan'): Step<Stock> => ({
  name: propagationPolicy === 'Orphan' ? 'orphan the pods and claims of the set' : 'delete the set',
  act: (cluster) => cluster.delete(statefulSets, at('web'), { propagationPolicy }),
});

/** Claims of other makers may go or stay. */
const staysIfMadeBy = (label: string): Invariant => ({
  name: `a claim with the label ${madeBy}=${label} stays`,
  breach: ({ type, kind, object }) =>
    kind === 'PersistentVolumeClaim' &&
    object.metadata.labels?.[madeBy] === label &&
    (type === 'DELETED' || isTerminating(object))
      ? `claim ${object.metadata.name} is being deleted`
      : undefined,
});

const prepare = async (cluster: Cluster): Promise<void> => {
  await cluster.create(namespaces, { metadata: { name: namespace } });
};

/** What users and the stock controllers do to sets. */
export const scenarios: readonly Scenario<Stock>[] = [
  {
    ...common,
    name: 'scale-down',
    description: 'A set is scaled down: the claim that is not wanted any more goes, the other stays.',
    mayEndOtherwise: 'a claim whose pod ended before the controller knew of the scale-down is kept',
    prepare,
    steps: [createSet({ whenDeleted: 'Retain', whenScaled: 'Delete' }), scaleDownSlowly, podEnds],
    invariants: [
      oneController,
      onlyWhatMayGo((claim, state) => claim === 'data-web-1' && (setOf(state)?.spec?.replicas ?? 1) <= 1),
    ],
  },
  {
    ...common,
    name: 'delete-set',
    description: 'A set is deleted, and its claims with it.',
    mayEndOtherwise: 'a claim is kept when the controller did not know of its set before it was gone',
    prepare,
    steps: [createSet({ whenDeleted: 'Delete', whenScaled: 'Retain' }), deleteSet('Background')],
    invariants: [
      oneController,
      onlyWhatMayGo((_claim, state) => {
        const set = setOf(state);
        return set === undefined || isTerminating(set);
      }),
    ],
  },
  {
    ...common,
    name: 'up-again',
    description: 'A set is scaled down and up again while the pod still ends: the claim stays.',
    prepare,
    steps: [createSet({ whenDeleted: 'Delete', whenScaled: 'Delete' }), scaleDownSlowly, scale(2), podEnds],
    // Its owner is gone when the pod has ended. A controller that has not been sent the scale-up by then
    // cannot remove the reference.
    invariants: [oneController, onlyWhatMayGo((claim, _state, isBlind) => isBlind && claim === 'data-web-1')],
  },
  {
    ...common,
    name: 'orphan',
    description: 'A set is orphaned: pods and claims stay.',
    prepare,
    steps: [createSet({ whenDeleted: 'Delete', whenScaled: 'Delete' }), deleteSet('Orphan')],
    invariants: [oneController, onlyWhatMayGo(() => false)],
  },
  {
    ...common,
    name: 'turned-to-retain',
    description: 'The policy of a set is turned to Retain, and the set is deleted: the claims stay.',
    mayEndOtherwise: 'a claim goes with its set when the controller was not sent the new policy before',
    prepare,
    steps: [
      createSet({ whenDeleted: 'Delete', whenScaled: 'Delete' }, 1),
      {
        name: 'turn the policy to Retain',
        act: (cluster) =>
          cluster.merge(statefulSets, at('web'), {
            spec: {
              persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
            },
          }),
      },
      deleteSet('Background'),
    ],
    // The same applies when the set is gone.
    invariants: [oneController, onlyWhatMayGo((_claim, _state, isBlind) => isBlind)],
  },
  {
    ...common,
    name: 'made-again',
    description:
      'A set is deleted, its claims with it, and made again under its name with the other policy, and deleted: the claims of the second stay.',
    mayEndOtherwise:
      'a claim of the first set is kept when the controller did not know of that set before it was gone',
    prepare,
    steps: [
      createSet({ whenDeleted: 'Delete', whenScaled: 'Delete' }, 1),
      deleteSet('Background'),
      createSet({ whenDeleted: 'Retain', whenScaled: 'Retain' }, 1, 'the-second'),
      deleteSet('Background'),
    ],
    invariants: [oneController, staysIfMadeBy('the-second')],
  },
  {
    ...common,
    name: 'orphaned-made-again',
    description:
      'A set is orphaned, made again under its name with the other policy, and deleted: the claims stay.',
    prepare,
    steps: [
      createSet({ whenDeleted: 'Delete', whenScaled: 'Delete' }, 1),
      deleteSet('Orphan'),
      createSet({ whenDeleted: 'Retain', whenScaled: 'Retain' }, 1, 'the-second'),
      deleteSet('Background'),
    ],
    // All claims belong to the first set; the second one finds them existing.
    invariants: [oneController, onlyWhatMayGo(() => false)],
  },
  {
    ...common,
    name: 'claim-made-again',
    description:
      'A set is scaled down and the claim goes; a user makes a claim of that name, and the set is deleted: what the user made stays.',
    mayEndOtherwise: 'a claim whose pod ended before the controller knew of the scale-down is kept',
    prepare,
    steps: [
      createSet({ whenDeleted: 'Retain', whenScaled: 'Delete' }),
      scaleDownSlowly,
      podEnds,
      {
        name: 'create a claim under the name',
        act: async (cluster) => {
          const taken = await cluster.find(persistentVolumeClaims, at('data-web-1'));
          if (taken === undefined) {
            await cluster.create(
              persistentVolumeClaims,
              {
                metadata: { name: 'data-web-1', labels: { app: 'web', [madeBy]: 'a-user' } },
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
              namespace,
            );
          }
        },
      },
      deleteSet('Background'),
    ],
    invariants: [oneController, staysIfMadeBy('a-user')],
  },
];
