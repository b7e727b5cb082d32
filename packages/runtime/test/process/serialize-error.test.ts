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

test('401 -> hint to the credentials', () => {
  const error = new ApiError('GET /claims', 401, {
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
  });
  expect(serializeError(error)['hint']).toBe(
    "the API server doesn't accept the credentials: renew those of the kubeconfig's user, or of the service account",
  );
});

test.each([
  {
    what: 'the page of an API server or a proxy',
    reason: '',
    hint: /^the server has no such path: create the CustomResourceDefinition/,
  },
  { what: 'an object', reason: 'NotFound', hint: undefined },
])('404 of $what -> hint $hint', ({ reason, hint }) => {
  const error = new ApiError('GET /apis/example.com/v1/sites', 404, {
    reason,
    message: '404 page not found',
  });
  const found = serializeError(error)['hint'];
  expect(hint === undefined ? found === undefined : hint.test(String(found))).toBe(true);
});

test.each<{ what: string; thrown: unknown; shown: object }>([
  { what: 'a text', thrown: 'no error', shown: { type: 'string', message: 'no error' } },
  { what: 'nothing', thrown: undefined, shown: { type: 'undefined', message: 'undefined' } },
  {
    what: 'an object that is no text',
    thrown: Object.create(null),
    shown: { type: 'object', message: "it can't be shown" },
  },
  {
    what: 'an error without a message',
    thrown: Object.assign(new Error(), { message: null }),
    shown: { type: 'Error', message: 'null' },
  },
  {
    what: 'an error whose message is no text',
    thrown: Object.assign(new Error(), { message: { code: 5 } }),
    shown: { type: 'Error', message: '[object Object]' },
  },
  {
    what: 'an error without a stack',
    thrown: Object.assign(new Error('why'), { stack: null }),
    shown: { type: 'Error', message: 'why' },
  },
  {
    what: 'an error of no class',
    thrown: Object.assign(new Error('why'), { constructor: undefined }),
    shown: { type: 'object', message: "it can't be shown" },
  },
  {
    what: 'an object whose text throws nothing useful',
    thrown: {
      toString: () => {
        const nothing: unknown = null;
        throw nothing as Error;
      },
    },
    shown: { type: 'object', message: "it can't be shown" },
  },
])('$what was thrown -> logged, whatever it is', ({ thrown, shown }) => {
  expect(serializeError(thrown)).toMatchObject(shown);
});
