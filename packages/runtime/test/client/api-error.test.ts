import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isOutdated,
  isPageNotFound,
  isRefused,
  isUnauthorized,
  saysGone,
} from '../../src/client/api-error.ts';
import type { Status, StatusCause } from '../../src/wire/status.ts';

const predicates = {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isOutdated,
  isPageNotFound,
  isRefused,
  isUnauthorized,
};

const meaningsOf = (error: unknown): readonly string[] =>
  Object.entries(predicates).flatMap(([name, holds]) => (holds(error) ? [name] : []));

const ofWebhook = 'admission webhook "v.example.com" denied the request: no';
const noNewFinalizers: StatusCause = {
  field: 'metadata.finalizers',
  message: 'Forbidden: no new finalizers can be added if the object is being deleted',
};
const invalid = (...causes: readonly StatusCause[]): Status => ({ reason: 'Invalid', details: { causes } });

test.each<{ what: string; code: number; status: Status; means: readonly string[] }>([
  { what: '400', code: 400, status: { reason: 'BadRequest' }, means: ['isRefused'] },
  { what: '401', code: 401, status: { reason: 'Unauthorized' }, means: ['isRefused', 'isUnauthorized'] },
  { what: '401 of a proxy', code: 401, status: {}, means: ['isUnauthorized'] },
  {
    what: '401 of a webhook',
    code: 401,
    status: { reason: 'Unauthorized', message: ofWebhook },
    means: ['isRefused'],
  },
  { what: '403', code: 403, status: { reason: 'Forbidden' }, means: ['isForbidden', 'isRefused'] },
  {
    what: '403, since the namespace is terminating',
    code: 403,
    status: {
      reason: 'Forbidden',
      details: { causes: [{ reason: 'Quota' }, { reason: 'NamespaceTerminating' }] },
    },
    means: ['isForbidden', 'isNamespaceTerminating', 'isRefused'],
  },
  {
    what: '403, for another cause',
    code: 403,
    status: { reason: 'Forbidden', details: { causes: [{ reason: 'Quota' }] } },
    means: ['isForbidden', 'isRefused'],
  },
  {
    what: '409, which names a terminating namespace',
    code: 409,
    status: { reason: 'Conflict', details: { causes: [{ reason: 'NamespaceTerminating' }] } },
    means: ['isConflict', 'isOutdated', 'isRefused'],
  },
  { what: '403 of a proxy', code: 403, status: {}, means: ['isForbidden'] },
  { what: '404', code: 404, status: { reason: 'NotFound' }, means: ['isNotFound', 'isRefused'] },
  {
    what: '404 of a webhook',
    code: 404,
    status: { reason: 'NotFound', message: ofWebhook },
    means: ['isRefused'],
  },
  { what: '404 of a webhook that gives no reason', code: 404, status: { message: ofWebhook }, means: [] },
  {
    what: '404 of a proxy, or for a kind that is not served',
    code: 404,
    status: { message: '404 page not found' },
    means: ['isPageNotFound'],
  },
  {
    what: '409',
    code: 409,
    status: { reason: 'Conflict' },
    means: ['isConflict', 'isOutdated', 'isRefused'],
  },
  {
    what: '409 of a name that is taken',
    code: 409,
    status: { reason: 'AlreadyExists' },
    means: ['isAlreadyExists', 'isRefused'],
  },
  {
    what: '409 of a webhook, by which a name is taken',
    code: 409,
    status: { reason: 'AlreadyExists', message: ofWebhook },
    means: ['isRefused'],
  },
  { what: '410', code: 410, status: { reason: 'Expired' }, means: ['isGone', 'isRefused'] },
  { what: '422 without causes', code: 422, status: { reason: 'Invalid' }, means: ['isInvalid', 'isRefused'] },
  {
    what: '422 of a new finalizer on what is terminating, beside another cause',
    code: 422,
    status: invalid({ field: 'spec', message: 'immutable' }, noNewFinalizers),
    means: ['isInvalid', 'isOutdated', 'isRefused'],
  },
  {
    what: '422 of another UID, which a merge patch or an apply gave as a guard',
    code: 422,
    status: invalid({ field: 'metadata.uid', message: 'Invalid value: "a": field is immutable' }),
    means: ['isInvalid', 'isOutdated', 'isRefused'],
  },
  {
    what: '422 of another field that is immutable',
    code: 422,
    status: invalid({ field: 'spec', message: 'Invalid value: "a": field is immutable' }),
    means: ['isInvalid', 'isRefused'],
  },
  {
    what: '422 of a UID that is none',
    code: 422,
    status: invalid({ field: 'metadata.uid', message: 'Invalid value: ""' }),
    means: ['isInvalid', 'isRefused'],
  },
  {
    what: '422 of a finalizer that is no name',
    code: 422,
    status: invalid({ field: 'metadata.finalizers', message: 'name is not fully qualified' }),
    means: ['isInvalid', 'isRefused'],
  },
  {
    what: '422 of a finalizer, without words',
    code: 422,
    status: invalid({ field: 'metadata.finalizers' }),
    means: ['isInvalid', 'isRefused'],
  },
  {
    what: '422 of another field in the same words',
    code: 422,
    status: invalid({ ...noNewFinalizers, field: 'spec.finalizers' }),
    means: ['isInvalid', 'isRefused'],
  },
  { what: '500', code: 500, status: { reason: 'InternalError' }, means: [] },
  { what: '304, which no Status comes with', code: 304, status: { reason: 'NotModified' }, means: [] },
])('$what -> $means', ({ code, status, means }) => {
  expect(meaningsOf(new ApiError('PATCH /claim', code, status))).toEqual(means);
});

