import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

test('P10: 2,100 folders deep, 20,000 files, 96 descriptors and 12 MiB of heap -> removed', () => {
  const program = `ulimit -n 96; exec "$0" --max-old-space-size=12 --max-semi-space-size=1 "$@"`;
  const output = execFileSync(
    'sh',
    [
      '-c',
      program,
      process.execPath,
      fileURLToPath(import.meta.resolve('./removal-cost.ts')),
      '2100',
      '20000',
    ],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // In memory where there is such a place: what counts is the number of entries.
      env: { ...process.env, ...(existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {}) },
    },
  );
  expect(JSON.parse(output)).toMatchObject({ left: [] });
}, 120_000);
