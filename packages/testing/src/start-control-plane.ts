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
 * Starts the chosen back end and resolves when it serves. Options that the back end does not have are
 * ignored.
 *
 * @throws if the choice is none of the three back ends; or what the back end throws, which names the way out
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { disableAdmissionPlugins = [], apiServerFeatureGates = {}, tls = true } = options;
  const backend =
    options.backend === undefined ? chosenBackend() : checkedBackend('option backend', options.backend);
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
 * Returns why a suite with these options cannot run here, as a reason for `describe.skip`; undefined if it
 * can run.
 *
 * A suite that takes whatever back end is chosen is skipped only under `npm run test:real` without binaries.
 * If HOLDFAST_CONTROL_PLANE=real is set by hand, the suite runs, and fails without them. A suite that asks
 * for `backend: 'real'` is skipped wherever the binaries that it needs are missing.
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
 * Returns the back end that the environment chooses. `npm run test:real` sets `real-missing` if it cannot get
 * the binaries, so that suites count as skipped instead of passing on another back end.
 */
export function chosenBackend(env: Environment = process.env): ControlPlaneBackend | 'real-missing' {
  const chosen = env['HOLDFAST_CONTROL_PLANE'];
  if (!chosen) {
    return env['USE_EXISTING_CLUSTER'] === 'true' ? 'existing' : 'embedded';
  }
  return checkedBackend('HOLDFAST_CONTROL_PLANE', chosen);
}

/** JavaScript can give an option that the compiler would refuse. */
function checkedBackend(source: string, chosen: string): ControlPlaneBackend | 'real-missing' {
  for (const backend of [...controlPlaneBackends, 'real-missing'] as const) {
    if (chosen === backend) {
      return backend;
    }
  }
  throw new Error(`${source} is "${chosen}": it may be ${controlPlaneBackends.join(', ')}`);
}
