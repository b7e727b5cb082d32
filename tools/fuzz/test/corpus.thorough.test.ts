import { describe, expect, test } from '@jest/globals';
import { corpusFolders, entriesOf } from '../src/corpus.ts';
import { createTargets } from '../src/targets.ts';

const targets = await createTargets();

test('each folder of the corpus is that of a target, and each target has one', () => {
  expect(corpusFolders()).toEqual(targets.map(({ name }) => name).toSorted());
});

describe.each(targets)('$name', ({ name, play }) => {
  test.each(entriesOf(name))('$name -> does no harm', async ({ input }) => {
    await play(input);
  });
});
