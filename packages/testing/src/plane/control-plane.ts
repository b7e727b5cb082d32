import type { KubernetesRelease } from './kubernetes-release.ts';

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
   * is not started. Its volume binder syncs every second instead of every 15, so that a test need not wait for what it takes up again then.
   */
  readonly controllers?: readonly string[];
  /** Embedded and real: TCP port of the API server on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /**
   * Embedded only: https (true, default), or plain http for suites that are not about connections. It takes a quarter less CPU time
   * for small requests; a client must be ready to send its token over it, as `loadKubeConfig` with `insecureHttp` is.
   */
  readonly tls?: boolean;
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
