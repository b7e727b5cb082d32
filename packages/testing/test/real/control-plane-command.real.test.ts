import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { controlPlaneMissing } from '../../src/start-control-plane.ts';
import { until } from './until.ts';

jest.setTimeout(120_000);

const missing = controlPlaneMissing({ backend: 'real' });
const entry = new URL('../../src/control-plane-command.ts', import.meta.url).href;

(missing === undefined ? describe : describe.skip)(`holdfast-control-plane --real ${missing ?? ''}`, () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'control-plane-command-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s while it starts -> ends with 0, was never said to serve, nothing is left',
    async (signal) => {
      const script = `const { runControlPlaneCommand } = await import(${JSON.stringify(entry)}); await runControlPlaneCommand(process.argv.slice(1));`;
      const kubeconfig = join(folder, `${signal}.kubeconfig`);
      const child = spawn(
        process.execPath,
        [
          ...['--conditions=@holdfast/source', '--input-type=module', '-e', script, '--'],
          ...['--real', '--write-kubeconfig', kubeconfig],
        ],
        { env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      const exit = once(child, 'exit');
      const said = text(child.stderr);
      await until('its folder is there', async () => (await readdir(folder)).length > 0);
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
      expect(await said).toBe('');
      expect(existsSync(kubeconfig)).toBe(false);
      expect(await readdir(folder)).toStrictEqual([]);
    },
  );
});
