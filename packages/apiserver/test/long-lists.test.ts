import { expect, test } from '@jest/globals';
import { validateConditions } from '../src/resources/conditions.ts';
import { allocateNodePorts } from '../src/resources/described/service-ports.ts';
import type { Service, ServicePort } from '../src/resources/described/service-spec.ts';
import { validateService } from '../src/resources/described/service-validation.ts';
import { validateSpreadConstraints } from '../src/resources/pod-validation/topology-spread.ts';
import { validateReviewVersions } from '../src/resources/webhook-configuration.ts';

const count = 1_000;

/** Items that differ, in a list that counts how often an item is read. */
function countedList<Item>(itemOf: (index: number) => Item): { list: Item[]; reads: () => number } {
  let reads = 0;
  const list = new Proxy(
    Array.from({ length: count }, (_, index) => itemOf(index)),
    {
      get: (target, key, receiver) => {
        reads += typeof key === 'string' && /^\d+$/.test(key) ? 1 : 0;
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  return { list, reads: () => reads };
}

function judged<Item>(itemOf: (index: number) => Item, judge: (list: Item[]) => unknown): () => number {
  const { list, reads } = countedList(itemOf);
  return () => {
    judge(list);
    return reads();
  };
}

const portOf = (index: number): ServicePort => ({
  name: `a${String(index)}`,
  protocol: 'TCP',
  port: index + 1,
});
const serviceOf = (ports: ServicePort[]): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { type: 'ClusterIP', ports },
  status: {},
});

// A client decides how long these lists are: were each item compared with those before it, 200,000 would keep the
// server busy for minutes.
test.each([
  ['ports of a service', judged(portOf, (ports) => validateService(serviceOf(ports), undefined))],
  [
    'ports of a service on nodes',
    judged(portOf, (ports) => allocateNodePorts({ type: 'NodePort', ports }, undefined, [], true)),
  ],
  [
    'conditions',
    judged(
      (index) => ({ type: `a${String(index)}`, status: 'True' }),
      (conditions) => validateConditions(conditions, 'status.conditions'),
    ),
  ],
  [
    'spread constraints of a pod',
    judged(
      (index) => ({ maxSkew: 1, topologyKey: `a${String(index)}`, whenUnsatisfiable: 'DoNotSchedule' }),
      (constraints) => validateSpreadConstraints(constraints, 'spec.topologySpreadConstraints'),
    ),
  ],
  [
    'review versions of a webhook',
    judged(
      (index) => `v${String(index)}`,
      (versions) => validateReviewVersions(versions, 'webhooks[0].admissionReviewVersions'),
    ),
  ],
])('many %s -> each is read a few times', (_what, readsOf) => {
  expect(readsOf()).toBeLessThan(count * 20);
});
