import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeUnless, eventually } from '@holdfast/scenario';
import { controlPlaneMissing } from '@holdfast/testing';
import { headings, startDemo } from './demo-process.ts';

const missing = controlPlaneMissing({ backend: 'real', release: '1.31', controllers: ['*'] });

describeUnless(missing, 'demo on real binaries', () => {
  let temporary: string;
  beforeEach(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'holdfast-demo-test-'));
  });
  afterEach(() => rm(temporary, { recursive: true, force: true }));

  test('--once --real -> every story is told to its end beside the stock controllers, exit 0, nothing is left', async () => {
    const demo = startDemo(temporary, ['--once', '--real']);
    expect({ code: await demo.exit, output: demo.stdout() }).toMatchObject({ code: 0 });
    for (const heading of headings) {
      expect(demo.stdout()).toContain(heading);
    }
    expect(demo.stdout()).toMatch(/Kubernetes 1\.31, from \//);
    expect(demo.stdout()).toContain('statefulset-controller joins (the real one)');
    expect(demo.stdout()).toContain('persistentvolume-binder-controller joins (the real one)');
    expect(readdirSync(temporary)).toStrictEqual([]);
  }, 180_000);

  test('SIGINT while the real binaries start -> exit 0, nothing is left', async () => {
    const demo = startDemo(temporary, ['--real']);
    await eventually('it has begun', () =>
      readdirSync(temporary).some((name) => name.startsWith('holdfast-control-plane-')),
    );
    demo.kill('SIGINT');
    expect(await demo.exit).toBe(0);
    expect(readdirSync(temporary)).toStrictEqual([]);
  }, 90_000);
});
