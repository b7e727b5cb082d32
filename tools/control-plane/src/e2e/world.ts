import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  dynamicProvisioner,
  kubelet,
  startController,
  startOrphanGuard,
  startRealControlPlane,
} from '@holdfast/testing';
import type { Part } from './parts.ts';
import type { Programs } from './programs.ts';
import { startProgram, type Program } from './program.ts';

/**
 * Who does the work that the tests are about: the stock controllers, ours in their place, or nobody, which
 * shows whether the tests notice that.
 */
export const players = ['stock', 'holdfast', 'nobody'] as const;
export type Player = (typeof players)[number];

/**
 * A cluster with one node: the stock control plane, kube-scheduler, and stand-ins for the kubelet and
 * external-provisioner.
 */
export interface World {
  /** The kubeconfig of a cluster admin, as text. */
  readonly kubeconfig: string;
  /** Makes the player take over exactly these parts. */
  turnTo(parts: readonly Part[]): Promise<void>;
  /** Returns the programs that have ended by themselves, with the end of their output. */
  casualties(): readonly string[];
  stop(): Promise<void>;
}

const provisioner = 'stand-in.holdfast.dev';

const manifests = [
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name: 'standard',
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    provisioner,
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: provisioner },
    // Nothing in this world attaches volumes.
    spec: { attachRequired: false },
  },
];

/**
 * Nothing sends the heartbeats that this controller expects. The node must be usable without them, so no
 * taint may be waiting for this controller either, see below.
 */
const nodeLifecycle = '-node-lifecycle-controller';

/** @throws if a program does not start; nothing is left running then */
export async function startWorld(player: Player, programs: Programs): Promise<World> {
  const undo: (() => Promise<unknown>)[] = [];
  const undoAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      // A stand-in that has failed throws when it is stopped, but the programs that were started before it
      // must be stopped, too.
      await step().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) {
      throw errors[0];
    }
  };
  try {
    const plane = await startRealControlPlane({
      release: '1.36',
      controllers: ['*', nodeLifecycle],
      disableAdmissionPlugins: ['TaintNodesByCondition'],
    });
    undo.push(() => plane.stop());
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-e2e-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const guard = await startOrphanGuard(folder);
    undo.push(() => guard.dismiss());

    for (const standIn of [
      kubelet({ needsBoundClaims: true, schedules: false }),
      dynamicProvisioner({ provisioner }),
    ]) {
      const running = await startController(plane, standIn);
      undo.push(() => running.stop());
    }
    const applied = await plane.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
    });
    if (applied.code !== 0) {
      throw new Error(`kubectl apply failed: ${applied.stderr}`);
    }

    const { kubeconfigFile } = plane;
    const start = (name: string, file: string, args: readonly string[]): Promise<Program> =>
      startProgram({ name, file, args: [`--kubeconfig=${kubeconfigFile}`, ...args], cwd: folder, guard });
    const scheduler = await start('kube-scheduler', programs.scheduler, [
      '--leader-elect=false',
      '--secure-port=0',
    ]);
    undo.push(() => scheduler.stop());

    let inTheRound: Program[] = [];
    const endRound = async (): Promise<void> => {
      await Promise.all(inTheRound.map((program) => program.stop()));
      inTheRound = [];
    };
    undo.push(endRound);
    return {
      kubeconfig: plane.kubeconfig,
      async turnTo(parts) {
        await endRound();
        if (player === 'stock') {
          return;
        }
        await plane.stopControllerManager();
        await plane.startControllerManager({
          controllers: ['*', nodeLifecycle, ...parts.map(({ stockController }) => `-${stockController}`)],
          // With the same flag as the one that it replaces.
          extraArgs: ['--pvclaimbinder-sync-period=1s'],
        });
        if (parts.some(({ stockController }) => stockController === 'statefulset-controller')) {
          inTheRound.push(
            await start('kube-controller-manager of 1.31', programs.oldControllerManager, [
              '--controllers=statefulset-controller',
              '--feature-gates=StatefulSetAutoDeletePVC=false',
              '--leader-elect=false',
              '--secure-port=0',
            ]),
          );
        }
        for (const { app } of player === 'holdfast' ? parts : []) {
          const main = programs.bundles[app];
          inTheRound.push(
            await startProgram({
              name: app,
              file: process.execPath,
              args: [
                main,
                `--kubeconfig=${kubeconfigFile}`,
                '--metrics-bind-address=0',
                '--health-probe-bind-address=0',
              ],
              cwd: folder,
              guard,
            }),
          );
        }
      },
      casualties: () =>
        [scheduler, ...inTheRound].flatMap(({ name, end, output }) =>
          end === undefined ? [] : [`${name} ended with ${end}, and wrote at last:\n${output}`],
        ),
      stop: undoAll,
    };
  } catch (error) {
    await undoAll().catch(() => undefined);
    throw error;
  }
}
