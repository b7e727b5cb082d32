import { expect, test } from '@jest/globals';
import { slimClaim, slimPod, slimVolumeAttachment } from '../src/slim.ts';

test.each(Object.entries({ slimClaim, slimPod, slimVolumeAttachment }))(
  '%s -> known in protobuf, so that it is not asked for in JSON',
  (_name, projection) => expect(projection.fromProtobuf).toBeDefined(),
);
