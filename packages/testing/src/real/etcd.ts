import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binaryPath } from './binaries.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { startProcess, untilReady, type RunningProcess } from './process.ts';

/**
 * etcd listens on Unix sockets in the control plane's own folder, so it needs no port and no other program
 * can connect by accident. The paths are relative because a socket's path is limited to about 100 bytes; a
 * client must run in that folder. The `:0` is part of the file names, since etcd accepts no URL without a
 * port.
 */
export const etcdServers = 'unix://etcd.sock:0';
const clientSocket = 'etcd.sock:0';
const peers = 'unix://etcd-peer.sock:0';
const member = 'holdfast';
/** The folder of its data, in the control plane's own. */
const data = 'etcd';

/** How the versions of a restored etcd are made to continue above all that were assigned before. */
export interface BumpedVersions {
  /** The path of etcdutl 3.6 or later. */
  readonly etcdutl: string;
  /** How many versions are left out. Those up to the new one count as compacted. */
  readonly by: number;
}

/** A single member of etcd and its data. */
export interface Etcd {
  /** The process that serves now. It changes with a restore. */
  process(): RunningProcess;
  /** Copies the data as they are at one moment; resolves with the folder of the copy, in the control plane's own. */
  backUp(): Promise<string>;
  /**
   * Kills etcd, puts the data of a backup in the place of its own, and starts it again. Resolves once its process
   * runs, as {@link startEtcd} does.
   */
  restore(backup: string, bump?: BumpedVersions): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts etcd. Resolves once its process runs, even if it does not serve yet: kube-apiserver waits for it, as
 * its /readyz shows.
 *
 * @param folder the control plane's own folder; etcd keeps its data in `etcd` there
 */
export async function startEtcd(binaries: string, folder: string, guard: OrphanGuard): Promise<Etcd> {
  const launch = (): Promise<RunningProcess> =>
    startProcess({
      name: 'etcd',
      command: binaryPath(binaries, 'etcd'),
      cwd: folder,
      guard,
      args: [
        `--name=${member}`,
        `--data-dir=${data}`,
        `--listen-client-urls=${etcdServers}`,
        `--advertise-client-urls=${etcdServers}`,
        `--listen-peer-urls=${peers}`,
        `--initial-advertise-peer-urls=${peers}`,
        `--initial-cluster=${member}=${peers}`,
        // A member that starts with a log first waits for a leader, although there is no other member: for one
        // to two election timeouts, which are a second each by default. In milliseconds.
        '--heartbeat-interval=50',
        '--election-timeout=250',
        // The data is discarded after the test, so a crash of the machine may lose it.
        '--unsafe-no-fsync',
        '--log-level=warn',
      ],
    });
  let serving = await launch();

  /** A killed etcd leaves its sockets, and does not start beside them. */
  const kill = async (): Promise<void> => {
    await serving.kill();
    const sockets = (await readdir(folder)).filter((name) => /^etcd.*\.sock:0$/.test(name));
    await Promise.all(sockets.map((name) => rm(join(folder, name))));
  };

  /** What etcd has logged is in its database only after it has stopped by itself, and etcdutl reads the database. */
  const bumpVersions = async ({ etcdutl, by }: BumpedVersions): Promise<void> => {
    serving = await launch();
    await untilReady(serving, () => healthOf(join(folder, clientSocket)));
    await serving.stop();
    const before = join(await mkdtemp(join(folder, 'unbumped-')), data);
    await rename(join(folder, data), before);
    await promisify(execFile)(
      etcdutl,
      [
        ...['snapshot', 'restore', join(before, 'member', 'snap', 'db'), '--skip-hash-check'],
        ...[`--data-dir=${data}`, `--name=${member}`, `--initial-cluster=${member}=${peers}`],
        `--initial-advertise-peer-urls=${peers}`,
        ...[`--bump-revision=${String(by)}`, '--mark-compacted'],
      ],
      { cwd: folder },
    );
  };

  return {
    process: () => serving,
    backUp: async () => {
      const backup = await mkdtemp(join(folder, 'backup-'));
      // Its log and its database belong together.
      process.kill(serving.pid, 'SIGSTOP');
      try {
        await cp(join(folder, data), backup, { recursive: true });
      } finally {
        process.kill(serving.pid, 'SIGCONT');
      }
      return backup;
    },
    restore: async (backup, bump) => {
      await kill();
      await rm(join(folder, data), { recursive: true });
      await cp(backup, join(folder, data), { recursive: true });
      if (bump !== undefined) {
        await bumpVersions(bump);
      }
      serving = await launch();
    },
    stop: () => serving.stop(),
  };
}

function healthOf(socketPath: string): Promise<string> {
  return new Promise((resolve) => {
    request({ socketPath, path: '/health' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? 'ready' : `/health answered ${String(answer.statusCode)}`);
    })
      .on('error', (error) => resolve(String(error)))
      .end();
  });
}
