import { Gauge, type Registry } from 'prom-client';

/** Reports whether this process leads. */
export interface LeaderElectionMetrics {
  leading(isLeader: boolean): void;
}

/** Creates `leader_election_master_status`, as in component-base. */
export function createLeaderElectionMetrics(registry: Registry, name: string): LeaderElectionMetrics {
  const status = new Gauge({
    name: 'leader_election_master_status',
    help: 'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
    labelNames: ['name'],
    registers: [registry],
  }).labels({ name });
  status.set(0);
  return { leading: (isLeader) => status.set(isLeader ? 1 : 0) };
}
