import { describe, expect, test } from '@jest/globals';
import { statefulSets, type ApiResource } from '@holdfast/core';
import { slimClaim, slimPod, slimWorkload, usingPod } from '../src/slim.ts';
import type { Workload } from '../src/workload.ts';

describe('what is read of each kind', () => {
  const ofStatefulSets = slimWorkload(statefulSets);
  test.each(Object.entries({ slimClaim, slimPod, usingPod, ofStatefulSets }))(
    '%s -> known in protobuf, so that it is not asked for in JSON',
    (_name, projection) => expect(projection.fromProtobuf).toBeDefined(),
  );

  test("Kruise's StatefulSet -> in JSON, with its reserved ordinals", () => {
    const kruise: ApiResource<Workload> = {
      group: 'apps.kruise.io',
      version: 'v1beta1',
      kind: 'StatefulSet',
      plural: 'statefulsets',
      namespaced: true,
    };
    const projection = slimWorkload(kruise);
    expect(projection.fromProtobuf).toBeUndefined();
    const metadata = { name: 'web', namespace: 'shop', uid: '1', resourceVersion: '2' };
    const spec = { replicas: 2, reserveOrdinals: [1, '3-5'], volumeClaimTemplates: [] };
    expect(projection.fromJson({ metadata, spec }).spec?.reserveOrdinals).toEqual([1, '3-5']);
  });

  test('claim with annotations of others -> that there are any stays visible', () => {
    const metadata = { name: 'data-web-0', uid: '1', resourceVersion: '2', annotations: { 'e.com/x': 'y' } };
    expect(slimClaim.fromJson({ metadata }).metadata.annotations).toEqual({});
  });
});
