import { describe, expect, test } from '@jest/globals';
import { isOutdated, isNotFound, ApiError } from '../../src/client/api-error.ts';
import { readStatus, statusOf } from '../../src/wire/status.ts';

describe('Status that is not of its shape', () => {
  test.each<{ what: string; odd: unknown; read: object }>([
    { what: 'null', odd: null, read: {} },
    { what: 'text', odd: 'gone', read: {} },
    { what: 'list', odd: [{ code: 410 }], read: {} },
    { what: 'code is a text', odd: { code: '410', reason: 'Expired' }, read: { reason: 'Expired' } },
    { what: 'message is a number', odd: { code: 404, message: 7 }, read: { code: 404 } },
    { what: 'details are a list', odd: { details: [] }, read: {} },
    {
      what: 'causes are a text',
      odd: { details: { causes: 'x', name: 'a' } },
      read: { details: { name: 'a' } },
    },
    {
      what: 'causes hold null and numbers',
      odd: { details: { causes: [null, 7, { field: 'f', message: 7 }] } },
      read: { details: { causes: [{ field: 'f' }] } },
    },
  ])('$what -> what is legible is read', ({ odd, read }) => {
    const status = readStatus(odd);
    expect(status).toEqual(read);
    const error = new ApiError('GET /', 422, status);
    expect([isOutdated(error), isNotFound(error)]).toEqual([false, false]);
  });

  test('text of a mebibyte -> cut', () => {
    const body = JSON.stringify({ kind: 'Status', reason: 'Forbidden', message: 'no '.repeat(350_000) });
    expect(statusOf(body, 403).message).toHaveLength(8 * 1024 + 3);
  });
});
