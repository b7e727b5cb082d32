import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture } from './oci-layout.ts';

/** A package of Debian as debian-lock.json has it. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** `all` where one package serves every architecture. */
  readonly architecture: Architecture | 'all';
  /** Updates between point releases come from the archive `debian-security`. */
  readonly archive: 'debian' | 'debian-security';
  /** Its place in the archive. */
  readonly path: string;
  readonly sha256: string;
}

export interface DebianLock {
  /** The release, by its name. */
  readonly suite: string;
  readonly packages: readonly DebianPackage[];
}

export const lockPath = join(import.meta.dirname, '../debian-lock.json');

export const readDebianLock = (): DebianLock => JSON.parse(readFileSync(lockPath, 'utf8')) as DebianLock;
