import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);

/** A test as its author writes it, in CommonJS: with nothing that ends the process. */
const script = `
const { test } = require('node:test');
const { configMaps, objectKey } = require('@holdfast/core');
const { appCommand, createProjection, wake } = require('@holdfast/runtime');
const { testOperator } = require('@holdfast/runtime/testing');

const command = appCommand({ name: process.env.OPERATOR, version: '1', description: 'a test.', gates: {}, flags: {} });
const compose = ({ watch, controller }) => {
  const maps = watch(configMaps, createProjection(configMaps, { data: true }));
  controller({
    wakes: [wake(maps, { present: objectKey })],
    reconcile: (key) => (key.endsWith('hang') ? new Promise(() => {}) : Promise.resolve({ kind: 'done' })),
  });
};

test('works', async () => {
  const t = await testOperator({ command, compose });
  await t.client.create(configMaps, 'default', { metadata: { name: 'a' } });
  await t.idle();
  await t[Symbol.asyncDispose]();
});

test('hangs', async () => {
  const t = await testOperator({ command, compose });
  await t.client.create(configMaps, 'default', { metadata: { name: 'hang' } });
  await t.eventually(() => t.registry.getSingleMetricAsString('controller_runtime_active_workers').then((text) => text.includes('} 1')));
  await t.stop().catch((error) => console.log(error.message));
});
`;

test('process of its own, CommonJS, node:test, one reconcile hangs -> ends by itself, and leaves no file', async () => {
  // Other runs have folders beside it too.
  const name = `alone-${randomBytes(4).toString('hex')}`;
  const { stdout } = await run(
    process.execPath,
    ['--conditions=@holdfast/source', '--input-type=commonjs', '-e', script],
    // What is loaded is looked for from here.
    {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, OPERATOR: name, NODE_TEST_CONTEXT: undefined },
      timeout: 60_000,
    },
  );
  expect(stdout).toContain(`operator ${name} does not end`);
  expect(stdout).toMatch(/^. pass 2$/m);
  expect(readdirSync(tmpdir()).filter((each) => each.startsWith(name))).toStrictEqual([]);
}, 90_000);
