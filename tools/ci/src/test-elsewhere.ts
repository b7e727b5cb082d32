import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * `npm test` on another day, in another time zone and language: a test that compares recorded data with today fails here before
 * it fails on some morning. Arguments go to jest.
 *
 * The clock of the tests and of the processes that they start is moved, not the machine's, by which TLS judges certificates.
 * So the day is one on which a certificate is made that is still good today, and the shortest lifetime of ours is a year.
 */
const shift = -300 * 24 * 60 * 60 * 1000;

const root = join(import.meta.dirname, '../../..');
const jest = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    HOLDFAST_CLOCK_SHIFT: String(shift),
    NODE_OPTIONS: `--import=${join(root, 'tools/ci/clock/shift-date.js')}`,
    TZ: 'Pacific/Kiritimati',
    LANG: 'tr_TR.UTF-8',
    LC_ALL: 'tr_TR.UTF-8',
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void jest.kill(signal));
}
const [code] = (await once(jest, 'close')) as [number | null];
process.exitCode = code ?? 1;
