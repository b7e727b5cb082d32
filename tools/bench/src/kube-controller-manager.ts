import { join } from 'node:path';
import type { Program } from './program.ts';

/**
 * Runs kube-controller-manager with only the named controllers, no server, and a rate limit that is never
 * reached. It does not use the control plane's `startControllerManager`, which polls the health of the
 * process until it is healthy: that would cost this contestant CPU time, and Holdfast none.
 *
 * @param binaries absolute path of the folder with the binaries
 */
export function kubeControllerManager(
  binaries: string,
  kubeconfigFile: string,
  controllers: readonly string[],
  flags: readonly string[],
): Program {
  return {
    command: join(binaries, 'kube-controller-manager'),
    args: [
      `--kubeconfig=${kubeconfigFile}`,
      `--controllers=${controllers.join(',')}`,
      '--leader-elect=false',
      '--use-service-account-credentials=false',
      '--kube-api-qps=10000',
      '--kube-api-burst=10000',
      '--secure-port=0',
      ...flags,
    ],
  };
}
