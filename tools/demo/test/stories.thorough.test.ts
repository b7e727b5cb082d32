import { readdirSync } from 'node:fs';
import { describe, expect } from '@jest/globals';
import { headings, startDemo } from './demo-process.ts';
import { demoTest } from './demo-test.ts';

describe('demo that is let play', () => {
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
