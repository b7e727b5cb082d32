import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { startTool } from './tool-process.ts';

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
