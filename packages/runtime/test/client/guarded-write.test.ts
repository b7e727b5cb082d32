import { expect, test } from '@jest/globals';
import { ApiError } from '../../src/client/api-error.ts';
import { guardedWrite, WriteUndone, writeOutcome, type Written } from '../../src/client/guarded-write.ts';
import { LookOvertaken, LookTooOld } from '../../src/client/look.ts';
import { resultOfWrite } from '../../src/controller/reconcile-result.ts';

const notApplied = 'the server rejected our request due to an error in our request';
const answer = (code: number, reason: string, message = reason): ApiError =>
  new ApiError('PATCH /claim', code, { code, reason, message });
const aborted = new DOMException('stopped', 'AbortError');
const gone = (): Written<unknown> => ({ kind: 'gone' });
const outdated = (error: Error): Written<unknown> => ({ kind: 'outdated', reason: error.message });
const failed = (error: Error): Written<unknown> => ({ kind: 'failed', error });

test.each([
  { what: '404', error: answer(404, 'NotFound'), becomes: gone },
  { what: '409 of a stale version, or of a precondition', error: answer(409, 'Conflict'), becomes: outdated },
  { what: '422 of a test operation', error: answer(422, 'Invalid', notApplied), becomes: outdated },
  { what: 'a look that was too old', error: new LookTooOld(2_001, 2_000), becomes: outdated },
  { what: 'a look that holds no longer', error: new LookOvertaken(), becomes: outdated },
  {
    what: '404 of a proxy, which says nothing of the object',
    error: answer(404, '', 'no page'),
    becomes: failed,
  },
  ...[
    { code: 404, reason: 'NotFound', words: 'storageclasses.storage.k8s.io "gold" not found' },
    { code: 409, reason: 'Conflict', words: 'the object has been modified' },
    { code: 409, reason: 'AlreadyExists', words: 'quotas.example.com "a" already exists' },
  ].map(({ code, reason, words }) => ({
    what: `${String(code)} ${reason} of an admission webhook, which is about something else`,
    error: answer(code, reason, `admission webhook "v.example.com" denied the request: ${words}`),
    becomes: failed,
  })),
  { what: '422 of validation', error: answer(422, 'Invalid', 'spec is immutable'), becomes: failed },
  { what: '409 of a name that is taken', error: answer(409, 'AlreadyExists'), becomes: failed },
  { what: '403', error: answer(403, 'Forbidden'), becomes: failed },
  { what: '500', error: answer(500, 'InternalError'), becomes: failed },
  { what: 'no answer', error: new Error('socket hang up'), becomes: failed },
  { what: 'an abort', error: aborted, becomes: failed },
])('write that ends with $what -> sorted, and sent once', async ({ error, becomes }) => {
  let sent = 0;
  const written = await guardedWrite(() => {
    sent += 1;
    return Promise.reject(error);
  });
  expect(written).toEqual(becomes(error));
  expect(sent).toBe(1);
});

test('write that succeeds -> what the API server answered', async () => {
  const object = { metadata: { name: 'data' } };
  expect(await guardedWrite(() => Promise.resolve(object))).toEqual({ kind: 'written', object });
});

test.each([
  { isDone: true, kind: 'written' },
  { isDone: false, kind: 'failed' },
])('the answer is as it was to be: $isDone -> $kind', async ({ isDone, kind }) => {
  const object = { metadata: { name: 'data' } };
  const seen: unknown[] = [];
  const written = await guardedWrite(
    () => Promise.resolve(object),
    (answer) => {
      seen.push(answer);
      return isDone;
    },
  );
  expect(written).toEqual(isDone ? { kind, object } : { kind, error: new WriteUndone() });
  expect(seen).toEqual([object]);
});

test('sender that throws before it sends -> failed, not thrown', async () => {
  const error = new TypeError('name is undefined');
  const written = await guardedWrite(() => {
    throw error;
  });
  expect(written).toEqual({ kind: 'failed', error });
});

const failure = new Error('socket hang up');
test.each<{ written: Written<string>; outcome: string; result: unknown }>([
  { written: { kind: 'written', object: 'data' }, outcome: 'success', result: { kind: 'done' } },
  { written: { kind: 'gone' }, outcome: 'gone', result: { kind: 'done' } },
  {
    written: { kind: 'outdated', reason: '409' },
    outcome: 'conflict',
    result: { kind: 'lookAgain', reason: '409' },
  },
  { written: { kind: 'failed', error: failure }, outcome: 'error', result: failure },
])('$written.kind -> counted as $outcome, and a result of the reconcile', ({ written, outcome, result }) => {
  expect(writeOutcome(written)).toBe(outcome);
  let actual: unknown;
  try {
    actual = resultOfWrite(written);
  } catch (error) {
    actual = error;
  }
  expect(actual).toEqual(result);
});
