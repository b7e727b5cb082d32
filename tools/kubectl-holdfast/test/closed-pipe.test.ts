import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { bundle, startTool } from './tool-process.ts';

test('nobody reads the answer any more -> no stack, and the exit code of the answer', async () => {
  const tool = startTool(['plan', '--help']);
  tool.stdout.destroy();
  const closed = once(tool, 'close') as Promise<[number]>;
  const [complaint, [code]] = await Promise.all([text(tool.stderr), closed]);
  expect({ complaint, code }).toEqual({ complaint: '', code: 0 });
}, 15_000);

test('nobody reads what is wrong any more -> its exit code all the same', async () => {
  const tool = startTool(['plan']);
  tool.stderr.destroy();
  tool.stdout.resume();
  const [code] = (await once(tool, 'close')) as [number];
  expect(code).toBe(2);
}, 15_000);

test('the answer does not fit on the disk -> said in one line, exit code 1', () => {
  const full = openSync('/dev/full', 'w');
  const { stderr, status } = spawnSync(process.execPath, [bundle, 'plan', '--help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect(stderr).toMatch(/^kubectl-holdfast: standard output can't be written: ENOSPC.*\n$/);
  expect(status).toBe(1);
}, 15_000);
