import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readSent } from './sent-mark.ts';
import type { Act, LeaseWrite } from './tenure.ts';

/** The replicas' writes according to the API server. */
export interface AuditedWrites {
  /** Writes of leases that took effect, by the name of the lease. */
  readonly leases: ReadonlyMap<string, readonly LeaseWrite[]>;
  /** All other writes except Events, whatever the answer was. */
  readonly acts: readonly Act[];
  /** The number of Events, which a process might still record after it has stopped leading. */
  readonly eventsRecorded: number;
}

/**
 * The rules of the audit policy that {@link readAuditLog} needs: the holder of the lease is only in the
 * answer.
 *
 * @param group the group of the users whose writes are judged
 */
export function auditRulesFor(group: string): readonly object[] {
  const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'];
  const common = { userGroups: [group], verbs, omitStages: ['RequestReceived'] };
  return [
    {
      ...common,
      level: 'RequestResponse',
      resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
    },
    // Reviews ask something and write nothing.
    { level: 'None', resources: [{ group: 'authorization.k8s.io' }, { group: 'authentication.k8s.io' }] },
    { ...common, level: 'Metadata' },
    { level: 'None' },
  ];
}

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly responseObject?: {
    readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
    readonly spec?: {
      readonly holderIdentity?: string;
      readonly leaseDurationSeconds?: number;
    };
  };
  readonly requestReceivedTimestamp: string;
}

/**
 * @param file one event per line, as kube-apiserver writes them with {@link auditRulesFor}
 * @throws for a line that is not an event
 */
export async function readAuditLog(file: string): Promise<AuditedWrites> {
  return readAudit(createInterface({ input: createReadStream(file), crlfDelay: Infinity }));
}

/** @throws SyntaxError for a line that is not JSON */
export async function readAudit(lines: AsyncIterable<string> | Iterable<string>): Promise<AuditedWrites> {
  const leases = new Map<string, LeaseWrite[]>();
  const acts: Act[] = [];
  let eventsRecorded = 0;
  for await (const line of lines) {
    const event = JSON.parse(line) as AuditEvent;
    const { objectRef: { resource = '', namespace = '', name = '', subresource } = {}, responseStatus } =
      event;
    if (event.stage !== 'ResponseComplete') {
      continue;
    }
    const replica = event.user?.username?.split(':').at(-1) ?? '';
    const receivedAt = Date.parse(event.requestReceivedTimestamp);
    const code = responseStatus?.code ?? 0;
    if (resource === 'leases') {
      const { metadata, spec } = event.responseObject ?? {};
      if (code < 300 && metadata?.name !== undefined) {
        const writes = leases.get(metadata.name) ?? [];
        leases.set(metadata.name, writes);
        writes.push({
          replica,
          holder: spec?.holderIdentity ?? '',
          duration: (spec?.leaseDurationSeconds ?? 0) * 1000,
          receivedAt,
          version: Number(metadata.resourceVersion),
        });
      }
    } else if (resource === 'events') {
      eventsRecorded += 1;
    } else {
      const path = subresource === undefined ? resource : `${resource}/${subresource}`;
      acts.push({
        replica,
        what: `${event.verb} ${path} ${namespace === '' ? name : `${namespace}/${name}`}, answered ${String(code)}`,
        sentAt: readSent(event.auditID) ?? receivedAt,
        receivedAt,
      });
    }
  }
  return { leases, acts, eventsRecorded };
}
