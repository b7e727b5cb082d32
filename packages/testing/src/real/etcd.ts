import { binaryPath } from './binaries.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { startProcess, type RunningProcess } from './process.ts';

/**
 * etcd listens on Unix sockets in the control plane's own folder, so it needs no port and no other program
 * can connect by accident. The paths are relative because a socket's path is limited to about 100 bytes; a
 * client must run in that folder. The `:0` is part of the file names, since etcd accepts no URL without a
 * port.
 */
export const etcdServers = 'unix://etcd.sock:0';
const peers = 'unix://etcd-peer.sock:0';

/**
 * Starts etcd. Resolves once its process runs, even if it does not serve yet: kube-apiserver waits for it, as
 * its /readyz shows.
 *
 * @param folder the control plane's own folder; etcd keeps its data in `etcd` there
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
      // A member that starts with a log first waits for a leader, although there is no other member: for one
      // to two election timeouts, which are a second each by default. In milliseconds.
      '--heartbeat-interval=50',
      '--election-timeout=250',
      // The data is discarded after the test, so a crash of the machine may lose it.
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  });
}
