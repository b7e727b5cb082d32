import { expect, test } from '@jest/globals';
import { answeredIn, countAnswered } from '../src/api-requests.ts';
import type { ClusterApi } from '../src/cluster-api.ts';

const line = (resource: string, group: string, count: number): string =>
  `apiserver_request_total{code="200",component="apiserver",dry_run="",group="${group}",resource="${resource}",scope="resource",subresource="",verb="PATCH",version="v1"} ${String(count)}\n`;

test.each([
  { what: 'claims', metrics: line('persistentvolumeclaims', '', 7), answered: 7 },
  { what: 'sets and pods', metrics: line('statefulsets', 'apps', 2) + line('pods', '', 3), answered: 5 },
  {
    what: 'large count',
    metrics: line('pods', '', 1_250_000).replace('1250000', '1.25e+06'),
    answered: 1_250_000,
  },
  { what: 'no resource, as of /metrics', metrics: line('', '', 9), answered: 0 },
  { what: 'lease of the API server', metrics: line('leases', 'coordination.k8s.io', 9), answered: 0 },
  {
    what: 'another metric',
    metrics: 'apiserver_request_terminations_total{resource="pods"} 4\n',
    answered: 0,
  },
])('$what -> $answered', ({ metrics, answered }) => {
  expect(answeredIn(metrics)).toBe(answered);
});

test('bench asks as well -> only what others were answered since counts', async () => {
  let total = 100;
  let ofBench = 40;
  const api: Pick<ClusterApi, 'getText' | 'answered'> = {
    getText: () => Promise.resolve(line('pods', '', total)),
    answered: () => ofBench,
  };
  const count = await countAnswered(api);
  total += 25;
  ofBench += 10;
  expect(await count()).toBe(15);
});
