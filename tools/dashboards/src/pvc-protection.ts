import type { DashboardPlan } from './panel.ts';
import { increase, p50, p99, rate, series } from './query.ts';
import { costs, health, waiting, work } from './runtime-panels.ts';

export const pvcProtection: DashboardPlan = {
  app: 'pvc-protection',
  description: 'Keeps a PersistentVolumeClaim that is deleted while pods use it until none does.',
  rows: [
    health([]),
    waiting([
      {
        kind: 'stat',
        title: 'Claims held',
        description:
          'Claims that were deleted and that pods still use. Not a fault, but who deleted them might not know. Runbook HoldfastClaimHeldLong.',
        unit: 'short',
        queries: [
          // Only the value of the leading replica counts.
          {
            expr: `sum(${series('pvc_protection_terminating_claims')}) or 0 * sum(${series('holdfast_build_info')})`,
            legend: 'held',
          },
        ],
      },
      {
        kind: 'graph',
        title: 'Claims held, by namespace',
        description: 'Events of reason DeletionPostponed on the claims name the pods that hold them.',
        unit: 'short',
        isStacked: true,
        queries: [
          {
            // If a Prometheus lets the target's own label win, it renames the metric's label to
            // exported_namespace.
            expr: `max by (namespace, exported_namespace) (${series('pvc_protection_terminating_claims')})`,
            legend: '{{exported_namespace}} {{namespace}}',
          },
        ],
      },
    ]),
    work([
      {
        kind: 'stat',
        title: 'Finalizers written',
        description: 'In the time that is shown, by operation: add protects a claim, remove lets it go.',
        unit: 'short',
        queries: [
          {
            expr: increase('pvc_protection_finalizer_total', {
              by: ['operation'],
              matchers: 'result="success"',
            }),
            legend: '{{operation}}',
          },
        ],
      },
      {
        kind: 'graph',
        title: 'Writes of the finalizer',
        description:
          'In a second, by operation and result. Conflict: the claim had changed, and is looked at again. Error: runbook HoldfastWritesFailing.',
        unit: 'ops',
        queries: [
          {
            expr: rate('pvc_protection_finalizer_total', ['operation', 'result']),
            legend: '{{operation}} {{result}}',
          },
        ],
      },
      {
        kind: 'graph',
        title: 'Delay of a release',
        description:
          'From when the last pod let go of a held claim until its finalizer was removed: the middle, and the 99th percentile.',
        unit: 's',
        thresholds: [{ from: 30, color: 'yellow' }],
        queries: [
          { expr: p50('pvc_protection_release_delay_seconds', []), legend: 'p50' },
          { expr: p99('pvc_protection_release_delay_seconds', []), legend: 'p99' },
        ],
      },
    ]),
    {
      title: 'Do its webhooks answer?',
      panels: [
        {
          kind: 'graph',
          title: 'Admission requests',
          description:
            'In a second, by path and code. Without the webhook a claim is protected a moment after its creation, and not with it.',
          unit: 'reqps',
          queries: [
            {
              expr: rate('controller_runtime_webhook_requests_total', ['webhook', 'code']),
              legend: '{{webhook}} {{code}}',
            },
          ],
        },
        {
          kind: 'graph',
          title: 'Time of an admission request (99th percentile)',
          description:
            'The API server waits for this long with the write of a claim or the binding of a pod.',
          unit: 's',
          thresholds: [{ from: 1, color: 'yellow' }],
          queries: [
            { expr: p99('controller_runtime_webhook_latency_seconds', ['webhook']), legend: '{{webhook}}' },
          ],
        },
        {
          kind: 'graph',
          title: 'Admission requests in flight',
          description:
            'Requests that are being answered now. A number that stays: the live reads that an answer needs take long.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (webhook) (${series('controller_runtime_webhook_requests_in_flight')})`,
              legend: '{{webhook}}',
            },
          ],
        },
      ],
    },
    costs,
  ],
};
