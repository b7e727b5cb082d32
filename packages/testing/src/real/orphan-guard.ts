import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/**
 * Kills the processes and removes the folder of a control plane whose owner died without stopping it.
 *
 * Why not `process.on('exit')`: it is not called if a signal ends the process (Ctrl-C, a killed test worker),
 * and never inside jest, which gives tests a copy of `process`. The guard is a shell that reads a pipe from
 * this process. However this process ends, the kernel closes the pipe, and then the shell cleans up. Packages
 * that do this from inside the process (signal-exit, death) share the first two limits.
 */
export interface OrphanGuard {
  /** Adds a process group, given by the pid of its leader. */
  watch(pid: number): void;
  /** Removes a process group that has ended: its number might soon belong to an unrelated process. */
  forget(pid: number): void;
  /** Ends the guard, which then kills and removes nothing more. */
  dismiss(): Promise<void>;
}

// The second removal is for files that a process wrote between the signal and its end.
const script = `
pids=
while read -r verb pid; do
  case $verb in
    watch) pids="$pids $pid" ;;
    forget) kept=; for p in $pids; do [ "$p" = "$pid" ] || kept="$kept $p"; done; pids=$kept ;;
    dismiss) exit 0 ;;
  esac
done
for p in $pids; do kill -s KILL -- "-$p"; done
rm -rf -- "$1"; sleep 1; rm -rf -- "$1"
`;

/**
 * Starts a guard.
 *
 * @param folder absolute path; removed with everything in it if this process dies before `dismiss`
 * @throws if the machine has no `sh`
 */
export async function startOrphanGuard(folder: string): Promise<OrphanGuard> {
  // Detached, so that Ctrl-C in the terminal does not end the guard together with the process that it
  // watches.
  const shell = spawn('sh', ['-c', script, 'holdfast-orphan-guard', folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(shell, 'spawn');
  const ended = once(shell, 'exit');
  // If something kills the guard, only the guard is lost: this process must go on.
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if (shell.stdin instanceof Socket) {
    shell.stdin.unref();
  }

  const send = (line: string): void => {
    if (shell.exitCode === null) {
      shell.stdin.write(`${line}\n`);
    }
  };
  return {
    watch: (pid) => send(`watch ${pid}`),
    forget: (pid) => send(`forget ${pid}`),
    async dismiss() {
      shell.ref();
      send('dismiss');
      await ended;
    },
  };
}
