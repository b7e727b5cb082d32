import { binaryPath } from './binaries.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { startProcess, type RunningProcess } from './process.ts';

/**
 * etcd listens on Unix sockets in the control plane's own folder, so it needs no port and nobody else can reach it. The
 * names are relative because a socket's path may have some 100 bytes only; whoever connects must run in that folder. The
 * `:0` is part of the file names: etcd takes no URL without a port.
 */
export const etcdServers = 'unix://etcd.sock:0';
const peers = 'unix://etcd-peer.sock:0';

/**
 * Resolves once etcd is started, not once it serves: kube-apiserver waits for it, which its /readyz shows.
 *
 * @param folder the control plane's own folder; data go to `etcd` in it
 */
export function startEtcd(binaries: string, folder: string, guard: OrphanGuard): Promise<RunningProcess> {
  return startProcess({
    name: 'etcd',
    command: binaryPath(binaries, 'etcd'),
    cwd: folder,
    guard,
    args: [
      '--name=holdfast',
      '--data-dir=etcd',
      `--listen-client-urls=${etcdServers}`,
      `--advertise-client-urls=${etcdServers}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=holdfast=${peers}`,
      // The data end with the test; a crash of the machine may take them.
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  });
}
