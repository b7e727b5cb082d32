import { expect, test } from '@jest/globals';
import { slimClaim, slimPod, slimVolumeAttachment } from '../src/slim.ts';
import { pod } from './objects.ts';

test.each(Object.entries({ slimClaim, slimPod, slimVolumeAttachment }))(
  '%s -> known in protobuf, so that it is not asked for in JSON',
  (_name, projection) => expect(projection.fromProtobuf).toBeDefined(),
);

test('C1: a pod -> of its containers only whether each runs is kept', () => {
  const status = { name: 'c', image: 'pause', imageID: 'x', ready: true, restartCount: 3 };
  const containerStatuses = [
    { ...status, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } },
    { ...status, state: { terminated: { exitCode: 1 } } },
  ];
  const slim = slimPod.fromJson({ ...pod(), status: { phase: 'Failed', containerStatuses } });
  expect(slim.status).toEqual({
    phase: 'Failed',
    containerStatuses: [{ state: { running: {} } }, { state: {} }],
  });
});
