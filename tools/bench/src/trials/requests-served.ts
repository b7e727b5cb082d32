import { readFile } from 'node:fs/promises';

/** What every control plane of a trial audits: who sent which request, without bodies. */
export const auditRules: readonly object[] = [{ level: 'Metadata', omitStages: ['RequestReceived'] }];

/** The number of requests by their effect. */
export interface RequestsServed {
  readonly reads: number;
  readonly writes: number;
  /** The writes that concern the lease. */
  readonly leaseWrites: number;
}

const reading: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly stage: string;
  readonly objectRef?: { readonly resource?: string };
}

/**
 * Counts what an app sends from now on.
 *
 * @param app the name in its user agent
 * @returns a function that returns the numbers until it is called
 */
export async function countRequests(
  auditLogFile: string,
  app: string,
): Promise<() => Promise<RequestsServed>> {
  const { length } = await readFile(auditLogFile);
  return async () => countIn((await readFile(auditLogFile)).subarray(length).toString(), app);
}

/** @param log complete lines of an audit log */
export function countIn(log: string, app: string): RequestsServed {
  const verbs = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    // A watch is complete only when it ends, but it was served when it began.
    .filter(({ stage, verb }) => stage === (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete'))
    .filter(({ userAgent }) => userAgent?.startsWith(`${app}/`) === true);
  const writes = verbs.filter(({ verb }) => !reading.has(verb));
  return {
    reads: verbs.length - writes.length,
    writes: writes.length,
    leaseWrites: writes.filter(({ objectRef }) => objectRef?.resource === 'leases').length,
  };
}
