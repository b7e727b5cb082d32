import type { DashboardPlan } from './panel.ts';
import { increase, rate, series } from './query.ts';
import { costs, health, waiting, work } from './runtime-panels.ts';

export const statefulSetRetention: DashboardPlan = {
  app: 'statefulset-pvc-retention',
  description:
    'Lets the PersistentVolumeClaims of a StatefulSet go with the set, or on scale-down, as its policy says (KEP-1847).',
  rows: [
    health([
      {
        kind: 'stat',
        title: 'Kinds of workload followed',
        description:
          'Each kind of --workloads, and whether it can be listed and watched. Runbook HoldfastWorkloadKindNotFollowed.',
        unit: 'bool_yes_no',
        texts: { 0: 'no', 1: 'followed' },
        thresholds: [
          { from: 0, color: 'red' },
          { from: 1, color: 'green' },
        ],
        queries: [
          {
            expr: `min by (kind) (${series('statefulset_pvc_retention_workload_kind_followed')})`,
            legend: '{{kind}}',
          },
        ],
      },
    ]),
    waiting([
      {
        kind: 'graph',
        title: 'Undo windows begun and ended',
        description:
          'In the time of a point: claims marked or tied, and taken back or deleted at the end of the window. For long more of the first: windows are open.',
        unit: 'short',
        queries: [
          {
            expr: increase('statefulset_pvc_delayed_deletions_total', {
              by: ['operation'],
              matchers: 'result="success"',
              within: '$__rate_interval',
            }),
            legend: '{{operation}}',
          },
        ],
      },
    ]),
    work([
      {
        kind: 'stat',
        title: 'Claims given an owner or let go',
        description:
          'Writes of owner references in the time that is shown, by operation. What has an owner goes with it.',
        unit: 'short',
        queries: [
          {
            expr: increase('statefulset_pvc_owner_reference_updates_total', {
              by: ['operation'],
              matchers: 'result="success"',
            }),
            legend: '{{operation}}',
          },
        ],
      },
      {
        kind: 'stat',
        title: 'Claims deleted at the end of a window',
        description: 'In the time that is shown (gates DeletionGracePeriod and CollectMissedScaleDown).',
        unit: 'short',
        queries: [
          {
            expr: increase('statefulset_pvc_delayed_deletions_total', {
              matchers: 'operation="delete",result="success"',
            }),
            legend: 'deleted',
          },
        ],
      },
      {
        kind: 'graph',
        title: 'Writes of owner references',
        description: 'In a second, by operation and result. Error: runbook HoldfastWritesFailing.',
        unit: 'ops',
        queries: [
          {
            expr: rate('statefulset_pvc_owner_reference_updates_total', ['operation', 'result']),
            legend: '{{operation}} {{result}}',
          },
        ],
      },
      {
        kind: 'graph',
        title: 'Writes of marks and ties, deletions',
        description:
          'In a second, by operation and result (alpha gates). Error: runbook HoldfastWritesFailing.',
        unit: 'ops',
        queries: [
          {
            expr: rate('statefulset_pvc_delayed_deletions_total', ['operation', 'result']),
            legend: '{{operation}} {{result}}',
          },
        ],
      },
      {
        kind: 'graph',
        title: 'Policies',
        description: 'Workloads in use, by what their policy says of a deletion and of a scale-down.',
        unit: 'short',
        isStacked: true,
        queries: [
          {
            expr: `max by (when_deleted, when_scaled) (${series('statefulset_pvc_retention_policy')})`,
            legend: 'deleted: {{when_deleted}}, scaled: {{when_scaled}}',
          },
        ],
      },
    ]),
    costs,
  ],
};