test.each<{ what: string; status: Status; isGone: boolean }>([
  { what: 'names nothing', status: {}, isGone: true },
  {
    what: 'names it, by the resource',
    status: { details: { name: 'data', kind: 'persistentvolumeclaims' } },
    isGone: true,
  },
  {
    what: 'names it, by the kind',
    status: { details: { name: 'data', kind: 'PersistentVolumeClaim' } },
    isGone: true,
  },
  { what: 'names it, and no kind', status: { details: { name: 'data' } }, isGone: true },
  { what: 'names the resource alone', status: { details: { kind: 'persistentvolumeclaims' } }, isGone: true },
  {
    what: 'names another',
    status: { details: { name: 'other', kind: 'persistentvolumeclaims' } },
    isGone: false,
  },
  { what: 'names another kind', status: { details: { name: 'data', kind: 'pods' } }, isGone: false },
])('404 that $what -> the object is gone: $isGone', ({ status, isGone: expected }) => {
  const ref = { namespace: 'ns', name: 'data' };
  const error = new ApiError('GET /data', 404, { reason: 'NotFound', ...status });
  expect(saysGone(error, persistentVolumeClaims, ref)).toBe(expected);
  expect(saysGone(new ApiError('GET /data', 404, status), persistentVolumeClaims, ref)).toBe(false);
});

test('an error that is no answer -> means nothing of the kind', () => {
  expect(meaningsOf(Object.assign(new Error('not found'), { code: 404, reason: 'NotFound' }))).toStrictEqual(
    [],
  );
});

describe('what is kept of an answer', () => {
  test('Status with reason and message, Retry-After -> in the message and by themselves', () => {
    const status: Status = { reason: 'TooManyRequests', message: 'wait' };
    const error = new ApiError('PATCH /claim', 429, status, 3_000);
    expect(error).toMatchObject({
      name: 'ApiError',
      message: 'PATCH /claim: 429 TooManyRequests: wait',
      code: 429,
      reason: 'TooManyRequests',
      retryAfter: 3_000,
    });
    expect(error.status).toBe(status);
  });

  test('no Status -> no reason, and a message that says so', () => {
    expect(new ApiError('GET /claim', 502, {})).toMatchObject({
      message: 'GET /claim: 502: no message',
      reason: '',
      retryAfter: undefined,
    });
  });
});
