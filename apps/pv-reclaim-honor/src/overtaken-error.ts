/** Nothing was deleted: the watch has shown since the look that the volume is not to be deleted, or not yet. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}
