import { expect, test } from '@jest/globals';
import { ApiError } from '../../src/client/api-error.ts';
import { conflictsIn } from '../../src/client/apply-conflict.ts';
import type { StatusCause } from '../../src/wire/status.ts';

const refused = (causes: readonly StatusCause[], message = 'Apply failed', code = 409): ApiError =>
  new ApiError('PATCH /map', code, { code, reason: 'Conflict', message, details: { causes } });
const cause = (message: string, field = '.data.a'): StatusCause => ({
  reason: 'FieldManagerConflict',
  message,
  field,
});

test.each<{ message: string; manager: string }>([
  { message: 'conflict with "kubectl" using v1', manager: 'kubectl' },
  { message: 'conflict with "kubectl" using apps/v1 at 2026-11-23T10:00:00Z', manager: 'kubectl' },
  { message: 'conflict with "kubectl" with subresource "status" using v1', manager: 'kubectl' },
  { message: 'conflict with "applier"', manager: 'applier' },
  { message: 'conflict with "a \\"b\\" \\\\ c" using v1', manager: 'a "b" \\ c' },
  { message: 'conflict with "bell \\a" using v1', manager: 'bell \\a' },
  { message: 'conflict with somebody', manager: 'conflict with somebody' },
  { message: 'conflict with "half', manager: 'conflict with "half' },
])('$message -> $manager', ({ message, manager }) => {
  expect(conflictsIn(refused([cause(message)]))).toEqual([{ field: '.data.a', manager, message }]);
});

test('several fields, and another cause -> each field, in order', () => {
  const [a, b] = [cause('conflict with "x"'), cause('conflict with "y"', '.data.b')];
  const error = refused([
    a,
    { reason: 'FieldValueInvalid', message: 'no' },
    b,
    { reason: 'FieldManagerConflict' },
  ]);
  expect(conflictsIn(error).map(({ field, manager }) => [field, manager])).toEqual([
    ['.data.a', 'x'],
    ['.data.b', 'y'],
    ['', ''],
  ]);
});

test.each<{ what: string; error: unknown }>([
  { what: '409 of a precondition', error: refused([]) },
  {
    what: 'an admission webhook with the like',
    error: refused([cause('x')], 'admission webhook "v" denied the request'),
  },
  { what: 'another code', error: refused([cause('x')], 'Apply failed', 500) },
  { what: 'no answer', error: new Error('socket hang up') },
])('$what -> no conflict of fields', ({ error }) => {
  expect(conflictsIn(error)).toStrictEqual([]);
});
