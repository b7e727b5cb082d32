import { connect, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { Registry } from 'prom-client';

/** Returns a client of the cluster that the kubeconfig file names. */
export function connectAs(program: string, kubeconfig: string): ApiClient {
  return connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig }),
    registry: new Registry(),
    program,
    version: '0.1.0',
  });
}
