import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Real mounts, for those who may mount: root on Linux. They are undone in the reverse order by `unmountAll`. */
export interface Mounter {
  /** Shows a folder again at another place. */
  bind(from: string, to: string): void;
  /** An empty file system of its own. */
  tmpfs(at: string): void;
  /** A file system that does not say of an entry whether it is a folder, as NFS in many of its lists. */
  untyped(at: string): void;
  /**
   * A file system that answers nothing below its root, as FUSE is whose process hangs. After the unmounting each call
   * fails.
   */
  hung(at: string): void;
  /** A file system each call of which fails, as that of FUSE whose process has ended. */
  ended(at: string): void;
  unmount(at: string): void;
  unmountAll(): void;
}

export function createMounter(): Mounter {
  const mounted: string[] = [];
  /** By mount point, the end of FUSE at which nobody answers. */
  const hanging = new Map<string, number>();
  const mount = (at: string, args: readonly string[], fuse?: number): void => {
    // What is mounted may cover a link that led there.
    const point = realpathSync(at);
    execFileSync('mount', [...args, point], {
      stdio: ['pipe', 'pipe', 'pipe', ...(fuse === undefined ? [] : [fuse])],
    });
    mounted.push(point);
  };
  /** @returns the end at which nobody answers. */
  const mountFuse = (at: string): number => {
    const fuse = openSync('/dev/fuse', 'r+');
    // `-i`: no helper, which would ask for a process that answers.
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
    mount(at, ['-i', '-t', 'fuse', '-o', options, 'holdfast-test'], fuse);
    return fuse;
  };
  const unmount = (at: string): void => {
    const fuse = hanging.get(at);
    if (fuse !== undefined) {
      closeSync(fuse);
      hanging.delete(at);
    }
    // Lazily, since a look that began before might be inside still, and the mount be busy for as long.
    execFileSync('umount', ['--lazy', at], { stdio: 'pipe' });
    mounted.splice(mounted.lastIndexOf(at), 1);
  };
  return {
    bind: (from, to) => mount(to, ['--bind', from]),
    tmpfs: (at) => mount(at, ['-t', 'tmpfs', 'holdfast-test']),
    untyped: (at) => {
      const image = `${at}.image`;
      writeFileSync(image, '');
      truncateSync(image, 4 * 1024 * 1024);
      execFileSync('mkfs.ext4', ['-q', '-O', '^filetype,^has_journal', image], { stdio: 'pipe' });
      mount(at, ['-o', 'loop', image]);
    },
    hung: (at) => {
      const point = realpathSync(at);
      hanging.set(point, mountFuse(point));
    },
    ended: (at) => closeSync(mountFuse(at)),
    unmount,
    unmountAll: () => {
      for (const at of [...mounted].reverse()) {
        unmount(at);
      }
    },
  };
}

/**
 * Why this process can't mount; undefined: it can.
 *
 * @param kind default: a file system in memory, which is the simplest.
 */
export function mountingMissing(kind: 'tmpfs' | 'untyped' = 'tmpfs'): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  const mounter = createMounter();
  try {
    mkdirSync(join(folder, 'a'));
    mounter[kind](join(folder, 'a'));
    mounter.unmountAll();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
