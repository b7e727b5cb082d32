/** Something that an image needs is not available on this machine. The message says what to do. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}
