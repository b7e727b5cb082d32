import type { ProjectNames } from './project-names.ts';

export function decideTestText({ group, kind, one }: ProjectNames): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../src/decide.ts';
import type { ${kind} } from '../src/kinds.ts';

const ${one}: ${kind} = {
  apiVersion: '${group}/v1alpha1',
  kind: '${kind}',
  metadata: { namespace: 'default', name: 'a', uid: '1', resourceVersion: '1' },
  spec: { text: 'x' },
};

test('object with a text -> map and status have it', () => {
  const map = { metadata: { name: 'a' }, data: { text: 'x' } };
  assert.deepEqual(decide(${one}), { map, status: { text: 'x' } });
});

test('status says another text -> no matter', () => {
  assert.deepEqual(decide({ ...${one}, status: { text: 'y' } }), decide(${one}));
});
`;
}

export function operatorTestText({ kind, one, many }: ProjectNames): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps, isControlledBy, leases } from '@holdfast/core';
import { testOperator } from '@holdfast/runtime/testing';
import { command } from '../src/command.ts';
import { ${one}Controller } from '../src/controller.ts';
import { ${many} } from '../src/kinds.ts';

const ref = { namespace: 'default', name: 'a' };

/** Runs on an API server in this process, or, with HOLDFAST_CONTROL_PLANE=real, on etcd and kube-apiserver. */
const start = (...flags: readonly string[]) =>
  testOperator({ command, compose: ${one}Controller, resources: [${many}], flags });

test('${kind} made, its text changed -> its map has it, and its status says so', async () => {
  await using t = await start();
  const made = await t.client.create(${many}, 'default', { metadata: { name: 'a' }, spec: { text: 'x' } });
  await t.idle();
  const map = await t.client.get(configMaps, ref);
  assert.deepEqual(map.data, { text: 'x' });
  assert.ok(isControlledBy(map, made));

  await t.client.mergePatch(${many}, ref, { spec: { text: 'y' } });
  await t.idle();
  assert.deepEqual((await t.client.get(configMaps, ref)).data, { text: 'y' });
  assert.deepEqual((await t.client.get(${many}, ref)).status, { text: 'y' });
});

test('map deleted -> made again', async () => {
  await using t = await start();
  await t.client.create(${many}, 'default', { metadata: { name: 'a' }, spec: { text: 'x' } });
  await t.idle();
  await t.client.delete(configMaps, ref);
  await t.eventually(() => t.client.get(configMaps, ref));
});

test('map of that name by somebody else -> left as it is', async () => {
  await using t = await start();
  const theirs = { metadata: { name: 'a' }, data: { theirs: 'z' } };
  const { metadata } = await t.client.create(configMaps, 'default', theirs);
  await t.client.create(${many}, 'default', { metadata: { name: 'a' }, spec: { text: 'x' } });
  await t.eventually(() => t.log.some(({ level }) => level === 'error'));
  assert.deepEqual((await t.client.get(configMaps, ref)).metadata, metadata);
});

test('leader election -> works with the lease', async () => {
  await using t = await start('--leader-elect');
  const lease = { namespace: 'kube-system', name: t.config.leaderElectResourceName };
  assert.ok((await t.client.get(leases, lease)).spec?.holderIdentity);
});
`;
}
