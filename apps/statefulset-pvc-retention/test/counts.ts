import type { StagedController } from '@holdfast/scenario';

/** What a controller has counted by itself: the sum of a metric's values that have these labels. */
export async function countOf(
  { registry }: StagedController,
  metric: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { values = [] } = (await registry.getSingleMetric(metric)?.get()) ?? {};
  return values
    .filter((each) => Object.entries(labels).every(([label, value]) => each.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** How often a reconcile has failed. */
export function failuresOf(controller: StagedController): Promise<number> {
  return countOf(controller, 'controller_runtime_reconcile_errors_total');
}

/** How often a reconcile has ended so. */
export function endingsOf(
  controller: StagedController,
  result: 'success' | 'requeue_after',
): Promise<number> {
  return countOf(controller, 'controller_runtime_reconcile_total', { result });
}

/** What became of the writes to owner references that were meant to do this. */
export async function outcomesOf(
  { registry }: StagedController,
  operation: 'add' | 'confirm' | 'remove',
): Promise<readonly unknown[]> {
  const metric = await registry.getSingleMetric('statefulset_pvc_owner_reference_updates_total')?.get();
  return (metric?.values ?? [])
    .filter(({ labels }) => labels['operation'] === operation)
    .map(({ labels }) => labels['result']);
}
