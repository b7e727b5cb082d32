import type { Program } from './program.ts';

/**
 * Runs external-provisioner, which deletes the volumes of a CSI driver in an upstream cluster. It has its
 * default of 100 worker threads, no server, and a rate limit that is never reached.
 *
 * @param program absolute path
 * @param flags `--csi-address` at least
 */
export function csiProvisioner(program: string, kubeconfigFile: string, flags: readonly string[]): Program {
  return {
    command: program,
    args: [
      `--kubeconfig=${kubeconfigFile}`,
      '--leader-election=false',
      '--kube-api-qps=10000',
      '--kube-api-burst=10000',
      ...flags,
    ],
  };
}
