/**
 * Selects the processes that a dashboard shows. `instance` is the only label that every Prometheus gives its
 * targets. `$instance` are the targets that export `holdfast_build_info` of the controller and match the
 * chosen namespace, job and pod. So the queries do not depend on how targets are found, and a metric's own
 * label `namespace` keeps its meaning.
 */
const chosen = 'job=~"$job",instance=~"$instance"';

/**
 * Returns the series of a metric that the chosen processes export, with further matchers such as
 * `result="error"`.
 */
export function series(metric: string, matchers = ''): string {
  return `${metric}{${matchers === '' ? chosen : `${chosen},${matchers}`}}`;
}

/** The rate of a counter per second. */
export function rate(metric: string, by: readonly string[], matchers = ''): string {
  return `${sumBy(by)} (rate(${series(metric, matchers)}[$__rate_interval]))`;
}

/**
 * The increase of a counter over a duration, for example `15m`; by default over the time range of the
 * dashboard.
 */
export function increase(
  metric: string,
  {
    by = [],
    matchers = '',
    within = '$__range',
  }: { by?: readonly string[]; matchers?: string; within?: string } = {},
): string {
  return `${sumBy(by)} (increase(${series(metric, matchers)}[${within}]))`;
}

/** The 99th percentile of a histogram's observations. */
export function p99(histogram: string, by: readonly string[]): string {
  return `histogram_quantile(0.99, ${rate(`${histogram}_bucket`, ['le', ...by])})`;
}

/** The median of a histogram's observations. */
export function p50(histogram: string, by: readonly string[]): string {
  return `histogram_quantile(0.5, ${rate(`${histogram}_bucket`, ['le', ...by])})`;
}

/** Names a replica by its pod if the targets have that label, and otherwise by its address. */
export const replica = '{{pod}} {{instance}}';

function sumBy(labels: readonly string[]): string {
  return labels.length === 0 ? 'sum' : `sum by (${labels.join(', ')})`;
}
