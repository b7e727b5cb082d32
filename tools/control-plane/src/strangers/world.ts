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

/** As in `passed on the embedded server`. */
export function nameOf(backend: Backend): string {
  return `the ${backend} server`;
}

/**
 * Who does on the embedded API server what kube-controller-manager does on the real one: our stand-ins, or kube-controller-manager
 * itself, for tests of kinds that no stand-in works on.
 */
export type Controllers = 'stand-ins' | 'kube-controller-manager';

/** A cluster of one node for tests by others: a control plane, its controllers, and a stand-in for the kubelet and the scheduler. */
export interface StrangersWorld {
  /** A file with a cluster admin's credentials. */
  readonly kubeconfigFile: string;
  stop(): Promise<void>;
}

export interface StrangersWorldOptions {
  readonly backend: Backend;
  /** On the embedded API server; beside the real one it is always kube-controller-manager. */
  readonly controllers: Controllers;
  /** With kube-controller-manager. */
  readonly assets: string;
  /** For what is written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

/** Nobody sends the heartbeats that it waits for; so that the node is usable without it, no taint awaits it either, see below. */
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

/**
 * @throws when a program does not start; nothing is left running then
 */
export async function startStrangersWorld(options: StrangersWorldOptions): Promise<StrangersWorld> {
  const { backend, controllers, assets, scratch, guard } = options;
  const undo: (() => Promise<unknown>)[] = [];
  const undoAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      // A stand-in that failed says so when it is stopped; what was started before it must be stopped all the same.
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

/** kube-controller-manager beside the embedded API server, which takes JSON and signs the tokens of service accounts itself. */
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
