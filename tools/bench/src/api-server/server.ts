import { startRealControlPlane } from '@holdfast/testing';
import { kubernetesRelease } from '../kubernetes-release.ts';
import { startChild } from './child.ts';
import type { ServerName } from './server-figures.ts';

/** An API server in a process that does nothing else. */
export interface Server {
  readonly pid: number;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export async function startServer(name: ServerName, signal: AbortSignal): Promise<Server> {
  switch (name) {
    case 'embedded': {
      const script = new URL('./embedded-process.ts', import.meta.url);
      const { pid, message, stop } = await startChild<string>(script, [], signal);
      return { pid, kubeconfig: message, stop };
    }
    case 'real': {
      const plane = await startRealControlPlane({ release: kubernetesRelease });
      return { pid: plane.apiServerPid, kubeconfig: plane.kubeconfig, stop: plane.stop };
    }
  }
}
