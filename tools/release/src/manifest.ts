import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is read of a package.json here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly repository?: Repository;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** npm's `repository` in its long form. */
export interface Repository {
  readonly type: string;
  readonly url: string;
  /** Folder of the package in the repository. */
  readonly directory?: string;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
