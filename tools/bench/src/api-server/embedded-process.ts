import { startEmbeddedControlPlane } from '@holdfast/testing';

/* The embedded API server with a process, and so a core, to itself. Says its kubeconfig when it serves. */

// Whoever started us is gone.
process.once('disconnect', () => process.exit());
const { kubeconfig } = await startEmbeddedControlPlane();
process.send?.(kubeconfig);
