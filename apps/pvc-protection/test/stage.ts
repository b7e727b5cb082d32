import {
  parseFeatureGates,
  persistentVolumeClaims,
  pods,
  type KubernetesObject,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { find, type ApiClient } from '@holdfast/runtime';
import { eventually, openStage as open, type Stage as StageOf } from '@holdfast/scenario';
import type { ControlPlane } from '@holdfast/testing';
import { createPvcProtection } from '../src/controller.ts';
import { gates } from '../src/gates.ts';

export interface Options {
  readonly featureGates?: string;
  /** Default: all. */
  readonly namespaces?: readonly string[];
  /** Wall clock. Default: the machine's. */
  readonly now?: () => Date;
}

export type Stage = StageOf<Options>;

export function openStage(plane: ControlPlane): Promise<Stage> {
  return open(plane, {
    name: 'pvc-protection',
    create: (surroundings, { featureGates = '', namespaces = [], ...options }) =>
      createPvcProtection({
        ...surroundings,
        ...options,
        gates: parseFeatureGates(gates, featureGates),
        namespaces,
        concurrentSyncs: 10,
      }),
  });
}

/** What a user, the scheduler and the kubelet do in one namespace. */
export interface Hand {
  createClaim(
    name: string,
    options?: { finalizers?: readonly string[]; controlledBy?: Pod; volumeName?: string },
  ): Promise<PersistentVolumeClaim>;
  /** A pod that names the claim; on a node unless `scheduled` is false. */
  createPod(name: string, claimName: string, options?: PodOptions): Promise<Pod>;
  finishPod(name: string, phase: 'Succeeded' | 'Failed'): Promise<void>;
  deletePod(name: string, gracePeriodSeconds?: number): Promise<void>;
  deleteClaim(name: string): Promise<void>;
  finalizersOf(name: string): Promise<readonly string[] | 'gone'>;
  claimIsGone(name: string): Promise<boolean>;
}

export interface PodOptions {
  readonly scheduled?: boolean;
  /** The claim is that of a generic ephemeral volume of this name instead. */
  readonly ephemeralVolume?: string;
}

const request = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

export function handOf(client: ApiClient, namespace: string): Hand {
  const findClaim = (name: string) => find(client, persistentVolumeClaims, { namespace, name });
  return {
    createClaim: (name, { finalizers, controlledBy, volumeName } = {}) =>
      client.create(persistentVolumeClaims, namespace, {
        metadata: {
          name,
          ...(finalizers === undefined ? {} : { finalizers }),
          ...(controlledBy === undefined ? {} : { ownerReferences: [controllerReference(controlledBy)] }),
        },
        spec: { ...request, ...(volumeName === undefined ? {} : { volumeName }) },
      }),
    createPod: (name, claimName, { scheduled = true, ephemeralVolume } = {}) =>
      client.create(pods, namespace, {
        metadata: { name },
        spec: {
          containers: [{ name: 'c', image: 'pause' }],
          ...(scheduled ? { nodeName: 'node-1' } : {}),
          volumes: [
            ephemeralVolume === undefined
              ? { name: 'data', persistentVolumeClaim: { claimName } }
              : { name: ephemeralVolume, ephemeral: { volumeClaimTemplate: { spec: request } } },
          ],
        },
      }),
    finishPod: async (name, phase) => {
      await client.patch(pods, { namespace, name }, [{ op: 'add', path: '/status/phase', value: phase }], {
        subresource: 'status',
      });
    },
    deletePod: (name, gracePeriodSeconds = 0) =>
      client.delete(pods, { namespace, name }, { gracePeriodSeconds }),
    deleteClaim: (name) => client.delete(persistentVolumeClaims, { namespace, name }),
    finalizersOf: async (name) => {
      const found = await findClaim(name);
      return found === undefined ? 'gone' : (found.metadata.finalizers ?? []);
    },
    claimIsGone: async (name) => (await findClaim(name)) === undefined,
  };
}

function controllerReference({ metadata: { name, uid } }: KubernetesObject) {
  return { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true };
}

/**
 * Waits until the controller has seen and judged everything that was done before: a claim made now has gained the
 * finalizer, and lost it. After that, what has not happened is not going to happen.
 */
export async function settled(hand: Hand): Promise<void> {
  const name = `marker-${crypto.randomUUID()}`;
  await hand.createClaim(name);
  await eventually(`the controller protects ${name}`, async () => {
    const found = await hand.finalizersOf(name);
    return found !== 'gone' && found.length > 0;
  });
  await hand.deleteClaim(name);
  await eventually(`the controller releases ${name}`, () => hand.claimIsGone(name));
}
