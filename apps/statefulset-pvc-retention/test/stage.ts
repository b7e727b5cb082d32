import { expect } from '@jest/globals';
import {
  parseFeatureGates,
  persistentVolumeClaims,
  pods,
  statefulSets,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from '@holdfast/core';
import { createTenure, type Clock, type Tenure } from '@holdfast/runtime';
import { eventually, openStage as open, type Stage as StageOf } from '@holdfast/scenario';
import type { ControlPlane } from '@holdfast/testing';
import type { Registry } from 'prom-client';
import { createStatefulSetPvcRetention } from '../src/controller.ts';
import type { Retention } from '../src/decide/snapshot.ts';
import { gates } from '../src/gates.ts';
import { workloadsFlag } from '../src/workloads-flag.ts';

export interface Options {
  readonly featureGates?: string;
  /** Default: all. */
  readonly namespaces?: readonly string[];
  readonly workloads?: string;
  readonly clock?: Clock;
  readonly now?: () => Date;
  readonly serverTime?: () => Date;
  readonly tenure?: Pick<Tenure, 'nothingDueBefore' | 'askNothingDueBefore'>;
  /** Default: false, since most tests have no stock controller that retains claims. */
  readonly yieldToStockController?: boolean;
}

export type Stage = StageOf<Options>;

/** Of all controllers that a stage has started. */
const registriesOf = new WeakMap<Stage, readonly Registry[]>();

export async function openStage(plane: ControlPlane): Promise<Stage> {
  const registries: Registry[] = [];
  const stage = await open<Options>(plane, {
    name: 'statefulset-pvc-retention',
    create: (surroundings, { featureGates = '', workloads = 'apps/v1/StatefulSet', ...clocks }) => {
      registries.push(surroundings.registry);
      return createStatefulSetPvcRetention({
        ...surroundings,
        yieldToStockController: false,
        namespaces: [],
        tenure: createTenure(surroundings.clock),
        ...clocks,
        gates: parseFeatureGates(gates, featureGates),
        workloads: workloadsFlag.schema.parse(workloads),
        concurrentSyncs: 10,
      });
    },
  });
  registriesOf.set(stage, registries);
  return stage;
}

/**
 * Waits until the controllers of a stage work on nothing. After a reference was added the set is read once more, and
 * one that is gone by then might have been orphaned: its claim survives. Who wants to see it go waits for that look
 * first.
 */
export async function atRest(stage: Stage): Promise<void> {
  await eventually('the controllers work on nothing', async () => {
    const gauges = (registriesOf.get(stage) ?? []).flatMap(
      (registry) => registry.getSingleMetric('controller_runtime_active_workers') ?? [],
    );
    const workers = (await Promise.all(gauges.map((gauge) => gauge.get()))).flatMap(({ values }) => values);
    return workers.every(({ value }) => value === 0);
  });
}

export interface Policy {
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
}

/** Where the policy is written: the field, or annotations for an API server that drops it. */
export type PolicyPlace = 'field' | 'annotations';

export interface SetShape {
  readonly name?: string;
  readonly replicas?: number;
  readonly policy?: Policy;
  readonly start?: number;
  readonly templates?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

export type Cascade = 'Background' | 'Foreground' | 'Orphan';

/** What the hand of a user does to the sets of one namespace, and what it sees there. */
export interface Hand {
  readonly namespace: string;
  createSet(shape: SetShape): Promise<StatefulSet>;
  scale(replicas: number, name?: string): Promise<void>;
  setPolicy(policy: Policy, name?: string): Promise<void>;
  /** Changes the pod template. */
  roll(name?: string): Promise<void>;
  deleteSet(cascade: Cascade, name?: string): Promise<void>;
  deletePod(name: string, gracePeriodSeconds?: number): Promise<void>;
  createClaim(name: string, owners?: readonly OwnerReference[]): Promise<PersistentVolumeClaim>;
  findSet(name?: string): Promise<StatefulSet | undefined>;
  findPod(name: string): Promise<Pod | undefined>;
  findClaim(name: string): Promise<PersistentVolumeClaim | undefined>;
  /** UID of the claim: as long as it is the same, the data is there. */
  dataOf(name: string): Promise<string | undefined>;
  /**
   * Owners of a claim as `StatefulSet web` or `Pod web-1`, an asterisk where it is the controller; undefined: it is
   * gone.
   */
  ownersOf(name: string): Promise<readonly string[] | undefined>;
  /** Pods of these names run, and there are no others of the set. */
  running(...names: readonly string[]): Promise<void>;
  /**
   * As {@link running}, after a scale-up over claims that were collected. A stock controller whose cache still holds
   * such a claim leaves the set alone, and nothing brings it back, since it has no handler for claims
   * (`PodClaimIsStale` in stateful_pod_control.go): the set is touched once a second until the pods run.
   */
  runningAnew(...names: readonly string[]): Promise<void>;
  owned(claim: string, ...owners: readonly string[]): Promise<void>;
  gone(...claims: readonly string[]): Promise<void>;
  setGone(name?: string): Promise<void>;
  /** The claim is noted as one of its set, to go with it. */
  tied(claim: string): Promise<void>;
  /** The time after which the claim is to be deleted, as its mark says; undefined: it has no mark, or is gone. */
  markOf(claim: string): Promise<string | undefined>;
  marked(claim: string): Promise<void>;
  /** Its mark is gone, or the whole claim. */
  unmarked(claim: string): Promise<void>;
}

const template = (version: string) => ({
  metadata: { labels: { app: 'web' }, annotations: { version } },
  spec: { containers: [{ name: 'c', image: 'example.com/none' }], terminationGracePeriodSeconds: 5 },
});

export function handOf(stage: Stage, namespace: string, place: PolicyPlace = 'field'): Hand {
  const { client, find } = stage;
  const at = (name: string) => ({ namespace, name });
  const findClaim = (name: string) => find(persistentVolumeClaims, at(name));
  const ownersOf = async (name: string) => {
    const claim = await findClaim(name);
    return claim && (claim.metadata.ownerReferences ?? []).map(describeOwner);
  };
  const annotationOf = async (claim: string, name: string) =>
    (await findClaim(claim))?.metadata.annotations?.[`holdfast.dev/${name}`];
  const markOf = (claim: string) => annotationOf(claim, 'delete-after');
  const run = async (names: readonly string[]): Promise<boolean> => {
    const { items } = await client.list(pods, { namespace });
    const found = items.map(({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && status?.phase === 'Running' ? metadata.name : '',
    );
    return [...found].sort().join() === [...names].sort().join();
  };
  return {
    namespace,
    createSet: ({ name = 'web', replicas = 2, policy, start, templates = ['data'], annotations = {} }) =>
      client.create(statefulSets, namespace, {
        metadata: {
          name,
          annotations: { ...annotations, ...(place === 'annotations' ? policyAnnotations(policy) : {}) },
        },
        spec: {
          replicas,
          serviceName: name,
          selector: { matchLabels: { app: 'web' } },
          template: template('first'),
          ...(start === undefined ? {} : { ordinals: { start } }),
          ...(policy === undefined || place === 'annotations'
            ? {}
            : { persistentVolumeClaimRetentionPolicy: policy }),
          volumeClaimTemplates: templates.map((each) => ({
            metadata: { name: each },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          })),
        },
      }),
    scale: async (replicas, name = 'web') => {
      await client.patch(statefulSets, at(name), [
        { op: 'replace', path: '/spec/replicas', value: replicas },
      ]);
    },
    setPolicy: async (policy, name = 'web') => {
      await client.patch(statefulSets, at(name), [
        place === 'field'
          ? { op: 'add', path: '/spec/persistentVolumeClaimRetentionPolicy', value: policy }
          : { op: 'add', path: '/metadata/annotations', value: policyAnnotations(policy) },
      ]);
    },
    roll: async (name = 'web') => {
      const path = '/spec/template/metadata/annotations/version';
      await client.patch(statefulSets, at(name), [{ op: 'replace', path, value: crypto.randomUUID() }]);
    },
    deleteSet: (propagationPolicy, name = 'web') =>
      client.delete(statefulSets, at(name), { propagationPolicy }),
    deletePod: (name, gracePeriodSeconds) =>
      client.delete(pods, at(name), gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    createClaim: (name, ownerReferences = []) =>
      client.create(persistentVolumeClaims, namespace, {
        metadata: { name, ownerReferences },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
    findSet: (name = 'web') => find(statefulSets, at(name)),
    findPod: (name) => find(pods, at(name)),
    findClaim,
    dataOf: async (name) => (await findClaim(name))?.metadata.uid,
    ownersOf,
    running: (...names) =>
      eventually(`${names.join(', ') || 'no pod'} of ${namespace} run`, () => run(names)),
    runningAnew: async (...names) => {
      let touched = performance.now();
      await eventually(`${names.join(', ')} of ${namespace} run anew`, async () => {
        const holds = await run(names);
        if (!holds && performance.now() - touched > 1_000) {
          touched = performance.now();
          await client.patch(statefulSets, at('web'), [
            { op: 'add', path: '/metadata/labels', value: { touched: crypto.randomUUID() } },
          ]);
        }
        return holds;
      });
    },
    owned: async (claim, ...owners) => {
      let seen: readonly string[] | undefined;
      try {
        await eventually('', async () => {
          seen = await ownersOf(claim);
          return seen?.join() === owners.join();
        });
      } catch {
        // Says what there is instead.
        expect({ [claim]: seen }).toEqual({ [claim]: owners });
      }
    },
    gone: async (...claims) => {
      for (const claim of claims) {
        await eventually(
          `${claim} of ${namespace} is gone`,
          async () => (await findClaim(claim)) === undefined,
        );
      }
    },
    setGone: (name = 'web') =>
      eventually(
        `${name} of ${namespace} is gone`,
        async () => (await find(statefulSets, at(name))) === undefined,
      ),
    tied: (claim) =>
      eventually(
        `${claim} of ${namespace} is tied to its set`,
        async () => (await annotationOf(claim, 'deleted-with')) !== undefined,
      ),
    markOf,
    marked: (claim) =>
      eventually(`${claim} of ${namespace} is marked`, async () => (await markOf(claim)) !== undefined),
    unmarked: (claim) =>
      eventually(
        `the mark of ${claim} of ${namespace} is gone`,
        async () => (await markOf(claim)) === undefined,
      ),
  };
}

function policyAnnotations(policy: Policy | undefined): Readonly<Record<string, string>> {
  return policy === undefined
    ? {}
    : { 'holdfast.dev/when-deleted': policy.whenDeleted, 'holdfast.dev/when-scaled': policy.whenScaled };
}

function describeOwner({ kind, name, controller }: OwnerReference): string {
  return `${kind} ${name}${controller === true ? '*' : ''}`;
}

/** The owner that the table wants, as {@link Hand.ownersOf} writes it. */
export function ownerOfWanted({ whenDeleted }: Policy, set = 'web'): readonly string[] {
  return whenDeleted === 'Delete' ? [`StatefulSet ${set}*`] : [];
}

/**
 * Waits until the controller and the garbage collector have seen and judged everything that was done before, so that a
 * test knows what did not happen from what has not happened yet.
 */
export async function settled(hand: Hand): Promise<void> {
  await judged(hand);
  await collected(hand);
}

/**
 * Waits for the controller alone: it takes the owner of a claim made now, which its policy does not want and which
 * looks like its own. The set and the claim stay.
 */
export async function judged(hand: Hand): Promise<void> {
  const name = `marker-${crypto.randomUUID().slice(0, 8)}`;
  const { metadata } = await hand.createSet({
    name,
    replicas: 0,
    policy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  });
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: false,
  };
  await hand.createClaim(`data-${name}-0`, [set]);
  await hand.owned(`data-${name}-0`);
}

/** Waits for the garbage collector alone: it deletes a claim whose owner never was. */
export async function collected(hand: Hand): Promise<void> {
  const name = `unowned-${crypto.randomUUID().slice(0, 8)}`;
  await hand.createClaim(name, [
    { apiVersion: 'v1', kind: 'Pod', name: 'never-was', uid: crypto.randomUUID() },
  ]);
  await hand.gone(name);
}
