import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApiServer, type ApiServer } from '@holdfast/apiserver';
import { setCondition, type ConditionState, type JsonPatch } from '@holdfast/core';
import { conditionList, defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import { z } from 'zod';

const sites = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  spec: z.object({}),
  status: z.object({ conditions: z.optional(conditionList) }),
});
type Site = ObjectOf<typeof sites>;

const ready: ConditionState = {
  type: 'Ready',
  status: 'True',
  reason: 'AllUp',
  message: '',
  observedGeneration: 1,
};
const now = new Date('2030-01-01T00:00:00Z');

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  const definition = JSON.stringify(sites.definition);
  const answer = await server.handle(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition,
  );
  expect([answer.code, answer.code === 201 ? '' : answer.body]).toEqual([201, '']);
});
afterAll(() => server.stop());

const path = '/apis/example.com/v1/namespaces/default/sites';
const site = (name: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name },
  spec: {},
});

/** What API server and zod make of the conditions. */
async function verdictsOn(name: string, conditions: readonly object[]) {
  const created = await server.handle('POST', path, JSON.stringify(site(name)));
  expect(created.code).toBe(201);
  const patch: JsonPatch = [{ op: 'add', path: '/status', value: { conditions } }];
  const answer = await server.handle(
    'PATCH',
    `${path}/${name}/status`,
    JSON.stringify(patch),
    'application/json-patch+json',
  );
  const checked = sites.check({ ...site(name), status: { conditions } });
  const { status } = JSON.parse(answer.body) as Site;
  return {
    server: answer.code === 200 ? status?.conditions : answer.code,
    zod: checked.kind === 'valid' ? checked.object.status?.conditions : 'refused',
  };
}

test('what setCondition makes -> taken by the API server and by zod, as it is', async () => {
  const conditions = setCondition(undefined, ready, now);
  expect(await verdictsOn('valid', conditions)).toEqual({ server: conditions, zod: conditions });
});

test.each<{ title: string; change: object }>([
  { title: 'the longest type', change: { type: `${'x'.repeat(253)}/${'X'.repeat(62)}` } },
  { title: 'status False', change: { status: 'False' } },
  { title: 'status Unknown', change: { status: 'Unknown' } },
  { title: 'generation 0', change: { observedGeneration: 0 } },
  { title: 'the shortest reason', change: { reason: 'A' } },
  { title: 'the longest reason', change: { reason: 'A'.repeat(1_024) } },
  { title: 'the longest message', change: { message: 'x'.repeat(32_768) } },
])('condition with $title -> taken by both', async ({ title, change }) => {
  const [condition] = setCondition(undefined, ready, now);
  const conditions = [{ ...condition, ...change }];
  const verdicts = await verdictsOn(title.toLowerCase().replaceAll(' ', '-'), conditions);
  expect(verdicts).toEqual({ server: conditions, zod: conditions });
});

test('the conditions of an object -> are conditions to setCondition', () => {
  const add = (object: Site): unknown => setCondition(object.status?.conditions, ready, now);
  expect(add.length).toBe(1);
});

test.each<{ title: string; change: object }>([
  { title: 'a type that is too long', change: { type: `${'x'.repeat(253)}/${'X'.repeat(63)}` } },
  { title: 'a reason that is too long', change: { reason: 'A'.repeat(1_025) } },
  { title: 'a type with a space', change: { type: 'Is ready' } },
  { title: 'another status', change: { status: 'Yes' } },
  { title: 'no reason', change: { reason: '' } },
  { title: 'a reason in words', change: { reason: 'all is up' } },
  { title: 'a message without an end', change: { message: 'x'.repeat(32_769) } },
  { title: 'a generation below zero', change: { observedGeneration: -1 } },
])('condition with $title -> refused by both', async ({ title, change }) => {
  const [condition] = setCondition(undefined, ready, now);
  const verdicts = await verdictsOn(title.replaceAll(' ', '-'), [{ ...condition, ...change }]);
  expect(verdicts).toEqual({ server: 422, zod: 'refused' });
});
