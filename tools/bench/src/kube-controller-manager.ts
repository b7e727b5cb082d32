import { join } from 'node:path';
import type { Program } from './program.ts';

/**
 * kube-controller-manager with nothing but the controllers named, no server of its own, and a rate limit that is never
 * reached. Not by way of the control plane's `startControllerManager`: that asks the process for its health until it is
 * well, which it would pay for and Holdfast would not.
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
