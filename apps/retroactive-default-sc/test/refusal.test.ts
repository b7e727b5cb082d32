import { describe, expect, test } from '@jest/globals';
import { ApiError, guardedWrite, LookTooOld } from '@holdfast/runtime';
import { forbiddenWords, howToAllow, perhapsForbiddenWords, refusalOf } from '../src/refusal.ts';

/** Answers of kube-apiserver 1.31 and 1.36 to a patch of a claim, as they came. */
const answers = [
  {
    name: 'a test of the patch does not hold',
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    failure: { kind: 'outdated' },
  },
  {
    name: 'the server lacks the feature, or its gate is off',
    code: 422,
    reason: 'Invalid',
    message:
      'PersistentVolumeClaim "data" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -10,7 +10,7 @@\n   }\n',
    failure: {
      kind: 'forbidden',
      words:
        'PersistentVolumeClaim "data" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    },
  },
  {
    name: 'a policy denies',
    code: 422,
    reason: 'Invalid',
    message:
      "persistentvolumeclaims \"data\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no gold here",
    failure: {
      kind: 'refused',
      words:
        "persistentvolumeclaims \"data\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no gold here",
    },
  },
  {
    name: 'a quota is exceeded',
    code: 403,
    reason: 'Forbidden',
    message: 'persistentvolumeclaims "data" is forbidden: exceeded quota: q',
    failure: { kind: 'refused', words: 'persistentvolumeclaims "data" is forbidden: exceeded quota: q' },
  },
  {
    name: 'a webhook denies without a code of its own',
    code: 400,
    reason: '',
    message: 'admission webhook "w.example.com" denied the request: no',
    failure: { kind: 'refused', words: 'admission webhook "w.example.com" denied the request: no' },
  },
  {
    name: 'the credentials are not accepted',
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
    failure: { kind: 'transient' },
  },
  {
    name: 'a webhook denies with the code of refused credentials',
    code: 401,
    reason: '',
    message: 'admission webhook "w.example.com" denied the request: who is that',
    failure: {
      kind: 'refused',
      words: 'admission webhook "w.example.com" denied the request: who is that',
    },
  },
  {
    name: 'the claim is gone',
    code: 404,
    reason: 'NotFound',
    message: 'persistentvolumeclaims "data" not found',
    failure: { kind: 'gone' },
  },
  {
    name: 'the claim was written at the same time',
    code: 409,
    reason: 'Conflict',
    message: 'Operation cannot be fulfilled on persistentvolumeclaims "data"',
    failure: { kind: 'outdated' },
  },
  {
    name: 'too many requests',
    code: 429,
    reason: 'TooManyRequests',
    message: 'slow down',
    failure: { kind: 'transient' },
  },
  {
    name: 'the server did not get all of the request in its time',
    code: 408,
    reason: 'Timeout',
    message: 'timed out',
    failure: { kind: 'transient' },
  },
  {
    name: 'etcd is away',
    code: 500,
    reason: 'InternalError',
    message: 'etcdserver: request timed out',
    failure: { kind: 'transient' },
  },
] as const;

describe('patch of a claim', () => {
  const failureOf = async (error: Error): Promise<unknown> => {
    const written = await guardedWrite(() => Promise.reject(error));
    return written.kind === 'failed' ? refusalOf(written.error) : { kind: written.kind };
  };

  test.each(answers)('$name -> $failure.kind', async ({ code, reason, message, failure }) => {
    const error = new ApiError('PATCH /claim', code, { code, reason, message });
    expect(await failureOf(error)).toEqual(failure);
  });

  test('R1: a policy denies in the words of a server that forbids all -> refused', async () => {
    const words =
      "persistentvolumeclaims \"data\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: spec is immutable after creation";
    const error = new ApiError('PATCH /claim', 422, { code: 422, reason: 'Invalid', message: words });
    expect(await failureOf(error)).toEqual({ kind: 'refused', words });
  });

  test('R1: a webhook denies with the whole answer of a server that forbids all -> refused', async () => {
    const words =
      'admission webhook "w.example.com" denied the request: PersistentVolumeClaim "data" is invalid: spec: Forbidden: spec is immutable after creation';
    const error = new ApiError('PATCH /claim', 422, { code: 422, reason: 'Invalid', message: words });
    expect(await failureOf(error)).toEqual({ kind: 'refused', words });
  });

  test('no answer at all -> transient', async () => {
    expect(await failureOf(new Error('read ECONNRESET'))).toEqual({ kind: 'transient' });
  });

  test('A0: not sent, its look was too old -> looked at again', async () => {
    expect(await failureOf(new LookTooOld(3_000, 2_000))).toEqual({ kind: 'outdated' });
  });
});

test('a webhook denies in 100,000 characters -> the words that are logged and recorded are cut', () => {
  const message = `admission webhook "w.example.com" denied the request: ${'no '.repeat(33_000)}`;
  const refusal = refusalOf(new ApiError('PATCH /', 403, { reason: 'Forbidden', message }));
  expect(refusal.kind).toBe('refused');
  const { words = '' } = refusal as { readonly words?: string };
  expect(words).toHaveLength(503);
  expect(words).toMatch(/^admission webhook "w\.example\.com" denied the request: no no .*\.\.\.$/);
});

test('words of 500 characters -> whole', () => {
  const message = 'x'.repeat(500);
  expect(refusalOf(new ApiError('PATCH /', 403, { message }))).toEqual({ kind: 'refused', words: message });
});

test('what is forbidden for all claims, or perhaps -> the words, and the way out', () => {
  expect(howToAllow).toMatch(/^enable feature gate RetroactiveDefaultStorageClass of kube-apiserver/);
  expect(forbiddenWords('no')).toBe(`no; ${howToAllow}`);
  expect(perhapsForbiddenWords('no')).toBe(
    `no; either a webhook changes more of its spec, or the API server forbids it for all claims: then ${howToAllow}`,
  );
});
