import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { mutantsOf } from '../src/mutants.ts';
import { playMutants } from '../src/play-mutants.ts';

const file = 'tools/mutate/test/fixtures/limit.ts';
const text = readFileSync(join(import.meta.dirname, 'fixtures/limit.ts'), 'utf8');
const mutants = mutantsOf(file, text);

test('a test that does not look at the border -> the mutant of the border survives, and no other', async () => {
  const fates = new Map<string, string>();
  await playMutants(
    { file, tests: ['tools/mutate/test/fixtures/limit.fixture.ts'] },
    mutants,
    { compiles: () => true, isQuick: true },
    (mutant, fate) => fates.set(mutant.after, fate.kind),
  );
  expect(Object.fromEntries(fates)).toEqual({
    'const limit = 0;': 'killed',
    'return true;': 'killed',
    'return false;': 'killed',
    'return value >= limit;': 'survived',
  });
});

test('tests that fail without a mutant -> refused, and the test named', async () => {
  const played = playMutants(
    { file, tests: ['tools/mutate/test/fixtures/failing.fixture.ts'] },
    mutants.filter(({ isStatic }) => !isStatic),
    { compiles: () => true, isQuick: true },
    () => undefined,
  );
  await expect(played).rejects.toThrow('without a mutant "5 -> over the limit" fails');
});
