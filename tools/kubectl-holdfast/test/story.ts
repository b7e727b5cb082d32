import {
  configMaps,
  persistentVolumeClaims,
  pods,
  statefulSets,
  type ObjectRef,
  type OwnerReference,
  type Pod,
  type StatefulSet,
} from '@holdfast/core';
import { find, isAlreadyExists, isNotFound, type ConnectedClient } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import * as fc from 'fast-check';
import type { Action } from '../src/plan/world.ts';

/*
 * What users do to a set before they ask what will go, and then do.
 */

export interface Policy {
  readonly whenScaled: 'Retain' | 'Delete';
  readonly whenDeleted: 'Retain' | 'Delete';
}

export interface SetShape {
  readonly replicas: number;
  readonly start: number;
  readonly templates: number;
  readonly policy: Policy;
  /** Undo windows, where the policy is in annotations beside them; none: the policy is in the field. */
  readonly window: boolean;
}

export type Step =
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'policy'; readonly policy: Policy }
  /** A claim of the first template for an ordinal, made by hand. */
  | { readonly kind: 'claim'; readonly ordinal: number }
  /** A ConfigMap becomes an owner of a claim, or its controller; or is deleted again. */
  | { readonly kind: 'owner'; readonly ordinal: number; readonly controller: boolean }
  | { readonly kind: 'ownerGone' }
  /** A reference to a set of the name that was before. */
  | { readonly kind: 'staleOwner'; readonly ordinal: number };

export interface Story {
  readonly shape: SetShape;
  readonly steps: readonly Step[];
  readonly action: Action;
}

const retention = fc.constantFrom('Retain' as const, 'Delete' as const);
const policy = fc.record({ whenScaled: retention, whenDeleted: retention });
const ordinal = fc.integer({ min: 0, max: 3 });
const replicas = fc.integer({ min: 0, max: 3 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('scale' as const), replicas }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('policy' as const), policy }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('claim' as const), ordinal }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('owner' as const), ordinal, controller: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'ownerGone' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('staleOwner' as const), ordinal }) },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('scale' as const), replicas }),
  fc.record({
    kind: fc.constant('delete' as const),
    cascade: fc.constantFrom('background' as const, 'foreground' as const, 'orphan' as const),
  }),
);

/** @param windows whether sets ask for undo windows, too */
export function stories(windows: boolean): fc.Arbitrary<Story> {
  return fc.record({
    shape: fc.record({
      replicas: fc.integer({ min: 1, max: 3 }),
      start: fc.integer({ min: 0, max: 1 }),
      templates: fc.integer({ min: 1, max: 2 }),
      policy,
      window: windows ? fc.boolean() : fc.constant(false),
    }),
    steps: fc.array(step, { maxLength: 3 }),
    action,
  });
}

const setName = 'web';
const ownerName = 'backup';
const templatesOf = ({ templates }: SetShape): readonly string[] => ['data', 'log'].slice(0, templates);

/** The hand of a user on the set of one namespace. */
export interface Hand {
  readonly ref: Required<ObjectRef>;
  create(shape: SetShape): Promise<void>;
  take(step: Step): Promise<void>;
  act(action: Action): Promise<void>;
  /**
   * Waits until the pods are what the set calls for, and until whoever judges claims has judged all that was done
   * before.
   */
  rest(): Promise<void>;
}

