import { startEmbeddedControlPlane } from '@holdfast/testing';

/*
 * Runs the embedded API server in a process, and so on a core, of its own. Sends its kubeconfig when it
 * serves.
 */

// The parent process is gone.
process.once('disconnect', () => process.exit());
const { kubeconfig } = await startEmbeddedControlPlane();
process.send?.(kubeconfig);
