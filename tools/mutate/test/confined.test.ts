import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { confined, notConfined } from '../src/confined.ts';

test('confined -> nothing outside is written, and /tmp can be; or it is not to be had, and nothing runs', () => {
  const outside = join(import.meta.dirname, 'written-by-a-mutant');
  const script = `echo begun; touch "${outside}" && echo written; touch /tmp/inside && echo inside`;
  const [program, commandArguments] = confined(['sh', '-c', script]);
  const { status, stdout, error } = spawnSync(program, commandArguments, { encoding: 'utf8' });
  const isThere = existsSync(outside);
  rmSync(outside, { force: true });
  expect(isThere).toBe(false);
  // 1: unshare itself is refused.
  const isNotToBeHad = error !== undefined || status === notConfined || status === 1;
  expect(error === undefined ? stdout : '').toBe(isNotToBeHad ? '' : 'begun\ninside\n');
});
