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
  /** Default: a free port. */
  readonly port?: number;
  /** https with a certificate made at start (true, default), or plain http, which takes a quarter less CPU time for small requests. */
  readonly tls?: boolean;
  /** Admission plugins to turn off, by the names of kube-apiserver's `--disable-admission-plugins`. */
  readonly disableAdmissionPlugins?: readonly string[];
  /** Feature gates of the API server, by kube-apiserver's names; see ApiServerOptions. Throws for unknown names. */
  readonly featureGates?: Readonly<Partial<Record<ApiServerFeatureGate, boolean>>>;
  /** Where the services are that webhook configurations name: `namespace/name` to `host:port`; see ApiServerOptions. */
  readonly services?: ServiceAddresses;
  /** Kinds of your own, served besides the built-in ones as custom resources are. Default none. */
  readonly resources?: readonly ResourceDefinition[];
  /** Users besides the cluster admin, by bearer token; the stored roles say what they are allowed. Default none. */
  readonly users?: readonly ApiServerUser[];
  /** The clock of timestamps and of the expiry of tokens, in milliseconds, for tests that set the time. Default Date.now. */
  readonly now?: () => number;
  /** The timers of watches, webhooks and whatever else takes its time; see ApiServerOptions. Default setTimeout. */
  readonly after?: After;
  /** Faults in front of the API server; default none. */
  readonly faults?: FaultPlan;
}

/** An API server in this process. */
export interface EmbeddedControlPlane extends ControlPlane {
  readonly backend: 'embedded';
  /** The server that serves now; another one after a restart. */
  readonly apiServer: ApiServer;
}

/** Ready in milliseconds. */
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
