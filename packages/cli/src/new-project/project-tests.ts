import type { ProjectNames } from './project-names.ts';

export function decideTestText({ group, kind, one }: ProjectNames): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Snapshot } from '../src/decide.ts';

const metadata = { namespace: 'default', name: 'a', uid: '1', resourceVersion: '1' };
const ${one} = (text: string, shown?: string): Snapshot['${one}'] => ({
  apiVersion: '${group}/v1alpha1',
  kind: '${kind}',
  metadata,
  spec: { text },
  ...(shown === undefined ? {} : { status: { text: shown } }),
});
const map = (text: string): Snapshot['map'] => ({ metadata: { ...metadata, uid: '2' }, data: { text } });

const cases: readonly (readonly [name: string, snapshot: Snapshot, kind: string])[] = [
  ['object gone', { ${one}: undefined, map: map('a') }, 'none'],
  ['no map', { ${one}: ${one}('a'), map: undefined }, 'applyMap'],
  ['map with another text', { ${one}: ${one}('b', 'a'), map: map('a') }, 'applyMap'],
  ['map with its text, no status', { ${one}: ${one}('a'), map: map('a') }, 'report'],
  ['all with its text', { ${one}: ${one}('a', 'a'), map: map('a') }, 'none'],
];
for (const [name, snapshot, kind] of cases) {
  test(\`\${name} -> \${kind}\`, () => {
    assert.equal(decide(snapshot).kind, kind);
  });
}
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

/** On an API server in this process; on etcd and kube-apiserver with HOLDFAST_CONTROL_PLANE=real. */
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

test('leader election -> works with the lease', async () => {
  await using t = await start('--leader-elect');
  const lease = { namespace: 'kube-system', name: t.config.leaderElectResourceName };
  assert.ok((await t.client.get(leases, lease)).spec?.holderIdentity);
});
`;
}
