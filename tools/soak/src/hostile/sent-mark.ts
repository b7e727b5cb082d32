/**
 * The Audit-ID of a request, by which the API server's audit log says when a replica sent it, not only when it was received: what was held
 * up on the way is not taken for what was sent late. kube-apiserver keeps an Audit-ID that comes with a request.
 */
export function markSent(replica: string, at: number, number: number): string {
  return `${replica}.${String(at)}.${String(number)}`;
}

/** Milliseconds since 1970; undefined for another Audit-ID. */
export function readSent(auditId: string): number | undefined {
  const [, at] = /\.(\d{13})\.\d+$/.exec(auditId) ?? [];
  return at === undefined ? undefined : Number(at);
}
