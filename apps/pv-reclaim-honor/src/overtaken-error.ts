/**
 * Nothing was deleted: since the look, the watch has shown that the volume is not to be deleted, or not yet.
 */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}
