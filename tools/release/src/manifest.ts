import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of a package.json that are read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly repository?: Repository;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** npm's `repository` field in its long form. */
export interface Repository {
  readonly type: string;
  readonly url: string;
  /** The folder of the package in the repository. */
  readonly directory?: string;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
