import { describe, expect, test } from '@jest/globals';
import { configMaps, pods, type NamespacedResource, type Pod, type Stored } from '@holdfast/core';
import { defineResource } from '@holdfast/core/custom-resource';
import { z } from 'zod';
import type { AdmissionAnswer, AdmissionHandler, AdmissionRequest } from '../../src/webhook/admission.ts';
import { admissionOf, type AdmissionHandlerOf } from '../../src/webhook/admission-of.ts';

const sites = defineResource({
  group: 'acme.example',
  version: 'v1',
  kind: 'Site',
  spec: z.object({ host: z.string(), replicas: z.int32().default(1), alias: z.string().optional() }),
});

const podKind = { group: '', version: 'v1', kind: 'Pod' };
const siteKind = { group: 'acme.example', version: 'v1', kind: 'Site' };

function asked(change: object): AdmissionRequest {
  return {
    uid: 'u',
    kind: podKind,
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace: 'shop',
    name: 'web',
    operation: 'CREATE',
    userInfo: {},
    object: null,
    oldObject: null,
    ...change,
  };
}

const signal = new AbortController().signal;
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { nodeName: 'a' } };
const siteOf = (spec: object) => ({
  apiVersion: 'acme.example/v1',
  kind: 'Site',
  metadata: { name: 's' },
  spec,
});

describe('admissionOf', () => {
  test.each([
    ['CREATE', { operation: 'CREATE', object: pod }, 'a of nothing'],
    ['UPDATE', { operation: 'UPDATE', object: pod, oldObject: { ...pod, spec: {} } }, 'a of none'],
    ['DELETE', { operation: 'DELETE', oldObject: pod }, 'nothing of a'],
  ])('%s of its kind -> asked with what is stored and what is to be', async (_, change, said) => {
    const handler = admissionOf(pods, (request): AdmissionAnswer => {
      switch (request.operation) {
        case 'CREATE':
          return { kind: 'denied', message: `${request.object.spec?.nodeName ?? 'none'} of nothing` };
        case 'UPDATE': {
          const { object, oldObject } = request;
          return {
            kind: 'denied',
            message: `${object.spec?.nodeName ?? 'none'} of ${oldObject.spec?.nodeName ?? 'none'}`,
          };
        }
        case 'DELETE':
          return { kind: 'denied', message: `nothing of ${request.oldObject.spec?.nodeName ?? 'none'}` };
      }
    });
    expect(await handler(asked(change), signal)).toEqual({ kind: 'denied', message: said });
  });

  test.each([
    ['CREATE', { object: pod }],
    ['DELETE', { operation: 'DELETE', oldObject: pod }],
  ])('handler of a %s -> given the signal and the fields of the request', async (_, change) => {
    let seen: unknown;
    const handler = admissionOf(pods, (request, end) => {
      seen = [request.uid, request.namespace, request.name, end];
      return { kind: 'allowed' };
    });
    await handler(asked(change), signal);
    expect(seen).toEqual(['u', 'shop', 'web', signal]);
  });

  test.each([
    [
      'of another kind',
      { kind: { ...podKind, kind: 'Binding' }, object: pod },
      /is for v1 Pod, and was asked about "v1 Binding".*rules/,
    ],
    ['of another version', { kind: { ...podKind, version: 'v2' }, object: pod }, /v1 Pod.*v2 Pod/],
    [
      'of another group',
      { kind: { ...podKind, group: 'acme.example' }, object: pod },
      /acme\.example\/v1 Pod/,
    ],
    ['to connect', { operation: 'CONNECT', object: pod, oldObject: pod }, /CONNECT: leave it out/],
    ['CREATE without an object', { operation: 'CREATE' }, /no object/],
    ['CREATE of a text', { operation: 'CREATE', object: 'pod' }, /no object/],
    ['CREATE of an object without metadata', { object: { ...pod, metadata: undefined } }, /no object/],
    ['CREATE of an object with null for metadata', { object: { ...pod, metadata: null } }, /no object/],
    ['UPDATE without an old object', { operation: 'UPDATE', object: pod }, /no oldObject/],
    ['DELETE without an old object', { operation: 'DELETE' }, /no oldObject/],
  ])('request %s -> thrown, so that failurePolicy decides', (_, change, error) => {
    const handler = admissionOf(pods, () => ({ kind: 'allowed' }));
    expect(() => handler(asked(change), signal)).toThrow(error);
  });
});

