import { expect, test } from '@jest/globals';
import { apiTests } from '../../src/strangers/api-tests.ts';

test('list of tests -> each once', () => {
  const all = Object.values(apiTests).flat();
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toStrictEqual([]);
});
