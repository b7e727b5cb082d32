import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** The packages that other people's programs import, in the order of their dependencies. */
const packageNames = ['core', 'apiserver', 'testing', 'runtime', 'cli'] as const;

/** A package as npm would receive it. */
export interface Packed {
  /** `@holdfast/core` */
  readonly name: string;
  /** The folder that it was packed from. */
  readonly source: string;
  /** The path of the tarball. */
  readonly tarball: string;
}

/**
 * Compiles the packages and packs them into a folder. It does not check types, which `npm run typecheck`
 * does.
 */
export async function packPackages(folder: string): Promise<readonly Packed[]> {
  const sources = packageNames.map((name) => join(root, 'packages', name));
  await run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--build',
    '--noCheck',
    ...sources.map((source) => join(source, 'tsconfig.lib.json')),
  ]);
  return pack(sources, folder);
}

/** Packs the controllers into a folder, with the bundles from `npm run build`. */
export async function packApps(folder: string): Promise<readonly Packed[]> {
  const manifests = globSync('apps/*/package.json', { cwd: root }).toSorted();
  return pack(
    manifests.map((manifest) => join(root, dirname(manifest))),
    folder,
  );
}

async function pack(sources: readonly string[], folder: string): Promise<readonly Packed[]> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, ...sources], {
    cwd: root,
  });
  const packed = JSON.parse(stdout) as readonly { readonly name: string; readonly filename: string }[];
  return packed.map(({ name, filename }, index) => ({
    name,
    source: sources[index] ?? '',
    tarball: join(folder, filename),
  }));
}

/**
 * Installs packed packages into a project as npm would, but offline: unpacks them, and links from the
 * repository only what they declare as dependencies.
 */
export async function installPacked(packed: readonly Packed[], project: string): Promise<void> {
  const modules = join(project, 'node_modules');
  for (const { name, source, tarball } of packed) {
    const unpacked = join(modules, name);
    await mkdir(unpacked, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
    const { dependencies = {} } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    for (const dependency of Object.keys(dependencies)) {
      const target = join(modules, dependency);
      if (!packed.some((other) => other.name === dependency) && !existsSync(target)) {
        await mkdir(dirname(target), { recursive: true });
        await symlink(found(source, dependency), target);
      }
    }
  }
}

/** The folder where a package of the repository finds one of its dependencies. */
function found(source: string, name: string): string {
  const near = join(source, 'node_modules', name);
  return existsSync(near) ? near : join(root, 'node_modules', name);
}
