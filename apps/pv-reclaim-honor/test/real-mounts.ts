import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Real mounts, for those who may mount: root on Linux. They are undone in the reverse order by `unmountAll`. */
export interface Mounter {
  /** Shows a folder again at another place. */
  bind(from: string, to: string): void;
  /** An empty file system of its own. */
  tmpfs(at: string): void;
  unmount(at: string): void;
  unmountAll(): void;
}

export function createMounter(): Mounter {
  const mounted: string[] = [];
  const mount = (at: string, ...args: readonly string[]): void => {
    // What is mounted may cover a link that led there.
    const point = realpathSync(at);
    execFileSync('mount', [...args, point], { stdio: 'pipe' });
    mounted.push(point);
  };
  const unmount = (at: string): void => {
    execFileSync('umount', [at], { stdio: 'pipe' });
    mounted.splice(mounted.lastIndexOf(at), 1);
  };
  return {
    bind: (from, to) => mount(to, '--bind', from),
    tmpfs: (at) => mount(at, '-t', 'tmpfs', 'holdfast-test'),
    unmount,
    unmountAll: () => {
      for (const at of [...mounted].reverse()) {
        unmount(at);
      }
    },
  };
}

/** Why this process can't mount; undefined: it can. */
export function mountingMissing(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  const mounter = createMounter();
  try {
    mkdirSync(join(folder, 'a'));
    mounter.tmpfs(join(folder, 'a'));
    mounter.unmountAll();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
