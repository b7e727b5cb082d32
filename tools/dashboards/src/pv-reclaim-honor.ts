import type { DashboardPlan } from './panel.ts';
import { increase, p99, rate, series } from './query.ts';
import { costs, health, waiting, work } from './runtime-panels.ts';

const byResult = ['operation', 'result'];

export const pvReclaimHonor: DashboardPlan = {
  app: 'pv-reclaim-honor',
  description:
    'Deletes the storage of a PersistentVolume with policy Delete, whatever is deleted first (KEP-2644).',
  rows: [
    health([
      {
        kind: 'stat',
        title: 'Volumes that might be left behind',
        description:
          'Storage that no object names any more, in the time that is shown. Nothing repairs it by itself: runbook HoldfastVolumeMayLeak.',
        unit: 'short',
        thresholds: [{ from: 1, color: 'red' }],
        queries: [{ expr: increase('pv_reclaim_leak_risk_total'), legend: 'volumes' }],
      },
      {
        kind: 'stat',
        title: 'Fights over finalizers',
        description:
          'Times that a volume was left alone for a while, since another client undoes what is written. Runbook HoldfastFinalizerFight.',
        unit: 'short',
        thresholds: [{ from: 1, color: 'yellow' }],
        queries: [{ expr: increase('pv_reclaim_finalizer_fights_total'), legend: 'fights' }],
      },
      {
        kind: 'stat',
        title: 'Deletions that failed in 30 min',
        description: 'By driver or plugin. More than three: runbook HoldfastVolumeDeletionFailing.',
        unit: 'short',
        thresholds: [
          { from: 1, color: 'yellow' },
          { from: 4, color: 'red' },
        ],
        queries: [
          {
            expr: increase('volume_operation_errors_total', {
              by: ['plugin_name'],
              matchers: 'operation_name="delete"',
              within: '30m',
            }),
            legend: '{{plugin_name}}',
          },
        ],
      },
    ]),
    waiting([
      {
        kind: 'stat',
        title: 'File systems without an answer',
        description:
          'Calls that have not been answered in time. While there are any, hostPath volumes might not be deleted.',
        unit: 'short',
        thresholds: [{ from: 1, color: 'yellow' }],
        queries: [{ expr: `sum(${series('pv_reclaim_unanswered_file_calls')})`, legend: 'calls' }],
      },
      {
        kind: 'graph',
        title: 'Undo windows',
        description:
          'Writes in a second, by operation and result (gate ReclaimGracePeriod): mark begins a window, give_back and delete end it.',
        unit: 'ops',
        queries: [
          { expr: rate('pv_reclaim_undo_window_total', byResult), legend: '{{operation}} {{result}}' },
        ],
      },
    ]),
    work([
      {
        kind: 'stat',
        title: 'Volumes deleted on their storage',
        description: 'In the time that is shown, by class.',
        unit: 'short',
        queries: [
          {
            expr: increase('persistentvolume_delete_duration_seconds_count', { by: ['class'] }),
            legend: '{{class}}',
          },
        ],
      },
      {
        kind: 'stat',
        title: 'Storage volumes that nobody names',
        description: 'Of each driver, without a PersistentVolume for over an hour (gate LeakReport).',
        unit: 'short',
        thresholds: [{ from: 1, color: 'yellow' }],
        queries: [
          {
            expr: `max by (driver) (${series('pv_reclaim_unclaimed_storage_volumes')})`,
            legend: '{{driver}}',
          },
        ],
      },
      {
        kind: 'graph',
        title: 'Writes of finalizers',
        description: 'In a second, by operation and result. Error: runbook HoldfastWritesFailing.',
        unit: 'ops',
        queries: [{ expr: rate('pv_reclaim_finalizer_total', byResult), legend: '{{operation}} {{result}}' }],
      },
      {
        kind: 'graph',
        title: 'Tries to delete that failed',
        description: 'In a second, by driver or plugin. Events of reason VolumeFailedDelete have its words.',
        unit: 'ops',
        queries: [
          { expr: rate('volume_operation_errors_total', ['plugin_name']), legend: '{{plugin_name}}' },
        ],
      },
      {
        kind: 'graph',
        title: 'Time of a deletion (99th percentile)',
        description:
          'On the storage, the try that succeeded, by class; and from the first try until the volume was let go of, by driver or plugin.',
        unit: 's',
        queries: [
          {
            expr: p99('persistentvolume_delete_duration_seconds', ['class']),
            legend: '{{class}} on the storage',
          },
          { expr: p99('volume_operation_total_seconds', ['plugin_name']), legend: '{{plugin_name}} in all' },
        ],
      },
      {
        kind: 'graph',
        title: 'Lists of storage volumes',
        description: 'In a second, by driver and result (gate LeakReport).',
        unit: 'ops',
        queries: [
          {
            expr: rate('pv_reclaim_storage_lists_total', ['driver', 'result']),
            legend: '{{driver}} {{result}}',
          },
        ],
      },
    ]),
    costs,
  ],
};
