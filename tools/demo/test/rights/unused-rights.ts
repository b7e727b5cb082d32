/** A right that no work of the apps needs as widely as it is granted, and why it is granted nevertheless. */
export interface UnusedRight {
  /** As `describeRight` has it. */
  readonly right: string;
  readonly why: string;
}

const rareSeries =
  'Only an Event that is repeated about the same version of its object is patched: two reasons to keep a claim would have to take turns.';

/** docs/permissions.md has the same table. */
export const unusedRights: readonly UnusedRight[] = [
  {
    right: 'list pods by ClusterRole holdfast-pvc-protection-uninstall',
    why: 'The pods of one namespace at a time: of those that have terminating claims, whichever these are.',
  },
  {
    right: 'patch events (events.k8s.io) by ClusterRole holdfast-statefulset-pvc-retention',
    why: rareSeries,
  },
  {
    right: 'patch events (events.k8s.io) in team-a by Role holdfast-statefulset-pvc-retention-team-a',
    why: rareSeries,
  },
];
