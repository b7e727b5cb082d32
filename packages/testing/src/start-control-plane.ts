import { startEmbeddedControlPlane } from './embedded-control-plane.ts';
import { useExistingCluster } from './existing-cluster.ts';
import {
  type ControlPlane,
  type ControlPlaneBackend,
  type ControlPlaneOptions,
  controlPlaneBackends,
} from './plane/control-plane.ts';
import { type Environment, findBinaries } from './real/binaries.ts';
import { neededBinaries, startRealControlPlane } from './real/real-control-plane.ts';

/**
 * Starts the back end chosen and resolves when it serves. Options that the back end does not know have no effect on it.
 *
 * @throws when the choice is none of the three; what the back end throws, with the way out
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { disableAdmissionPlugins = [], apiServerFeatureGates = {}, tls = true } = options;
  const backend = options.backend ?? chosenBackend();
  switch (backend) {
    case 'embedded':
      return startEmbeddedControlPlane({
        disableAdmissionPlugins,
        featureGates: apiServerFeatureGates,
        tls,
        ...(options.port === undefined ? undefined : { port: options.port }),
      });
    case 'real':
      return startRealControlPlane(options);
    case 'existing':
      return useExistingCluster();
    case 'real-missing':
      throw new Error(realMissing);
  }
}

/**
 * Why a suite with these options cannot run here, or undefined when it can: a reason for `describe.skip`. A suite that
 * takes whatever back end is chosen is only skipped under `npm run test:real` without binaries; with
 * HOLDFAST_CONTROL_PLANE=real set by hand it runs, and fails for want of them. One that asks for `backend: 'real'` is
 * skipped wherever the binaries it needs are missing.
 */
export function controlPlaneMissing(options: ControlPlaneOptions = {}): string | undefined {
  if (options.backend === 'real') {
    const found = findBinaries({ release: options.release, needed: neededBinaries(options) });
    return found.found ? undefined : found.reason;
  }
  return options.backend === undefined && chosenBackend() === 'real-missing' ? realMissing : undefined;
}

const realMissing = 'npm run test:real found no real binaries and could not build them';

/**
 * What the environment chooses. `real-missing` is what `npm run test:real` sets where the binaries cannot be had, so that
 * each suite counts as skipped instead of passing on another back end.
 */
export function chosenBackend(env: Environment = process.env): ControlPlaneBackend | 'real-missing' {
  const chosen = env['HOLDFAST_CONTROL_PLANE'];
  if (!chosen) {
    return env['USE_EXISTING_CLUSTER'] === 'true' ? 'existing' : 'embedded';
  }
  for (const backend of [...controlPlaneBackends, 'real-missing'] as const) {
    if (chosen === backend) {
      return backend;
    }
  }
  throw new Error(`HOLDFAST_CONTROL_PLANE is "${chosen}": it may be ${controlPlaneBackends.join(', ')}`);
}
