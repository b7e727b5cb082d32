import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Readable } from 'node:stream';

/** What an image says about how it is run. */
export interface RunConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Labels: Readonly<Record<string, string>>;
}

/** An image as a container runtime has it before it starts. */
export interface UnpackedImage {
  readonly root: string;
  readonly config: RunConfig;
}

interface Descriptor {
  readonly digest: string;
  readonly platform?: { readonly architecture: string };
}

/** Unpacks the image for one architecture of a layout into a folder, by the machine's own tar. */
export function unpack(layout: string, architecture: string, root: string): UnpackedImage {
  const blob = ({ digest }: Descriptor): string => join(layout, 'blobs', digest.replace(':', '/'));
  const read = (descriptor: Descriptor): unknown => JSON.parse(readFileSync(blob(descriptor), 'utf8'));
  const first = <T>(items: readonly T[]): T => {
    const [item] = items;
    if (item === undefined) {
      throw new Error(`${layout} has no image for ${architecture}`);
    }
    return item;
  };
  interface Index {
    readonly manifests: readonly Descriptor[];
  }
  interface Manifest {
    readonly config: Descriptor;
    readonly layers: readonly Descriptor[];
  }
  const top = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as Index;
  const { manifests } = read(first(top.manifests)) as Index;
  const manifest = read(
    first(manifests.filter(({ platform }) => platform?.architecture === architecture)),
  ) as Manifest;
  mkdirSync(root, { recursive: true });
  for (const layer of manifest.layers) {
    execFileSync('tar', ['-x', '--same-permissions', '-f', blob(layer), '-C', root]);
  }
  return { root, config: (read(manifest.config) as { readonly config: RunConfig }).config };
}

/** Mounts and chroot need them. */
export const canRunImages = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Starts an image as the manifests have it started: its entry point in its environment, as its user, on a file system that can't be
 * written to. The mounts are in a namespace of their own and end with the process.
 */
export function start(
  { root, config }: UnpackedImage,
  args: readonly string[],
): ChildProcessByStdio<null, Readable, Readable> {
  for (const folder of ['proc', 'dev']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const script = [
    'set -e',
    'root=$1 user=$2; shift 2',
    'mount --bind "$root" "$root"',
    'mount -o remount,bind,ro "$root"',
    'mount --rbind /proc "$root/proc"',
    'mount --rbind /dev "$root/dev"',
    'exec env -i "$@"',
  ].join('\n');
  const chroot = execFileSync('sh', ['-c', 'command -v chroot'], { encoding: 'utf8' }).trim();
  const command = [...config.Env, chroot, `--userspec=${config.User}`, root, ...config.Entrypoint, ...args];
  return spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', root, config.User, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
