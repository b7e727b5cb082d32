import { startEmbeddedControlPlane, startRealControlPlane, type ControlPlane } from '@holdfast/testing';
import type { ControlPlaneAnswer, ControlPlaneOrder } from './control-plane.ts';

/*
 * The control plane in a process of its own, ordered about by messages from the soak: its memory and CPU time are neither the
 * controller's nor the load's.
 */

interface Orderable {
  readonly plane: ControlPlane;
  readonly carryOut: (order: ControlPlaneOrder) => Promise<void> | undefined;
}

/**
 * The plugins that do the controllers' own work are off, so that it is left to them: half the claims get their finalizer, or
 * all their class, from the controller.
 */
const disableAdmissionPlugins = ['StorageObjectInUseProtection', 'DefaultStorageClass'];

async function startEmbedded(): Promise<Orderable> {
  const plane = await startEmbeddedControlPlane({ disableAdmissionPlugins });
  return {
    plane,
    carryOut: (order) => {
      switch (order) {
        case 'cutWatches':
          plane.apiServer.cutWatches();
          return undefined;
        case 'cutWatchesAndCompact':
          // In one go: the watches are taken up again at a revision that is forgotten by then.
          plane.apiServer.cutWatches();
          plane.apiServer.compact();
          return undefined;
        case 'restartApiServer':
          return plane.restartApiServer();
      }
    },
  };
}

async function startReal(): Promise<Orderable> {
  const plane = await startRealControlPlane({ disableAdmissionPlugins });
  return {
    plane,
    carryOut: (order) => {
      switch (order) {
        case 'cutWatches':
        case 'cutWatchesAndCompact':
          throw new Error(`${order}: kube-apiserver has no such order; restart it`);
        case 'restartApiServer':
          return plane.restartApiServer();
      }
    },
  };
}

function answer(message: ControlPlaneAnswer): void {
  process.send?.(message);
}

// A signal to the whole group is the soak's to answer; it then lets go of us.
process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);
const released = new Promise<void>((resolve) => process.once('disconnect', () => resolve()));
try {
  const { plane, carryOut } = await (process.argv[2] === 'real' ? startReal() : startEmbedded());
  try {
    process.on('message', (order: ControlPlaneOrder) => {
      Promise.resolve()
        .then(() => carryOut(order))
        .then(
          () => answer({ kind: 'done' }),
          (error: unknown) => answer({ kind: 'failed', reason: String(error) }),
        );
    });
    answer({ kind: 'serving', kubeconfig: plane.kubeconfig });
    await released;
  } finally {
    await plane.stop();
  }
} catch (error) {
  process.exitCode = 1;
  answer({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  if (process.connected) {
    process.disconnect();
  }
}
