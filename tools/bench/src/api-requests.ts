import type { ClusterApi } from './cluster-api.ts';

/**
 * Counts the requests that the API server answers from now on, by its own metrics, without those of the bench
 * and those that the API server makes for itself: leases, health, and its own configuration.
 *
 * @returns a function that returns the number of requests until it is called; a watch counts when it has
 *   ended
 */
export async function countAnswered(
  api: Pick<ClusterApi, 'getText' | 'answered'>,
): Promise<() => Promise<number>> {
  const read = async (): Promise<number> => answeredIn(await api.getText('/metrics')) - api.answered();
  const before = await read();
  return async () => (await read()) - before;
}

/** The resources that kube-apiserver itself reads and writes once it has started. */
const itsOwn: ReadonlySet<string> = new Set([
  'coordination.k8s.io/leases',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
]);

/**
 * @param metrics in the text format
 * @returns the sum of `apiserver_request_total` over the resources that the API server does not use itself
 */
export function answeredIn(metrics: string): number {
  let answered = 0;
  for (const [, labels = '', count = ''] of metrics.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const resource = label('resource');
    if (resource !== '' && !itsOwn.has(`${label('group')}/${resource}`)) {
      answered += Number(count);
    }
  }
  return answered;
}
