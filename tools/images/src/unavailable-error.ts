/** What an image is made of can't be had on this machine as it is; the message says what to do. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}
