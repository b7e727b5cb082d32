import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface KubectlOptions {
  /** What it reads from stdin, for `apply -f -`; default nothing. */
  readonly input?: string;
}

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Its exit code; null when a signal ended it. */
  readonly code: number | null;
}

/**
 * Runs kubectl to its end. Nothing of the user's own is read or written: no ~/.kube/cache, whose entries go by host and
 * port and would outlive this control plane, and no preferences.
 *
 * @param folder the control plane's own folder; kubectl's caches go there
 * @throws when kubectl cannot be started; a command that fails is a result
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
  // It may end without having read everything; its exit code says whether that was an error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { stdout, stderr, code };
}
