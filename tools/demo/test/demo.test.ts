import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { demo } from '../src/demo.ts';
import { startDemo } from './demo-process.ts';

/** The demo in this process, up to its first story. */
async function refused(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let stdout = '';
  let stderr = '';
  const code = await demo(args, {
    env,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

describe('demo', () => {
  test('--only with a name that has no story -> exit 2, naming those that have', async () => {
    const { code, stdout, stderr } = await refused(['--once', '--only=pvc-protection,nothing']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--only: .*"nothing".*pvc-protection.*pv-reclaim-honor/);
    expect(stdout).toBe('');
  });

  test('flag in the environment, as --help says -> counts', async () => {
    const { code, stderr } = await refused([], { HOLDFAST_DEMO_ONLY: 'nothing' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/--only: .*"nothing"/);
  });

  test('no folder for temporary files -> exit 2, naming it and the way out', async () => {
    const none = join(import.meta.dirname, 'none');
    const process = startDemo(none, ['--once']);
    expect(await process.exit).toBe(2);
    expect(process.stderr()).toMatch(
      /^holdfast-demo: nothing can be written to .*\/none: ENOENT.*TMPDIR[^\n]*\n$/,
    );
    expect(process.stdout()).toBe('');
  });

  test('B7: --real without the binaries -> exit 1, saying which release is wanted and how to get it', async () => {
    const { code, stdout, stderr } = await refused(['--once', '--real'], {
      XDG_CACHE_HOME: import.meta.dirname,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('THE REAL BINARIES ARE MISSING');
    expect(stderr).toMatch(/Kubernetes 1\.31 .*npm run control-plane -- --release 1\.31/);
    expect(stdout).toBe('');
  });
});
