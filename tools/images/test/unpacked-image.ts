import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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
const canRunImages = process.platform === 'linux' && process.getuid?.() === 0;

const emulators: Readonly<Record<string, string>> = {
  amd64: 'qemu-x86_64-static',
  arm64: 'qemu-aarch64-static',
};

/** The architecture of this machine, as images name it. */
export const ownArchitecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** What an image for an architecture is run by. */
export type Runner =
  | { readonly found: true; /** Undefined: this machine's own processor. */ readonly emulator?: string }
  | { readonly found: false; readonly reason: string };

/**
 * Another processor's programs are run by QEMU. It is to be linked statically, since an image has no libraries but its
 * own.
 */
export function findRunner(architecture: string): Runner {
  if (!canRunImages) {
    return { found: false, reason: 'mounts and chroot need root, on Linux' };
  }
  if (architecture === ownArchitecture) {
    return { found: true };
  }
  const name = emulators[architecture] ?? architecture;
  const emulator = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => isExecutable(path));
  return emulator === undefined
    ? { found: false, reason: `no ${name} on the PATH, of Debian's package qemu-user-static` }
    : { found: true, emulator };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts an image as the manifests have it started: its entry point in its environment, as its user, on a file system
 * that can't be written to. The mounts are in a namespace of their own and end with the process.
 *
 * @param emulator runs the programs of an image for another processor; it is mounted into the image
 */
export function start(
  { root, config }: UnpackedImage,
  args: readonly string[],
  emulator?: string,
): ChildProcessByStdio<null, Readable, Readable> {
  for (const folder of ['proc', 'dev']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const mountPoint = '/emulator';
  if (emulator !== undefined) {
    writeFileSync(join(root, mountPoint), '');
  }
  const script = [
    'set -e',
    'root=$1 emulator=$2; shift 2',
    'mount --bind "$root" "$root"',
    'mount -o remount,bind,ro "$root"',
    'mount --rbind /proc "$root/proc"',
    'mount --rbind /dev "$root/dev"',
    ...(emulator === undefined ? [] : [`mount --bind "$emulator" "$root${mountPoint}"`]),
    'exec env -i "$@"',
  ].join('\n');
  const chroot = execFileSync('sh', ['-c', 'command -v chroot'], { encoding: 'utf8' }).trim();
  const [program = '', ...ofProgram] = config.Entrypoint;
  // A chroot looks a program up by itself, an emulator doesn't.
  const started = emulator === undefined ? [program] : [mountPoint, programIn({ root, config }, program)];
  const command = [
    ...[...config.Env, chroot, `--userspec=${config.User}`, root],
    ...[...started, ...ofProgram, ...args],
  ];
  return spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', root, emulator ?? '', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function programIn({ root, config }: UnpackedImage, name: string): string {
  const folders = config.Env.flatMap((variable) => /^PATH=(.+)/.exec(variable)?.[1]?.split(':') ?? []);
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(join(root, path)));
  if (found === undefined) {
    throw new Error(`no ${name} in ${folders.join(', ')} of ${root}`);
  }
  return found;
}
