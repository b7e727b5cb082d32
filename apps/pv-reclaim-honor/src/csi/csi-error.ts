/**
 * An unsuccessful call to a CSI driver. The message is the driver's own, if it gave one, without the secrets
 * that it received, because it is logged and appears in an Event.
 */
export class CsiError extends Error {
  override readonly name = 'CsiError';
  /** The call that failed, for example `DeleteVolume`. */
  readonly call: string;
  /** gRPC's name of the code, for example `NOT_FOUND`. */
  readonly code: string;
  /**
   * Whether there was no response: nothing listens at the socket, or the connection broke. It is then unknown
   * whether the call took effect. A driver that itself answers UNAVAILABLE, because its storage system is
   * away, does not count.
   */
  readonly unavailable: boolean;

  constructor(call: string, code: string, details: string, unavailable: boolean) {
    super(`${call}: ${code}: ${details}`);
    this.call = call;
    this.code = code;
    this.unavailable = unavailable;
  }
}
