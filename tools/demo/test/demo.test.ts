import { describe, expect } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { startDemo } from './demo-process.ts';
import { demoTest, interrupted, processesNaming } from './demo-test.ts';

describe('demo', () => {
  demoTest(
    '--only with one name -> that story alone; then a page and who is at work, until SIGINT, exit 0, nothing is left',
    async (temporary) => {
      // Whether a lease is held is judged by the `Date` of the server's answers, which no test moves.
      const demo = startDemo(temporary, ['--only=pv-reclaim-honor'], { HOLDFAST_CLOCK_SHIFT: '0' });
      await eventually(
        'it says who is at work',
        () => /^pv-reclaim-honor +yes /m.test(demo.stdout()),
        90_000,
      );
      expect(demo.stdout()).toContain('pv-reclaim-honor: a volume is deleted before its claim');
      expect(demo.stdout()).not.toContain('retroactive-default-sc: ');
      const [, address = ''] = /what holds what, live: (\S+)/.exec(demo.stdout()) ?? [];
      const page = await fetch(address, { headers: { connection: 'close' } });
      expect({ status: page.status, isPage: (await page.text()).includes('<html') }).toEqual({
        status: 200,
        isPage: true,
      });
      // To a pipe, nothing but lines.
      expect(demo.stdout()).not.toContain('\u001b');
      expect(processesNaming(temporary).length).toBe(3);
      await interrupted(demo, temporary);
    },
  );

  demoTest('--only with a name that has no story -> exit 2, naming those that have', async (temporary) => {
    const demo = startDemo(temporary, ['--once', '--only=pvc-protection,nothing']);
    expect(await demo.exit).toBe(2);
    expect(demo.stderr()).toMatch(/--only: .*"nothing".*pvc-protection.*pv-reclaim-honor/);
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
