import type { KubernetesRelease } from './kubernetes-release.ts';

export const controlPlaneBackends = ['embedded', 'real', 'existing'] as const;
export type ControlPlaneBackend = (typeof controlPlaneBackends)[number];

/** A Kubernetes API to test against, regardless of the back end that serves it. */
export interface ControlPlane {
  /** The URL of the API server, without a trailing slash. */
  readonly url: string;
  /** A kubeconfig as text (YAML or JSON), with a cluster admin's credentials. */
  readonly kubeconfig: string;
  readonly backend: ControlPlaneBackend;
  /**
   * Kills the API server without warning and starts it again on the same port and data; resolves when it
   * serves.
   *
   * @throws for an existing cluster, which tests must not restart
   */
  restartApiServer(): Promise<void>;
  /** Stops and removes everything that was started; leaves an existing cluster as it is. Idempotent. */
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /**
   * The back end. Default: $HOLDFAST_CONTROL_PLANE; if unset, `existing` when $USE_EXISTING_CLUSTER is
   * `true`, and otherwise `embedded`.
   */
  readonly backend?: ControlPlaneBackend;
  /**
   * Real only: the Kubernetes release. Default: the release in $KUBEBUILDER_ASSETS if that is set, and
   * otherwise 1.36. If a release is given, $KUBEBUILDER_ASSETS is used only if it holds that release.
   */
  readonly release?: KubernetesRelease;
  /**
   * Real only: the controllers that kube-controller-manager runs, named as in its `--controllers`. Default
   * none, and then it is not started. Its volume binder syncs every second instead of every 15, so that tests
   * need not wait long for work that the binder resumes only at its next sync.
   */
  readonly controllers?: readonly string[];
  /** Embedded and real: the TCP port of the API server on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /**
   * Embedded only: https (true, default), or plain http for suites that are not about connections. Plain http
   * takes a quarter less CPU time for small requests, but the client must be willing to send its token over
   * it, as `loadKubeConfig` with `insecureHttp` is.
   */
  readonly tls?: boolean;
  /**
   * Embedded and real: admission plugins to turn off, named as in kube-apiserver's
   * `--disable-admission-plugins`.
   */
  readonly disableAdmissionPlugins?: readonly string[];
  /**
   * Embedded and real: feature gates, named as in kube-apiserver's `--feature-gates`. The embedded API server
   * has StatefulSetAutoDeletePVC and RetroactiveDefaultStorageClass. Both back ends refuse a gate that they
   * do not have.
   */
  readonly apiServerFeatureGates?: Readonly<Record<string, boolean>>;
  /** Real only: feature gates of the kube-controller-manager that `controllers` starts. */
  readonly controllerManagerFeatureGates?: Readonly<Record<string, boolean>>;
}
