import type { ClusterApi } from './cluster-api.ts';

/**
 * Counts the requests that the API server answers from now on, by its own count, without those of the bench and without what the
 * API server asks of itself: leases, health, and its own configuration.
 *
 * @returns a function that says how many it has been until it is called. A watch counts when it has ended.
 */
export async function countAnswered(
  api: Pick<ClusterApi, 'getText' | 'answered'>,
): Promise<() => Promise<number>> {
  const read = async (): Promise<number> => answeredIn(await api.getText('/metrics')) - api.answered();
  const before = await read();
  return async () => (await read()) - before;
}

/** What kube-apiserver reads and writes for itself once it has started. */
const itsOwn: ReadonlySet<string> = new Set([
  'coordination.k8s.io/leases',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
]);

/** @param metrics in the text format. @returns the sum of `apiserver_request_total` over the resources that are not the API server's own. */
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