describe('admissionOf a defined kind', () => {
  const replicasOf = admissionOf(sites, (request) => ({
    kind: 'denied',
    message: request.operation === 'DELETE' ? 'deleted' : String(request.object.spec.replicas),
  }));

  test('object that its schema takes -> given to the handler with its defaults', async () => {
    const request = asked({ kind: siteKind, object: siteOf({ host: 'a' }) });
    expect(await replicasOf(request, signal)).toEqual({ kind: 'denied', message: '1' });
  });

  test('object that its schema does not take -> denied as invalid, with what is wrong, and the handler not asked', async () => {
    const request = asked({ kind: siteKind, name: 's', object: siteOf({ host: 1 }) });
    expect(await replicasOf(request, signal)).toEqual({
      kind: 'denied',
      code: 422,
      reason: 'Invalid',
      message: expect.stringMatching(/^Site "s" is invalid: spec\.host: /),
    });
  });

  test('old object that its schema does not take -> no reason to refuse: stored by another schema', async () => {
    const stored = siteOf({ host: 1 });
    const update = asked({
      kind: siteKind,
      operation: 'UPDATE',
      object: siteOf({ host: 'a' }),
      oldObject: stored,
    });
    expect(await replicasOf(update, signal)).toEqual({ kind: 'denied', message: '1' });
    const deletion = asked({ kind: siteKind, operation: 'DELETE', oldObject: stored });
    expect(await replicasOf(deletion, signal)).toEqual({ kind: 'denied', message: 'deleted' });
  });

  test.each([
    ['only its metadata', { ...siteOf({ host: 1 }), metadata: { name: 's', labels: { a: 'b' } } }],
    ['what fits, beside what did not', siteOf({ host: 1, replicas: 3 })],
  ])(
    'stored by another schema, a write of %s -> allowed as the API server would, and nobody asked',
    async (_, object) => {
      const request = asked({ kind: siteKind, operation: 'UPDATE', object, oldObject: siteOf({ host: 1 }) });
      expect(await replicasOf(request, signal)).toEqual({ kind: 'allowed' });
    },
  );

  test('stored by another schema, a write that adds to what is wrong -> denied for that', async () => {
    const object = siteOf({ host: 1, replicas: 'many' });
    const request = asked({ kind: siteKind, operation: 'UPDATE', object, oldObject: siteOf({ host: 1 }) });
    expect(await replicasOf(request, signal)).toMatchObject({
      code: 422,
      message: expect.stringMatching(/^Site "web" is invalid: spec\.replicas: [^;]*$/),
    });
  });

  test.each([
    ['is wrong in another way', { host: true }],
    ['has another field wrong in the same way', { host: 'a', alias: 1 }],
  ])('stored by another schema, a write that %s -> denied', async (_, spec) => {
    const request = asked({
      kind: siteKind,
      operation: 'UPDATE',
      object: siteOf(spec),
      oldObject: siteOf({ host: 1 }),
    });
    expect(await replicasOf(request, signal)).toMatchObject({ code: 422 });
  });

  test('two fields that its schema does not take -> denied with both', async () => {
    const request = asked({ kind: siteKind, object: siteOf({ host: 1, alias: 1 }) });
    expect(await replicasOf(request, signal)).toMatchObject({
      message: expect.stringMatching(/ is invalid: spec\.host: [^;]*; spec\.alias: [^;]*$/),
    });
  });

  test('new object, its check says the same of nothing at all -> denied', async () => {
    const check = () => ({ kind: 'invalid', problems: [{ path: '', message: 'no' }] }) as const;
    const handler = admissionOf({ ...sites, check }, () => ({ kind: 'allowed' }));
    const request = asked({ kind: siteKind, object: siteOf({ host: 'a' }) });
    expect(await handler(request, signal)).toMatchObject({
      code: 422,
      message: 'Site "web" is invalid: no',
    });
  });

  test('hundreds of thousands of problems, which the stored object has too -> compared at once', async () => {
    const problems = Array.from({ length: 200_000 }, (_, index) => ({
      path: `spec.hosts.${String(index)}`,
      message: 'no',
    }));
    const check = () => ({ kind: 'invalid', problems }) as const;
    const handler = admissionOf({ ...sites, check }, () => ({ kind: 'allowed' }));
    const object = siteOf({ host: 'a' });
    const request = asked({ kind: siteKind, operation: 'UPDATE', object, oldObject: object });
    expect(await handler(request, signal)).toEqual({ kind: 'allowed' });
  });

  test('as many problems as a denial names -> all of them named, and no others counted', async () => {
    const problems = Array.from({ length: 32 }, (_, index) => ({ path: `p${String(index)}`, message: 'no' }));
    const check = () => ({ kind: 'invalid', problems }) as const;
    const handler = admissionOf({ ...sites, check }, () => ({ kind: 'allowed' }));
    expect(await handler(asked({ kind: siteKind, object: siteOf({ host: 'a' }) }), signal)).toMatchObject({
      message: expect.stringMatching(/ p31: no$/),
    });
  });

  test('more problems than somebody reads -> denied with the first of them, and the number of the others', async () => {
    const problems = Array.from({ length: 70 }, (_, index) => ({ path: `p${String(index)}`, message: 'no' }));
    const check = () => ({ kind: 'invalid', problems }) as const;
    const handler = admissionOf({ ...sites, check }, () => ({ kind: 'allowed' }));
    expect(await handler(asked({ kind: siteKind, object: siteOf({ host: 'a' }) }), signal)).toMatchObject({
      code: 422,
      message: expect.stringMatching(/ is invalid: p0: no; p1: no; .*; p31: no; and 38 more$/),
    });
  });

  test('terminating, and its schema does not take it -> allowed, or its finalizers could never be taken off', async () => {
    const site = siteOf({ host: 1 });
    const object = { ...site, metadata: { ...site.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
    const request = asked({ kind: siteKind, operation: 'UPDATE', object, oldObject: siteOf({ host: 'a' }) });
    expect(await replicasOf(request, signal)).toEqual({ kind: 'allowed' });
  });
});

/* What compiles, and what does not: `npm run typecheck` fails for each `@ts-expect-error` without an error. */
type Site = Stored<{ spec: { host: string } }>;
const written: NamespacedResource<Site> = { ...siteKind, plural: 'sites', namespaced: true };
const ofPods: AdmissionHandlerOf<Pod> = () => ({ kind: 'allowed' });
const compiled: readonly AdmissionHandler[] = [
  admissionOf(pods, ofPods),
  // @ts-expect-error nobody has looked whether it is a pod
  ofPods,
  admissionOf(written, ({ operation, object }) => ({
    kind: 'denied',
    message: operation === 'DELETE' ? '' : object.spec.host,
  })),
  admissionOf(configMaps, ({ object }) => ({
    kind: 'denied',
    // @ts-expect-error a deletion has no object
    message: object.data?.['a'] ?? '',
  })),
  admissionOf(configMaps, ({ operation, object }) => {
    // @ts-expect-error what is created has perhaps no UID yet
    const uid: string = operation === 'CREATE' ? object.metadata.uid : '';
    return { kind: 'denied', message: uid };
  }),
  admissionOf(sites, ({ oldObject }) => {
    // @ts-expect-error what is stored might be of an older schema
    const stored: { readonly spec: { readonly host: string } } | null = oldObject;
    return { kind: 'denied', message: stored === null ? '' : 'stored' };
  }),
];

test('handlers above -> routes', () => {
  expect(compiled).not.toContain(undefined);
});
