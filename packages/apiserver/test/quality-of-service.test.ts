import { expect, test } from '@jest/globals';
import type { PodSpec } from '../src/resources/pod-spec.ts';
import { qosClassOf } from '../src/resources/quality-of-service.ts';

type Resources = Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
const [small, large] = [
  { cpu: '1', memory: '1Gi' },
  { cpu: '2', memory: '2Gi' },
];

/* As upstream's ComputePodQOS answers. */
const rows: readonly [string, readonly Partial<Resources>[], Partial<Resources> | undefined, string][] = [
  ['nothing asked for', [{}], undefined, 'BestEffort'],
  ['only other resources', [{ limits: { 'hugepages-2Mi': '4Mi' } }], undefined, 'BestEffort'],
  ['only zeros, however written', [{ requests: { cpu: '0m', memory: '0' } }], undefined, 'BestEffort'],
  ['one resource requested', [{ requests: { cpu: '1' } }], undefined, 'Burstable'],
  ['limits of one resource', [{ requests: { cpu: '1' }, limits: { cpu: '1' } }], undefined, 'Burstable'],
  ['requests as limits', [{ requests: small, limits: small }], undefined, 'Guaranteed'],
  [
    'requests as limits, written otherwise',
    [{ requests: { cpu: '1000m', memory: '1024Mi' }, limits: small }],
    undefined,
    'Guaranteed',
  ],
  ['requests below limits', [{ requests: small, limits: large }], undefined, 'Burstable'],
  ['limits without requests', [{ limits: small }], undefined, 'Burstable'],
  ['one container without limits', [{ requests: small, limits: small }, {}], undefined, 'Burstable'],
  [
    'sums of requests as sums of limits',
    [
      { requests: small, limits: large },
      { requests: large, limits: small },
    ],
    undefined,
    'Guaranteed',
  ],
  ['empty resources of the pod, limits of a container', [{ limits: small }], {}, 'BestEffort'],
  ['resources of the pod, none of its container', [{}], { requests: small, limits: small }, 'Guaranteed'],
  ['requests of the pod alone', [{ limits: small }], { requests: small }, 'Burstable'],
  ['one limit of the pod', [{}], { requests: { cpu: '1' }, limits: { cpu: '1' } }, 'Burstable'],
];

test.each(rows)('%s -> its class', (_, containers, resources, expected) => {
  const spec = {
    containers: containers.map((each) => ({ resources: each })),
    ...(resources !== undefined && { resources }),
  };
  expect(qosClassOf(spec as unknown as PodSpec)).toBe(expected);
});

test('init container without limits -> not guaranteed', () => {
  const guaranteed = { resources: { requests: small, limits: small } };
  const spec = { containers: [guaranteed], initContainers: [{ resources: {} }] };
  expect(qosClassOf(spec as unknown as PodSpec)).toBe('Burstable');
});
