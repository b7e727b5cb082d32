import {
  eventsV1,
  parseFeatureGates,
  persistentVolumeClaims,
  storageClasses,
  type EventsEvent,
  type JsonPatch,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import { connect, isNotFound, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { eventually, openStage as open, type Stage as StageOf } from '@holdfast/scenario';
import type { ControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';
import { createRetroactiveDefault } from '../src/controller.ts';
import { gates } from '../src/gates.ts';
import { isDefaultClass } from './objects.ts';

export interface Options {
  readonly featureGates?: string;
  /** Default: all. */
  readonly namespaces?: readonly string[];
  /** Default 10. */
  readonly concurrentSyncs?: number;
}

export type Stage = StageOf<Options>;

export async function openStage(plane: ControlPlane): Promise<Stage> {
  const stage: Stage = await open<Options>(plane, {
    name: 'retroactive-default-sc',
    create: (surroundings, { featureGates = '', namespaces = [], concurrentSyncs = 10 }) =>
      createRetroactiveDefault({
        ...surroundings,
        connectForDryRun: () =>
          connect({
            kubeConfig: () => loadKubeConfig({ kubeconfig: stage.kubeconfigFile, insecureHttp: true }),
            registry: new Registry(),
            program: 'rehearsal',
            version: '0',
            dryRun: true,
          }),
        gates: parseFeatureGates(gates, featureGates),
        namespaces,
        concurrentSyncs,
      }),
  });
  return stage;
}

interface ClaimOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly className?: string;
  readonly volumeName?: string;
}

interface ClassOptions {
  /** Default: the annotation that marks the default class, "true". */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** What users and administrators do. Classes have no namespace, so that a test needs names of its own. */
export interface Hand {
  createClaim(name: string, options?: ClaimOptions): Promise<PersistentVolumeClaim>;
  claim(name: string): Promise<PersistentVolumeClaim>;
  /** Undefined: it has none. */
  classOf(name: string): Promise<string | undefined>;
  deleteClaim(name: string): Promise<void>;
  patchClaim(name: string, patch: JsonPatch): Promise<void>;
  createClass(name: string, options?: ClassOptions): Promise<StorageClass>;
  /** Sets the annotation that makes a class the default one. */
  mark(className: string, value: 'true' | 'false'): Promise<void>;
  deleteClass(name: string): Promise<void>;
  /** Resolves when there is no class. */
  deleteAllClasses(): Promise<void>;
  eventsOn(claimName: string): Promise<readonly EventsEvent[]>;
}

export function handOf(client: ApiClient, namespace: string): Hand {
  const hand: Hand = {
    createClaim: (name, { annotations, finalizers, className, volumeName } = {}) =>
      client.create(persistentVolumeClaims, namespace, {
        metadata: {
          name,
          ...(annotations === undefined ? {} : { annotations }),
          ...(finalizers === undefined ? {} : { finalizers }),
        },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          ...(className === undefined ? {} : { storageClassName: className }),
          ...(volumeName === undefined ? {} : { volumeName }),
        },
      }),
    claim: (name) => client.get(persistentVolumeClaims, { namespace, name }),
    classOf: async (name) => (await hand.claim(name)).spec?.storageClassName,
    deleteClaim: (name) => client.delete(persistentVolumeClaims, { namespace, name }),
    patchClaim: async (name, patch) => {
      await client.patch(persistentVolumeClaims, { namespace, name }, patch);
    },
    createClass: (name, { annotations = { [isDefaultClass]: 'true' }, finalizers = [] } = {}) =>
      client.create(storageClasses, undefined, {
        metadata: { name, annotations, finalizers },
        provisioner: 'example.com/disk',
      }),
    mark: async (name, value) => {
      await client.patch(storageClasses, { name }, [
        { op: 'add', path: `/metadata/annotations/${isDefaultClass.replace('/', '~1')}`, value },
      ]);
    },
    deleteClass: (name) => client.delete(storageClasses, { name }),
    deleteAllClasses: async () => {
      for (const { metadata } of (await client.list(storageClasses)).items) {
        if (metadata.finalizers !== undefined) {
          await client.patch(storageClasses, metadata, [{ op: 'remove', path: '/metadata/finalizers' }]);
        }
        await client.delete(storageClasses, metadata).catch((error: unknown) => {
          if (!isNotFound(error)) {
            throw error;
          }
        });
      }
    },
    eventsOn: async (claimName) =>
      (await client.list(eventsV1, { namespace })).items.filter(
        ({ regarding }) => regarding?.kind === 'PersistentVolumeClaim' && regarding.name === claimName,
      ),
  };
  return hand;
}

/**
 * Waits until the controller has seen and judged everything that was done before: a claim made now, without a class,
 * has the default one. After that, what has not happened is not going to happen.
 */
export async function settled(hand: Hand): Promise<void> {
  const name = `marker-${crypto.randomUUID()}`;
  await hand.createClaim(name);
  await eventually(`${name} has a class`, async () => (await hand.classOf(name)) !== undefined);
}
