import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { run } from '../src/run.ts';
import { UnavailableError } from '../src/unavailable-error.ts';

const main = join(import.meta.dirname, '../src/main.ts');
const images = (...args: readonly string[]): { code: number | null; stderr: string } => {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { code: status, stderr };
};

describe('npm run images', () => {
  test('an app that is not there -> exit 2, names those that are', () => {
    const apps = readdirSync(join(import.meta.dirname, '../../../apps'))
      .toSorted()
      .join(', ');
    expect(images('pvc-protector')).toEqual({
      code: 2,
      stderr: `images: unknown app "pvc-protector": there are ${apps}; see --help\n`,
    });
  });

  test('an unknown flag -> exit 2, names it', () => {
    const { code, stderr } = images('--ouput=here');
    expect([code, stderr]).toEqual([2, expect.stringContaining("'--ouput'")]);
  });
});

describe('run', () => {
  test('a program that is not there -> unavailable, not failed', async () => {
    await expect(run('no-such-program', [])).rejects.toThrow(UnavailableError);
  });

  test('a program that fails -> an error with what it wrote', async () => {
    const failing = run(process.execPath, ['-e', 'console.error("no such mirror"); process.exit(7)']);
    await expect(failing).rejects.toThrow('no such mirror');
    await expect(failing).rejects.not.toThrow(UnavailableError);
  });
});
