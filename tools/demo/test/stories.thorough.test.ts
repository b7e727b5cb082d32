import { readdirSync } from 'node:fs';
import { describe, expect } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { headings, startDemo } from './demo-process.ts';
import { demoTest, interrupted, processesNaming } from './demo-test.ts';

describe('demo that is let play', () => {
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

  demoTest(
    '--once on the embedded control plane -> every story is told to its end, exit 0, nothing is left',
    async (temporary) => {
      const demo = startDemo(temporary, ['--once']);
      expect({ code: await demo.exit, output: demo.stdout() }).toMatchObject({ code: 0 });
      for (const heading of headings) {
        expect(demo.stdout()).toContain(heading);
      }
      expect(demo.stdout()).toMatch(/the controller lets the claim go, and it is gone/);
      expect(demo.stdout()).toMatch(/claim late class silver; registry keeps gold/);
      expect(demo.stdout()).toMatch(/the set is deleted: its last claim goes with it/);
      expect(demo.stdout()).toMatch(/has the driver delete the folder, and lets the volume go/);
      expect(readdirSync(temporary)).toStrictEqual([]);
    },
  );
});
