import { expect, test } from '@jest/globals';
import { ApiError } from '../../src/client/api-error.ts';
import { serializeError } from '../../src/process/serialize-error.ts';

const hintOf = (message: string): unknown =>
  serializeError(new ApiError('PATCH /claim', 403, { code: 403, reason: 'Forbidden', message }))['hint'];

test.each([
  'persistentvolumeclaims "data" is forbidden: User "app" cannot patch resource "persistentvolumeclaims" in API group "" in the namespace "shop"',
  'forbidden: User "app" cannot get path "/metrics"',
])('403 since RBAC denies (%s) -> hint to the role', (message) => {
  expect(hintOf(message)).toContain('grant it to the account');
});

test.each([
  'admission webhook "v.example.com" denied the request: User "me" must not touch this',
  'persistentvolumeclaims "data" is forbidden: exceeded quota: q',
  "persistentvolumeclaims \"data\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no",
])('403 for which no role is to blame (%s) -> no hint to the role', (message) => {
  expect(hintOf(message)).toBeUndefined();
});
