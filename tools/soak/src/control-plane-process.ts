import { startEmbeddedControlPlane, startRealControlPlane, type ControlPlane } from '@holdfast/testing';
import type { ControlPlaneAnswer, ControlPlaneOrder } from './control-plane.ts';

/*
 * Runs the control plane in a process of its own, which the soak controls by messages, so that its memory and
 * CPU time are separate from those of the controller and the load.
 */

interface Orderable {
  readonly plane: ControlPlane;
  readonly carryOut: (order: ControlPlaneOrder) => Promise<void> | undefined;
}

/**
 * These plugins do the controllers' own work, so they are off: half of the claims get their finalizer, or all
 * claims their class, from the controller.
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
          // Both in the same turn: the watches then resume from a revision that is already compacted.
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

// The soak handles signals to the whole group, and then disconnects from this process.
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
