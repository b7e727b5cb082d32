import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const leanHeap = new URL('../src/lean-heap.ts', import.meta.url).href;

/**
 * Keeps 27 of the 32 MiB that the heap may have, and makes garbage as a controller does that works through its objects.
 */
const busyProgram = `
  const { getHeapStatistics } = require('node:v8');
  const kept = [];
  const used = () => (gc(), getHeapStatistics().used_heap_size / 2 ** 20);
  while (used() < 27) {
    for (let i = 0; i < 500; i++) kept.push({ name: 'object ' + i, fields: new Array(110).fill(i), last: undefined });
  }
  for (let i = 0; i < 200_000; i++) kept[i % kept.length].last = { name: 'object ' + i, fields: [i, i, i] };
  console.log('done');
`;

test('objects take five sixths of the memory that V8 may have -> the process goes on', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=32', '--expose-gc', '--import', leanHeap, '--eval', busyProgram],
    { env: {} },
  );
  expect(stdout).toBe('done\n');
}, 120_000);
