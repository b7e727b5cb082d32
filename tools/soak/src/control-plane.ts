import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type ControlPlaneOrder = 'cutWatches' | 'cutWatchesAndCompact' | 'restartApiServer';

/** A message of the control plane's process: first that it serves, and then the outcome of each order. */
export type ControlPlaneAnswer =
  | { readonly kind: 'serving'; readonly kubeconfig: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A control plane in a process of its own. */
export interface ControlPlaneProcess {
  readonly kubeconfig: string;
  /**
   * Resolves when the order is carried out. Give one order at a time.
   *
   * @throws if the order fails, or the process has ended
   */
  carryOut(order: ControlPlaneOrder): Promise<void>;
  stop(): Promise<void>;
}

/** @throws with the reason if it does not start, for example because the real binaries are missing */
export async function startControlPlaneProcess(backend: 'embedded' | 'real'): Promise<ControlPlaneProcess> {
  // The process gets a group of its own, so that Ctrl-C in a terminal reaches only the soak, which then stops
  // the other processes gracefully.
  const child = fork(fileURLToPath(new URL('./control-plane-process.ts', import.meta.url)), [backend], {
    detached: true,
  });
  const ended = once(child, 'exit');
  const nextAnswer = async (): Promise<ControlPlaneAnswer> => {
    const listening = new AbortController();
    const { signal } = listening;
    try {
      const [answer] = (await Promise.race([
        once(child, 'message', { signal }),
        ended.then(() => [{ kind: 'failed', reason: 'its process has ended' }]),
      ])) as [ControlPlaneAnswer];
      return answer;
    } finally {
      listening.abort();
    }
  };
  const stop = async (): Promise<void> => {
    if (child.connected) {
      child.disconnect();
    }
    await ended;
  };
  const first = await nextAnswer();
  if (first.kind !== 'serving') {
    await stop();
    throw new Error(`no control plane: ${first.kind === 'failed' ? first.reason : first.kind}`);
  }
  return {
    kubeconfig: first.kubeconfig,
    carryOut: async (order) => {
      const answer = nextAnswer();
      child.send(order);
      const outcome = await answer;
      if (outcome.kind !== 'done') {
        throw new Error(`${order}: ${outcome.kind === 'failed' ? outcome.reason : outcome.kind}`);
      }
    },
    stop,
  };
}
