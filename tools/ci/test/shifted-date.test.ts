import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const shiftDate = pathToFileURL(join(import.meta.dirname, '..', 'clock', 'shift-date.js')).href;
const century = 100 * 365 * 86_400_000;

test('process on another day -> now is off, a time that is given is not, and both are of the Date that everybody has', async () => {
  const asked =
    '[Date.now(), new Date().getTime(), new Date(5).getTime(), new Date() instanceof Date, new Date().constructor === Date]';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', shiftDate, '-p', `JSON.stringify(${asked})`],
    { env: { ...process.env, HOLDFAST_CLOCK_SHIFT: String(century) } },
  );
  const [now, made, given, ...isDate] = JSON.parse(stdout) as readonly unknown[];
  expect(new Date(now as number).getFullYear()).toBeGreaterThan(2120);
  expect(new Date(made as number).getFullYear()).toBeGreaterThan(2120);
  expect(given).toBe(5);
  expect(isDate).toEqual([true, true]);
});
