import { expect, test } from '@jest/globals';
import { slimClaim, slimStorageClass } from '../src/slim.ts';

test.each(Object.entries({ slimClaim, slimStorageClass }))(
  '%s -> known in protobuf, so that it is not asked for in JSON',
  (_name, projection) => expect(projection.fromProtobuf).toBeDefined(),
);
