import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface KubectlOptions {
  /** What kubectl reads from stdin, for example for `apply -f -`. Default: nothing. */
  readonly input?: string;
}

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Its exit code; null if a signal ended it. */
  readonly code: number | null;
}

/**
 * Runs kubectl until it exits. It does not read or write the user's own files: not the preferences, and not
 * ~/.kube/cache, whose entries are keyed by host and port and would outlive this control plane.
 *
 * @param folder the control plane's own folder, which gets kubectl's caches
 * @throws if kubectl cannot be started; a command that fails is a result
 */
export async function runKubectl(
  kubectl: string,
  folder: string,
  kubeconfigFile: string,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<KubectlResult> {
  const child = spawn(kubectl, args, {
    env: {
      ...process.env,
      KUBECONFIG: kubeconfigFile,
      KUBECACHEDIR: `${folder}/kubectl-cache`,
      KUBERC: 'off',
      HOME: folder,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // kubectl might exit before it has read everything; its exit code says whether that was an error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { stdout, stderr, code };
}
