import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps, eventsV1 } from '@holdfast/core';
import { find } from '@holdfast/runtime';
import { testOperator } from '@holdfast/runtime/testing';
import { annotation, command, ttl } from '../src/ttl.ts';

const start = () => testOperator({ command, compose: ttl, clock: 'fake' });
const minute = 60_000;

await test('ConfigMap with a time to live -> deleted when it is over, and not before', async () => {
  await using t = await start();
  const metadata = { name: 'brief', annotations: { [annotation]: '10m' } };
  const { name } = (await t.client.create(configMaps, 'default', { metadata })).metadata;
  await t.idle();
  await t.clock.advance(9 * minute);
  await t.idle();
  assert.ok(await find(t.client, configMaps, { namespace: 'default', name }));
  await t.clock.advance(2 * minute);
  await t.eventually(async () => {
    assert.equal(await find(t.client, configMaps, { namespace: 'default', name }), undefined);
  });
});

await test('time to live is made longer meanwhile -> the new one counts', async () => {
  await using t = await start();
  const ref = { namespace: 'default', name: 'longer' };
  await t.client.create(configMaps, 'default', {
    metadata: { name: ref.name, annotations: { [annotation]: '10m' } },
  });
  await t.idle();
  await t.client.mergePatch(configMaps, ref, { metadata: { annotations: { [annotation]: '1h' } } });
  await t.idle();
  await t.clock.advance(30 * minute);
  await t.idle();
  assert.ok(await find(t.client, configMaps, ref));
  await t.clock.advance(31 * minute);
  await t.eventually(async () => assert.equal(await find(t.client, configMaps, ref), undefined));
});

await test('no time to live, or none that can be read -> kept, with an Event that says why', async () => {
  await using t = await start();
  await t.client.create(configMaps, 'default', { metadata: { name: 'plain' } });
  await t.client.create(configMaps, 'default', {
    metadata: { name: 'odd', annotations: { [annotation]: 'tomorrow' } },
  });
  await t.idle();
  const [event] = await t.eventually(async () => {
    const { items } = await t.client.list(eventsV1, { namespace: 'default' });
    const ours = items.filter(({ reason }) => reason === 'InvalidTTL');
    assert.equal(ours.length, 1);
    return ours;
  });
  assert.equal(event?.regarding?.name, 'odd');
  await t.clock.advance(24 * 60 * minute);
  await t.idle();
  assert.equal(t.requests.filter(({ verb }) => verb === 'delete').length, 0);
});
