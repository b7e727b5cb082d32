import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture } from './oci-layout.ts';

/** A Debian package as in debian-lock.json. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** `all` if one package serves every architecture. */
  readonly architecture: Architecture | 'all';
  /** `debian-security` has the updates between point releases. */
  readonly archive: 'debian' | 'debian-security';
  /** Its path in the archive. */
  readonly path: string;
  readonly sha256: string;
}

export interface DebianLock {
  /** The name of the release. */
  readonly suite: string;
  readonly packages: readonly DebianPackage[];
}

export const lockPath = join(import.meta.dirname, '../debian-lock.json');

export const readDebianLock = (): DebianLock => JSON.parse(readFileSync(lockPath, 'utf8')) as DebianLock;
