import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Runs `npm test` on another day, in another time zone and language, so that a test that compares recorded
 * data with today fails here instead of on some future morning. Arguments are passed on to jest.
 *
 * Only the clock of the tests and of the processes that they start is moved. The machine's clock, by which
 * TLS judges certificates, is not. So the day must be one on which a new certificate is still valid today;
 * the shortest lifetime of our certificates is a year.
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
