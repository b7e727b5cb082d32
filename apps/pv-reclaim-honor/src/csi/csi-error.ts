/**
 * A call that a CSI driver did not answer with success. The message is the driver's own, where it gave one, without the secrets that
 * it was given: it is logged, and ends in an Event.
 */
export class CsiError extends Error {
  override readonly name = 'CsiError';
  /** gRPC's name of the code, for example `NOT_FOUND`. */
  readonly code: string;
  /**
   * There was no answer: nothing listens at the socket, or the connection broke. Whether the call took effect is not known. A driver that
   * answers UNAVAILABLE itself, since its storage system is away, is there.
   */
  readonly unavailable: boolean;

  constructor(call: string, code: string, details: string, unavailable: boolean) {
    super(`${call}: ${code}: ${details}`);
    this.code = code;
    this.unavailable = unavailable;
  }
}
