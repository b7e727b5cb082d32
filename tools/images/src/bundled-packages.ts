import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package from npm, or of this repository, that has files in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The folder where it is installed, below the root: its key in package-lock.json. */
  readonly folder: string;
  /** An SPDX expression. */
  readonly license: string;
  /** The complete texts of its license and notice files. */
  readonly licenseTexts: readonly string[];
}

/**
 * Finds the packages that have files in a bundle.
 *
 * @param files the files of which the bundle contains something, relative to the root
 * @returns their packages without that of the app itself, sorted by folder
 * @throws if a package names no license, or has no license text
 */
export function packagesOf(root: string, app: string, files: readonly string[]): readonly BundledPackage[] {
  const folders = new Set(files.map((file) => packageFolderOf(root, file)));
  folders.delete(app);
  return [...folders].toSorted().map((folder) => describe(root, folder));
}

/**
 * The nearest parent folder whose package.json has a version. A package.json without one only tells Node how
 * to interpret the files below it.
 */
function packageFolderOf(root: string, file: string): string {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (readManifest(root, folder)?.version !== undefined) {
      return folder;
    }
  }
  throw new Error(`${file} belongs to no package`);
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

function readManifest(root: string, folder: string): Manifest | undefined {
  const path = join(root, folder, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : undefined;
}

function describe(root: string, folder: string): BundledPackage {
  const { name = '', version = '', license } = readManifest(root, folder) ?? {};
  if (typeof license !== 'string') {
    throw new Error(`${folder}/package.json names no license`);
  }
  const licenseTexts = readdirSync(join(root, folder))
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(root, folder, file), 'utf8'));
  if (licenseTexts.length === 0) {
    throw new Error(`${folder} has no text of its license, ${license}`);
  }
  return { name, version, folder, license, licenseTexts };
}