export function handOf(client: ConnectedClient, namespace: string, holdfast: boolean): Hand {
  const ref = { namespace, name: setName };
  let templates: readonly string[] = [];

  const claimDraft = (name: string, ownerReferences: readonly OwnerReference[] = []) => ({
    metadata: { name, ownerReferences },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const addOwner = async (name: string, owner: OwnerReference): Promise<void> => {
    await unlessGone(async () => {
      const claim = await client.get(persistentVolumeClaims, { namespace, name });
      const present = claim.metadata.ownerReferences ?? [];
      const isTaken = owner.controller === true && present.some(({ controller }) => controller === true);
      const value = [...present, { ...owner, controller: owner.controller === true && !isTaken }];
      await client.patch(persistentVolumeClaims, { namespace, name }, [
        { op: 'add', path: '/metadata/ownerReferences', value },
      ]);
    });
  };

  return {
    ref,
    create: async (shape) => {
      templates = templatesOf(shape);
      await client.create(statefulSets, namespace, {
        metadata: {
          name: setName,
          ...(shape.window
            ? {
                annotations: {
                  'holdfast.dev/when-scaled': shape.policy.whenScaled,
                  'holdfast.dev/when-deleted': shape.policy.whenDeleted,
                  'holdfast.dev/scale-down-grace': '30m',
                  'holdfast.dev/set-deletion-grace': '24h',
                },
              }
            : {}),
        },
        spec: {
          replicas: shape.replicas,
          serviceName: setName,
          podManagementPolicy: 'Parallel',
          selector: { matchLabels: { app: setName } },
          ordinals: { start: shape.start },
          ...(shape.window ? {} : { persistentVolumeClaimRetentionPolicy: shape.policy }),
          template: {
            metadata: { labels: { app: setName } },
            spec: {
              containers: [{ name: 'c', image: 'example.com/none' }],
              terminationGracePeriodSeconds: 1,
            },
          },
          volumeClaimTemplates: templates.map((name) => claimDraft(name)),
        },
      });
    },
    take: async (taken) => {
      switch (taken.kind) {
        case 'scale':
          await client.patch(statefulSets, ref, [
            { op: 'replace', path: '/spec/replicas', value: taken.replicas },
          ]);
          return;
        case 'policy':
          await client.patch(statefulSets, ref, [
            { op: 'add', path: '/spec/persistentVolumeClaimRetentionPolicy', value: taken.policy },
          ]);
          return;
        case 'claim':
          try {
            await client.create(
              persistentVolumeClaims,
              namespace,
              claimDraft(`data-${setName}-${String(taken.ordinal)}`),
            );
          } catch (error) {
            if (!isAlreadyExists(error)) {
              throw error;
            }
          }
          return;
        case 'owner': {
          const owner =
            (await find(client, configMaps, { namespace, name: ownerName })) ??
            (await client.create(configMaps, namespace, { metadata: { name: ownerName } }));
          await addOwner(`data-${setName}-${String(taken.ordinal)}`, {
            ...{ apiVersion: 'v1', kind: 'ConfigMap', name: ownerName, uid: owner.metadata.uid },
            controller: taken.controller,
          });
          return;
        }
        case 'ownerGone':
          await unlessGone(() => client.delete(configMaps, { namespace, name: ownerName }));
          return;
        case 'staleOwner': {
          // A living owner beside it, or the garbage collector would delete the claim at once.
          await addOwner(`data-${setName}-${String(taken.ordinal)}`, {
            ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: setName, uid: crypto.randomUUID() },
          });
          return;
        }
      }
    },
    act: async (acted) => {
      if (acted.kind === 'scale') {
        await client.patch(statefulSets, ref, [
          { op: 'replace', path: '/spec/replicas', value: acted.replicas },
        ]);
      } else {
        await client.delete(statefulSets, ref, {
          propagationPolicy: (
            { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const
          )[acted.cascade],
        });
      }
    },
    rest: async () => {
      await podsAtRest(client, ref);
      if (holdfast) {
        await judged(client, namespace);
      }
      await collected(client, namespace);
      await podsAtRest(client, ref);
    },
  };

  /**
   * A stock controller whose cache still holds a collected claim leaves the set alone, and nothing brings it back
   * (`PodClaimIsStale` in stateful_pod_control.go): the set is touched once a second until the pods are there.
   */
  async function podsAtRest({ list, patch }: ConnectedClient, at: Required<ObjectRef>): Promise<void> {
    let touched = performance.now();
    let seen: unknown;
    try {
      await eventually(`the pods of ${namespace} are what the set calls for`, async () => {
        const set = await find(client, statefulSets, at);
        const { items } = await list(pods, { namespace });
        const own = items.filter(({ metadata }) => metadata.name.startsWith(`${setName}-`));
        seen = { set, pods: own.map(({ metadata, status }) => ({ metadata, phase: status?.phase })) };
        const isAtRest = set === undefined ? own.every(isLeft) : isComplete(set, own);
        if (!isAtRest && set !== undefined && performance.now() - touched > 1_000) {
          touched = performance.now();
          const value = { touched: crypto.randomUUID() };
          await unlessGone(() => patch(statefulSets, at, [{ op: 'add', path: '/metadata/labels', value }]));
        }
        return isAtRest;
      });
    } catch (error) {
      throw new Error(`last seen: ${JSON.stringify(seen)}`, { cause: error });
    }
  }
}

/** The set that it was of is gone, and has left it. */
function isLeft({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && (metadata.ownerReferences ?? []).length === 0;
}

function isComplete({ metadata, spec, status }: StatefulSet, own: readonly Pod[]): boolean {
  const running = own.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && pod.status?.phase === 'Running',
  );
  return (
    metadata.deletionTimestamp === undefined &&
    status?.observedGeneration === metadata.generation &&
    own.length === spec?.replicas &&
    running.length === own.length
  );
}

/**
 * Waits for Holdfast: it takes the owner of a claim made now, which its policy does not want and which looks like its
 * own.
 */
async function judged(client: ConnectedClient, namespace: string): Promise<void> {
  const name = `marker-${crypto.randomUUID().slice(0, 8)}`;
  const { metadata } = await client.create(statefulSets, namespace, {
    metadata: { name },
    spec: {
      replicas: 0,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'none' }] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  });
  const claim = `data-${name}-0`;
  await client.create(persistentVolumeClaims, namespace, {
    metadata: {
      name: claim,
      ownerReferences: [
        {
          ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: metadata.uid },
          ...{ controller: true, blockOwnerDeletion: false },
        },
      ],
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await eventually(`Holdfast has judged ${claim}`, async () => {
    const { metadata: now } = await client.get(persistentVolumeClaims, { namespace, name: claim });
    return (now.ownerReferences ?? []).length === 0;
  });
}

/** Waits for the garbage collector: it deletes a claim whose owner never was. */
async function collected(client: ConnectedClient, namespace: string): Promise<void> {
  const name = `unowned-${crypto.randomUUID().slice(0, 8)}`;
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'never-was', uid: crypto.randomUUID() };
  await client.create(persistentVolumeClaims, namespace, {
    metadata: { name, ownerReferences: [owner] },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await eventually(
    `${name} of ${namespace} is collected`,
    async () => (await find(client, persistentVolumeClaims, { namespace, name })) === undefined,
  );
}

async function unlessGone(asked: () => Promise<unknown>): Promise<void> {
  try {
    await asked();
  } catch (error) {
    if (!isNotFound(error)) {
      throw error;
    }
  }
}
