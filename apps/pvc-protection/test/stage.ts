import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  keyOf,
  namespaces,
  parseFeatureGates,
  persistentVolumeClaims,
  pods,
  type KubernetesObject,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { connect, isNotFound, loadKubeConfig, runControllers, type ApiClient } from '@holdfast/runtime';
import type { ControlPlane } from '@holdfast/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createPvcProtection } from '../src/controller.ts';
import { gates } from '../src/gates.ts';

/** A control plane with a client for the test's own hand, and controllers that are started and stopped at will. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly client: ApiClient;
  readonly kubeconfigFile: string;
  /** Makes a namespace of its own for a scenario; answers its name. */
  namespace(): Promise<string>;
  startController(options?: { readonly featureGates?: string }): RunningController;
  /** Ends all controllers in good order. */
  stopControllers(): Promise<void>;
  close(): Promise<void>;
}

export interface RunningController {
  readonly registry: Registry;
  /** Ends in good order, as on SIGTERM. */
  stop(): Promise<void>;
  /** Drops everything under way, as a lost lease does. */
  abandon(): Promise<void>;
}

export async function openStage(plane: ControlPlane): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-scenario-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeconfigFile, plane.kubeconfig);
  const connectAs = (program: string, registry: Registry): ApiClient =>
    connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig: kubeconfigFile }),
      registry,
      program,
      version: '0',
    });
  const client = connectAs('scenario', new Registry());
  const running = new Set<RunningController>();

  const stopControllers = async (): Promise<void> => {
    await Promise.all([...running].map((controller) => controller.stop()));
  };

  return {
    plane,
    client,
    kubeconfigFile,
    namespace: async () => {
      const created = await client.create(namespaces, undefined, { metadata: { generateName: 'scenario-' } });
      return created.metadata.name;
    },
    startController: ({ featureGates = '' } = {}) => {
      const registry = new Registry();
      const own = connectAs('pvc-protection', registry);
      const stop = new AbortController();
      const abandon = new AbortController();
      const watching = new AbortController();
      const parts = createPvcProtection({
        client: own,
        logger: pino({ level: process.env['HOLDFAST_TEST_LOG'] ?? 'silent' }),
        registry,
        gates: parseFeatureGates(gates, featureGates),
        namespaces: [],
        concurrentSyncs: 10,
      });
      const following = Promise.all(parts.informers.map((informer) => informer.run(watching.signal)));
      const working = runControllers(parts, stop.signal, abandon.signal);
      const end = async (): Promise<void> => {
        stop.abort(new Error('stopped by the test'));
        await working;
        watching.abort(new Error('stopped by the test'));
        await following;
        await own.close();
        running.delete(controller);
      };
      const controller: RunningController = {
        registry,
        stop: end,
        abandon: () => {
          abandon.abort(new Error('abandoned by the test'));
          return end();
        },
      };
      running.add(controller);
      return controller;
    },
    stopControllers,
    close: async () => {
      await stopControllers();
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the hand of a user, the scheduler and the kubelet do to one namespace. */
export interface Hand {
  createClaim(
    name: string,
    options?: { finalizers?: readonly string[]; controlledBy?: Pod; volumeName?: string },
  ): Promise<PersistentVolumeClaim>;
  /** A pod that names the claim; on a node unless told otherwise. */
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
  const find = async (name: string): Promise<PersistentVolumeClaim | undefined> => {
    try {
      return await client.get(persistentVolumeClaims, { namespace, name });
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      throw error;
    }
  };
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
      const found = await find(name);
      return found === undefined ? 'gone' : (found.metadata.finalizers ?? []);
    },
    claimIsGone: async (name) => (await find(name)) === undefined,
  };
}

function controllerReference({ metadata: { name, uid } }: KubernetesObject) {
  return { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true };
}

/**
 * Waits until the condition holds, asking every 20 ms.
 *
 * @throws after 20 s, naming what was waited for.
 */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`waited 20 s in vain until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Waits until the controller has seen and judged everything that was done before: a claim made now, without the finalizer,
 * has it. So that what must not have happened can be told from what has not happened yet.
 */
export async function settled(client: ApiClient, namespace: string): Promise<void> {
  const hand = handOf(client, namespace);
  const name = `marker-${crypto.randomUUID()}`;
  await hand.createClaim(name);
  await eventually(`the controller protects ${keyOf({ namespace, name })}`, async () => {
    const found = await hand.finalizersOf(name);
    return found !== 'gone' && found.length > 0;
  });
  await hand.deleteClaim(name);
  await eventually(`the controller releases ${keyOf({ namespace, name })}`, () => hand.claimIsGone(name));
}
