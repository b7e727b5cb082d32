import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Controller,
  type ControlPlane,
  type OrphanGuard,
  binaryPath,
  defaultServiceAccounts,
  dynamicProvisioner,
  garbageCollector,
  kubelet,
  namespaceDeletion,
  persistentVolumeBinder,
  persistentVolumeProtection,
  rootCaPublisher,
  startController,
  startControlPlane,
  statefulSetController,
} from '@holdfast/testing';
import { startProgram } from '../e2e/program.ts';

export type Backend = 'embedded' | 'real';

/** For messages such as `passed on the embedded server`. */
export function nameOf(backend: Backend): string {
  return `the ${backend} server`;
}

/**
 * What does kube-controller-manager's work on the embedded API server: our stand-ins, or
 * kube-controller-manager itself, for tests of kinds that no stand-in handles.
 */
export type Controllers = 'stand-ins' | 'kube-controller-manager';

/**
 * A cluster with one node for other projects' tests: a control plane, its controllers, and a stand-in for the
 * kubelet and the scheduler.
 */
export interface StrangersWorld {
  /** The path of a kubeconfig file with a cluster admin's credentials. */
  readonly kubeconfigFile: string;
  stop(): Promise<void>;
}

export interface StrangersWorldOptions {
  readonly backend: Backend;
  /** For the embedded API server; the real one always runs with kube-controller-manager. */
  readonly controllers: Controllers;
  /** The folder of kube-controller-manager. */
  readonly assets: string;
  /** The folder for files that are written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

/**
 * Nothing sends the heartbeats that this controller expects. The node must be usable without them, so no
 * taint may be waiting for this controller either, see below.
 */
const nodeLifecycle = '-node-lifecycle-controller';

const standIns: readonly Controller[] = [
  defaultServiceAccounts,
  rootCaPublisher,
  namespaceDeletion,
  garbageCollector,
  statefulSetController(),
  persistentVolumeBinder,
  persistentVolumeProtection,
];

/** @throws if a program does not start; nothing is left running then */
export async function startStrangersWorld(options: StrangersWorldOptions): Promise<StrangersWorld> {
  const { backend, controllers, assets, scratch, guard } = options;
  const undo: (() => Promise<unknown>)[] = [];
  const undoAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      // A stand-in that has failed throws when it is stopped, but what was started before it must be stopped,
      // too.
      await step().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) {
      throw errors[0];
    }
  };
  try {
    const plane = await startControlPlane({
      backend,
      disableAdmissionPlugins: ['TaintNodesByCondition'],
      ...(backend === 'real' ? { release: '1.36', controllers: ['*', nodeLifecycle] } : undefined),
    });
    undo.push(() => plane.stop());
    const kubeconfigFile = join(scratch, `${backend}-${controllers}.kubeconfig`);
    await writeFile(kubeconfigFile, plane.kubeconfig, { mode: 0o600 });
    const ours = [kubelet({ needsBoundClaims: true }), dynamicProvisioner()];
    if (backend === 'embedded' && controllers === 'stand-ins') {
      ours.push(...standIns);
    }
    for (const standIn of ours) {
      const running = await startController(plane, standIn);
      undo.push(() => running.stop());
    }
    if (backend === 'embedded' && controllers === 'kube-controller-manager') {
      undo.push(await startManager(plane, kubeconfigFile, { assets, scratch, guard }));
    }
    return { kubeconfigFile, stop: undoAll };
  } catch (error) {
    await undoAll().catch(() => undefined);
    throw error;
  }
}

/**
 * Starts kube-controller-manager on the embedded API server, which only accepts JSON and signs the tokens of
 * service accounts itself.
 */
async function startManager(
  plane: ControlPlane,
  kubeconfigFile: string,
  { assets, scratch, guard }: Pick<StrangersWorldOptions, 'assets' | 'scratch' | 'guard'>,
): Promise<() => Promise<void>> {
  const authority = join(scratch, 'embedded.crt');
  await writeFile(authority, certificateOf(plane.kubeconfig));
  const manager = await startProgram({
    name: 'kube-controller-manager',
    file: binaryPath(assets, 'kube-controller-manager'),
    args: [
      `--kubeconfig=${kubeconfigFile}`,
      `--controllers=*,${nodeLifecycle}`,
      '--kube-api-content-type=application/json',
      '--leader-elect=false',
      '--pvclaimbinder-sync-period=1s',
      `--root-ca-file=${authority}`,
      '--secure-port=0',
      '--use-service-account-credentials=false',
    ],
    cwd: scratch,
    guard,
  });
  return () => manager.stop();
}

function certificateOf(kubeconfig: string): Buffer {
  const encoded = /certificate-authority-data"?: *"?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1];
  if (encoded === undefined) {
    throw new Error('the kubeconfig of the embedded API server has no certificate-authority-data');
  }
  return Buffer.from(encoded, 'base64');
}
