import type { DashboardPlan } from './panel.ts';
import { increase, rate, series } from './query.ts';
import { costs, health, waiting, work } from './runtime-panels.ts';

export const retroactiveDefaultStorageClass: DashboardPlan = {
  app: 'retroactive-default-sc',
  description: 'Gives the default StorageClass to unbound PersistentVolumeClaims that have none.',
  rows: [
    health([]),
    waiting([
      {
        kind: 'stat',
        title: 'Claims without a class',
        description:
          'Unbound claims that wait. For long above zero: there is no default class, or the API server refuses it. Runbook HoldfastStorageClassRefused.',
        unit: 'short',
        queries: [{ expr: `max(${series('retroactive_storageclass_waiting_claims')})`, legend: 'waiting' }],
      },
      {
        kind: 'graph',
        title: 'Claims without a class, over time',
        description: 'As its cache has them, by the replica that has most of them.',
        unit: 'short',
        queries: [{ expr: `max(${series('retroactive_storageclass_waiting_claims')})`, legend: 'waiting' }],
      },
    ]),
    work([
      {
        kind: 'stat',
        title: 'Classes tried',
        description: 'Patches sent in the time that is shown, failed ones included, and those that failed.',
        unit: 'short',
        queries: [
          { expr: increase('retroactive_storageclass_total'), legend: 'tried' },
          { expr: increase('retroactive_storageclass_errors_total'), legend: 'failed' },
        ],
      },
      {
        kind: 'graph',
        title: 'Assignments',
        description:
          'Patches in a second, and those that were refused or whose end is not known. A claim that is gone or has changed is no error.',
        unit: 'ops',
        queries: [
          { expr: rate('retroactive_storageclass_total', []), legend: 'tried' },
          { expr: rate('retroactive_storageclass_errors_total', []), legend: 'failed' },
        ],
      },
    ]),
    costs,
  ],
};
