import { describe, expect } from '@jest/globals';
import { startDemo } from './demo-process.ts';
import { demoTest } from './demo-test.ts';

describe('demo', () => {
  demoTest('--only with a name that has no story -> exit 2, naming those that have', async (temporary) => {
    const demo = startDemo(temporary, ['--once', '--only=pvc-protection,nothing']);
    expect(await demo.exit).toBe(2);
    expect(demo.stderr()).toMatch(/--only: .*"nothing".*pvc-protection.*pv-reclaim-honor/);
    expect(demo.stdout()).toBe('');
  });

  demoTest('flag in the environment, as --help says -> counts', async (temporary) => {
    const demo = startDemo(temporary, [], { HOLDFAST_DEMO_ONLY: 'nothing' });
    expect(await demo.exit).toBe(2);
    expect(demo.stderr()).toMatch(/--only: .*"nothing"/);
  });

  demoTest('no folder for temporary files -> exit 2, naming it and the way out', async (temporary) => {
    const demo = startDemo(temporary, ['--once'], { TMPDIR: `${temporary}/none` });
    expect(await demo.exit).toBe(2);
    expect(demo.stderr()).toMatch(
      /^holdfast-demo: nothing can be written to .*\/none: ENOENT.*TMPDIR[^\n]*\n$/,
    );
    expect(demo.stdout()).toBe('');
  });

  demoTest(
    'B7: --real without the binaries -> exit 1, saying which release is wanted and how to get it',
    async (temporary) => {
      const demo = startDemo(temporary, ['--once', '--real'], {
        HOME: temporary,
        XDG_CACHE_HOME: temporary,
        KUBEBUILDER_ASSETS: '',
      });
      expect(await demo.exit).toBe(1);
      expect(demo.stderr()).toContain('THE REAL BINARIES ARE MISSING');
      expect(demo.stderr()).toMatch(/Kubernetes 1\.31 .*npm run control-plane -- --release 1\.31/);
      expect(demo.stdout()).toBe('');
    },
  );
});
