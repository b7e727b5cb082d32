/**
 * Which processes a dashboard shows. `instance` is the one label that every Prometheus gives its targets; `$instance` are those that
 * export `holdfast_build_info` of the controller and are of the chosen namespace, job and pod. So nothing depends on how targets are
 * found, and a label `namespace` of a metric's own is left to mean what the metric means by it.
 */
const chosen = 'job=~"$job",instance=~"$instance"';

/** The series of a metric that the chosen processes export, with further matchers such as `result="error"`. */
export function series(metric: string, matchers = ''): string {
  return `${metric}{${matchers === '' ? chosen : `${chosen},${matchers}`}}`;
}

/** What a counter counts in a second. */
export function rate(metric: string, by: readonly string[], matchers = ''): string {
  return `${sumBy(by)} (rate(${series(metric, matchers)}[$__rate_interval]))`;
}

/** What a counter has counted in a while, for example `15m`; by default in the time that the dashboard shows. */
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

/** The value that 99 of 100 observations of a histogram do not exceed. */
export function p99(histogram: string, by: readonly string[]): string {
  return `histogram_quantile(0.99, ${rate(`${histogram}_bucket`, ['le', ...by])})`;
}

/** What a histogram's observations have in the middle. */
export function p50(histogram: string, by: readonly string[]): string {
  return `histogram_quantile(0.5, ${rate(`${histogram}_bucket`, ['le', ...by])})`;
}

/** A replica, by its pod where the targets have that label, and by its address where not. */
export const replica = '{{pod}} {{instance}}';

function sumBy(labels: readonly string[]): string {
  return labels.length === 0 ? 'sum' : `sum by (${labels.join(', ')})`;
}
