import type { ApiServer } from '@holdfast/apiserver';
import { type ApiClient, createApiClient } from './api-client.ts';

/** Where a controller runs: any control plane of this package. */
export interface Plane {
  readonly kubeconfig: string;
  /** The API server, if it is in this process. A restart replaces it. */
  readonly apiServer?: Pick<ApiServer, 'kubeconfig' | 'serve'>;
}

/**
 * Creates the client of a stand-in. If the API server is in this process, no connection is opened: that would take most
 * of the CPU time of a request. The server treats the request like any other, with its faults and its log.
 *
 * A plane whose kubeconfig is not the server's leads somewhere else, perhaps to a proxy that a test has put between.
 */
export function clientOf(plane: Plane, name: string): ApiClient {
  const { kubeconfig, apiServer } = plane;
  const userAgent = `holdfast-stand-in/${name}`;
  return apiServer === undefined || apiServer.kubeconfig !== kubeconfig
    ? createApiClient(kubeconfig, userAgent)
    : createApiClient(kubeconfig, userAgent, {
        serve: (...request) => (plane.apiServer ?? apiServer).serve(...request),
      });
}
