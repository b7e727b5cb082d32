import { readdirSync } from 'node:fs';
import { describe, expect } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { startDemo } from './demo-process.ts';
import { demoTest, interrupted, processesNaming } from './demo-test.ts';

describe('demo that ends early', () => {
  for (const [stage, line] of [
    ['the API server has begun', 'API server at'],
    ['a story is told', '  1. '],
    ['the page is about to be served', 'Ctrl-C ends it'],
  ] as const) {
    demoTest(`SIGINT when ${stage} -> exit 0 soon, nothing is left`, async (temporary) => {
      const demo = startDemo(temporary, ['--only=pvc-protection']);
      await eventually(stage, () => demo.stdout().includes(line), 90_000);
      await interrupted(demo, temporary);
    });
  }

  // All stories, as the first alone might be over before the signal comes.
  demoTest(
    '--once that is interrupted -> exit 1, for the stories were not seen to hold',
    async (temporary) => {
      const demo = startDemo(temporary, ['--once']);
      await eventually('it has begun', () => demo.stdout().includes('pvc-protection is started'), 60_000);
      demo.kill('SIGTERM');
      expect(await demo.exit).toBe(1);
      expect(readdirSync(temporary)).toStrictEqual([]);
    },
  );

  demoTest('killed by SIGKILL -> its controllers end and nothing is left', async (temporary) => {
    const demo = startDemo(temporary, ['--once']);
    await eventually('it has begun', () => demo.stdout().includes('pvc-protection is started'), 60_000);
    await eventually('its controller runs', () => processesNaming(temporary).length > 0);
    demo.kill('SIGKILL');
    await demo.exit;
    await eventually('its controller has ended', () => processesNaming(temporary).length === 0);
    await eventually('its folder is gone', () => readdirSync(temporary).length === 0);
  });

  demoTest(
    'a controller that does not start -> the story fails with its words, exit 1, nothing is left',
    async (temporary) => {
      // Every flag may come from the environment; this one reaches the controllers and not the demo.
      const demo = startDemo(temporary, ['--once', '--only=retroactive-default-sc'], {
        HOLDFAST_FEATURE_GATES: 'NoSuchGate=true',
      });
      expect(await demo.exit).toBe(1);
      expect(demo.stdout()).toContain('FAILED: retroactive-default-sc has ended by itself');
      expect(demo.stdout()).toContain('NoSuchGate');
      expect(readdirSync(temporary)).toStrictEqual([]);
    },
  );
});
