import { startEmbeddedControlPlane } from './embedded-control-plane.ts';
import { useExistingCluster } from './existing-cluster.ts';
import { findBinaries, type Environment, type KubernetesRelease } from './real/binaries.ts';
import { neededBinaries, startRealControlPlane } from './real/real-control-plane.ts';

export const controlPlaneBackends = ['embedded', 'real', 'existing'] as const;
export type ControlPlaneBackend = (typeof controlPlaneBackends)[number];

/** A Kubernetes API to work against, whatever stands behind it. */
export interface ControlPlane {
  /** Of the API server, without a slash at the end. */
  readonly url: string;
  /** Kubeconfig text (YAML or JSON) with a cluster admin's credentials. */
  readonly kubeconfig: string;
  readonly backend: ControlPlaneBackend;
  /**
   * Ends the API server without warning and starts it again on its port and data; resolves when it serves.
   *
   * @throws for an existing cluster, which is not ours to restart
   */
  restartApiServer(): Promise<void>;
  /** Ends and removes what was started; an existing cluster is left as it is. Calling it again does nothing. */
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** Default: $HOLDFAST_CONTROL_PLANE; else `existing` when $USE_EXISTING_CLUSTER is `true`; else `embedded`. */
  readonly backend?: ControlPlaneBackend;
  /**
   * Real only. Default 1.36, or whatever $KUBEBUILDER_ASSETS holds. A release given by name takes $KUBEBUILDER_ASSETS
   * only when it holds that one.
   */
  readonly release?: KubernetesRelease;
  /**
   * Real only: the controllers that kube-controller-manager runs, named as in its `--controllers`. Default none, and it
   * is not started.
   */
  readonly controllers?: readonly string[];
  /** Embedded and real: TCP port of the API server on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Embedded and real: admission plugins to turn off, by the names of kube-apiserver's `--disable-admission-plugins`. */
  readonly disableAdmissionPlugins?: readonly string[];
  /**
   * Embedded and real: gates of kube-apiserver, named as in its `--feature-gates`. The embedded one has
   * StatefulSetAutoDeletePVC and RetroactiveDefaultStorageClass; both refuse a gate they do not know.
   */
  readonly apiServerFeatureGates?: Readonly<Record<string, boolean>>;
  /** Real only: for the kube-controller-manager started because of `controllers`. */
  readonly controllerManagerFeatureGates?: Readonly<Record<string, boolean>>;
}

/**
 * Starts the back end chosen and resolves when it serves. Options that the back end does not know have no effect on it.
 *
 * @throws when the choice is none of the three; what the back end throws, with the way out
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { disableAdmissionPlugins = [], apiServerFeatureGates = {} } = options;
  const backend = options.backend ?? chosenBackend();
  switch (backend) {
    case 'embedded':
      return startEmbeddedControlPlane({
        disableAdmissionPlugins,
        featureGates: apiServerFeatureGates,
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
