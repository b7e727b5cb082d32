/**
 * Builds the Audit-ID of a request, so that the API server's audit log contains when the replica sent the
 * request, and not only when it was received. A request that was delayed on the way is then not mistaken for
 * one that was sent late. kube-apiserver keeps the Audit-ID of a request.
 */
export function markSent(replica: string, at: number, number: number): string {
  return `${replica}.${String(at)}.${String(number)}`;
}

/** Reads the time of sending, in milliseconds since 1970; undefined for another Audit-ID. */
export function readSent(auditId: string): number | undefined {
  const [, at] = /\.(\d{13})\.\d+$/.exec(auditId) ?? [];
  return at === undefined ? undefined : Number(at);
}
