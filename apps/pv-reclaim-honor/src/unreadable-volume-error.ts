import type { UnreadableVolume } from './decide/snapshot.ts';

/** Storage is not deleted because of a volume that cannot be read. */
export class UnreadableVolumeError extends Error {
  override readonly name = 'UnreadableVolumeError';
  readonly volume: UnreadableVolume;

  constructor(volume: UnreadableVolume) {
    const { name, why } = volume;
    super(
      `${name === '' ? 'a PersistentVolume without a name' : `PersistentVolume "${name}"`} might be over the same storage, but can't be read (${why}): mend it, or delete it`,
    );
    this.volume = volume;
  }
}
