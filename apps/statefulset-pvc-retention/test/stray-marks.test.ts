import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { createStrayMarks } from '../src/stray-marks.ts';

/** An annotation can have as much, and whoever may patch a claim can write it. */
const long = 'x'.repeat(250 * 1024);

function written(claim: number, pass: number): PersistentVolumeClaim {
  const annotations = { 'holdfast.dev/delete-after-scale-down': `${String(pass)}${long}` };
  const uid = `uid-${String(claim)}`;
  return {
    metadata: { name: 'data-web-0', namespace: 'ns', uid, resourceVersion: String(pass), annotations },
  };
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('others write as long marks as they can, time and again -> little is kept of each', () => {
  const strayMarks = createStrayMarks();
  const before = heapUsed();
  for (let claim = 0; claim < 10; claim += 1) {
    for (let pass = 0; pass < 16; pass += 1) {
      strayMarks.add(written(claim, pass));
    }
  }
  expect(heapUsed() - before).toBeLessThan(8 * 2 ** 20);
  expect(strayMarks.has(written(9, 0))).toBe(true);
  expect(strayMarks.has(written(9, 16))).toBe(false);
});
