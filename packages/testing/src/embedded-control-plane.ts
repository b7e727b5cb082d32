import {
  type After,
  type ApiServer,
  type ApiServerFeatureGate,
  type ApiServerUser,
  type FaultPlan,
  type ResourceDefinition,
  type ServiceAddresses,
  startApiServer,
} from '@holdfast/apiserver';
import type { ControlPlane } from './plane/control-plane.ts';

export interface EmbeddedControlPlaneOptions {
  /** The port to serve on. Default: a free one. */
  readonly port?: number;
  /**
   * Whether to serve https, with a certificate made at start, or plain http, which takes a quarter less CPU
   * time for small requests. Default true.
   */
  readonly tls?: boolean;
  /**
   * Admission plugins to turn off, named as in kube-apiserver's `--disable-admission-plugins`. Default none.
   */
  readonly disableAdmissionPlugins?: readonly string[];
  /**
   * The API server's feature gates, by kube-apiserver's names; see ApiServerOptions. An unknown name makes
   * the start throw.
   */
  readonly featureGates?: Readonly<Partial<Record<ApiServerFeatureGate, boolean>>>;
  /**
   * The addresses of the services that webhook configurations name: `namespace/name` to `host:port`; see
   * ApiServerOptions.
   */
  readonly services?: ServiceAddresses;
  /**
   * Your own kinds, which the API server serves in the same way as custom resources, in addition to the
   * built-in kinds. Default none.
   */
  readonly resources?: readonly ResourceDefinition[];
  /**
   * Users in addition to the cluster admin, each with a bearer token. The stored roles decide what they may
   * do. Default none.
   */
  readonly users?: readonly ApiServerUser[];
  /**
   * The clock for timestamps and the expiry of tokens, in milliseconds since the epoch; give one in tests
   * that set the time. Default Date.now.
   */
  readonly now?: () => number;
  /**
   * Runs the timers of watches, webhooks and everything else that takes time; see ApiServerOptions. Default
   * setTimeout.
   */
  readonly after?: After;
  /** The faults that requests to the API server meet. Default none. */
  readonly faults?: FaultPlan;
}

/** A control plane that consists of an API server in this process. */
export interface EmbeddedControlPlane extends ControlPlane {
  readonly backend: 'embedded';
  /** The API server that serves now. A restart replaces it with another one. */
  readonly apiServer: ApiServer;
}

/** Starts an API server in this process. It is ready within milliseconds. */
export async function startEmbeddedControlPlane(
  options: EmbeddedControlPlaneOptions = {},
): Promise<EmbeddedControlPlane> {
  const token = crypto.randomUUID();
  let apiServer = await startApiServer({ ...options, token });
  const { url, kubeconfig, storage } = apiServer;
  return {
    backend: 'embedded',
    url,
    kubeconfig,
    get apiServer() {
      return apiServer;
    },
    async restartApiServer() {
      await apiServer.stop();
      apiServer = await startApiServer({ ...options, token, storage, port: Number(new URL(url).port) });
    },
    stop: () => apiServer.stop(),
  };
}
