/** The binaries cannot be had on this machine as it is. The message says why and what its user can do. */
export class UnavailableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnavailableError';
  }
}
