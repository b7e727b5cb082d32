import type { Descriptions } from './description.ts';

export const coordinationDescriptions: Descriptions = {
  'coordination.v1.Lease': {
    about: 'A lock with a holder and a time, as for heartbeats and the election of leaders.',
    fields: { spec: 'Holder and times.' },
  },
  'coordination.v1.LeaseSpec': {
    about: 'Holder and times of a Lease.',
    fields: {
      holderIdentity: 'Who holds the lease.',
      leaseDurationSeconds: 'Seconds after renewTime at which others may take the lease.',
      acquireTime: 'When the holder took the lease.',
      renewTime: 'When the holder last renewed it.',
      leaseTransitions: 'How often the holder has changed.',
      strategy: 'How a leader is chosen in coordinated leader election, such as OldestEmulationVersion.',
      preferredHolder: 'Who should take the lease next; needs a strategy.',
    },
  },
};
